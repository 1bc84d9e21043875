"""What README.md shows is what the product printed, and what it claims is looked at where a command can tell."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from bench.accuracy import FALSE, RECALL
from docs.pages.readme import write_figures

from synaptic.hooks.config import Config

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
COLOUR = re.compile(r"\x1b\[[\d;]*m")
SHOWN = [block for block in re.findall(r"^```console\n(.*?)^```", README, re.MULTILINE | re.DOTALL) if "\n " in block]
TARGETS = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def read_recording() -> str:
    """Everything that the recorded terminal showed, as words."""
    lines = (ROOT / "docs" / "cast" / "stories.cast").read_text().splitlines()[1:]
    return squeeze("".join(json.loads(line)[2] for line in lines))


def squeeze(text: str) -> str:
    return " ".join(COLOUR.sub("", text).split())


@pytest.mark.parametrize("block", SHOWN, ids=range(len(SHOWN)))
def test_every_screen_is_part_of_the_recording(block: str):
    """`...` stands for lines that are left out; lines are broken at 80 columns."""
    recording = read_recording()
    assert max(map(len, block.splitlines())) <= 84
    for part in re.split(r"^ *\.\.\.$|^(?=\$ )", block, flags=re.MULTILINE):
        assert squeeze(part) in recording


def test_the_recorded_screens_fit_a_terminal():
    head = json.loads((ROOT / "docs" / "cast" / "stories.cast").read_text().splitlines()[0])
    assert (head["version"], head["width"], head["height"]) == (2, 80, 24)


def test_it_is_short_and_leads_with_what_people_look_for():
    assert len(README.splitlines()) < 200
    heads = re.findall(r"^## (.+)$", README, re.MULTILINE)
    assert heads[:2] == ["Two commands", "Five stories"]
    assert len(heads) == len(set(heads))
    assert {"Numbers", "What it guarantees", "What it does not", "Install", "Upgrade", "Uninstall"} <= set(heads)
    assert len(re.findall(r"^\*\*\d\. ", README, re.MULTILINE)) == 5


def test_every_target_that_it_names_is_in_the_makefile():
    named = set(re.findall(r"(?:`|\$ )make ([a-z]+)", README))
    assert {"up", "test", "cast", "bench"} <= named <= TARGETS


def test_figures_are_those_of_the_bench():
    bench = "| dispatch, preset essentials | 0.85 / 1.2 ms | 1.2 |\n| /bin/true | 0.70 / 1.0 ms | 1 |\n"
    bench += "| peer: plain Python hook script | 18.04 ms | 25× |\n"
    assert "| 0.85 ms |" in write_figures(bench)
    assert "| a hook script in Python | 18 ms |" in write_figures(bench)
    assert write_figures((ROOT / "docs" / "bench.md").read_text()) in README, "type: make gen"


def test_limits_of_the_accuracy_are_as_they_are_told():
    told = f"fails below {100 * RECALL:g} % of the former or above {100 * FALSE:g} % of the latter"
    assert told in " ".join(README.split())


def test_the_default_of_the_fail_policy_is_as_it_is_told():
    assert Config().fail == "open"
    assert 'the default, `fail = "open"`' in " ".join(README.split())


@pytest.mark.parametrize(
    ("command", "code"), [('git commit -m "never git reset --hard"', 0), ("git reset --hard", 0), ("git push -f", 4)]
)
def test_what_is_told_of_single_commands(tmp_path: Path, command: str, code: int):
    """In a clean tree: what would lose nothing passes, text is only text, and a forced push is rewritten."""
    env = {**os.environ, "HOME": str(tmp_path / "home"), "GIT_CONFIG_GLOBAL": "/dev/null"}
    env.pop("SYNAPTIC_HOME", None)
    project = tmp_path / "shop"
    project.mkdir()
    names = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q", "-b", "feature"], ["commit", "-q", "--allow-empty", "-m", "a"]):
        subprocess.run(["git", "-C", str(project), *names, *words], check=True, capture_output=True, env=env)
    typed = [sys.executable, "-m", "synaptic.cli.main", "check", command]
    done = subprocess.run(typed, cwd=project, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == code, done.stdout + done.stderr
