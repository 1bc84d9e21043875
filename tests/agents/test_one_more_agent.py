"""One more agent is one file and its goldens: the one that the guide shows, in a copy of this package."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "guide" / "agents.md"
GOLDEN = {"event": "before_tool", "session": "s1", "folder": "/p", "tool": "shell", "arguments": {"line": "ls"}}
READER = """
from tests.agents.readers import Heard, read_known


def hear(event, answer):
    body = read_known(answer, "verdict", "why", "arguments", "note")
    said = Heard(blocked=body.get("verdict") == "no", reason=body.get("why", ""), context=body.get("note", ""))
    said.input = body.get("arguments")
    return said
"""
ANSWER = """
import asyncio, json, sys
from pathlib import Path
from synaptic.engine.walk import open_engine
from synaptic.model.call import Request
from synaptic.model.home import Home

async def main(home, moved):
    engine = open_engine(Home(Path(home, ".synaptic")))
    for number, line in enumerate(sys.stdin):
        env = {"HOME": home, "QUILL_HOME": moved}
        answer = await engine.answer(Request("quill", "before_tool", line.encode(), str(number), env))
        print(answer.stdout.decode() or "{}")
    await engine.close()

asyncio.run(main(*sys.argv[1:]))
"""


class Scratch:
    """A copy of the package with one more file in it, and a user's empty home."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.home = folder, folder / "home"
        self.home.mkdir()
        shutil.copytree(ROOT / "src" / "synaptic", folder / "src" / "synaptic")
        source = re.search(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
        assert source is not None
        (folder / "src" / "synaptic" / "agents" / "quill.py").write_text(source[1])

    def run(self, *words: str, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
        paths = os.pathsep.join(map(str, (self.folder / "src", self.folder)))
        known = {"HOME": str(self.home), "PATH": "/usr/bin:/bin", "SHELL": "/bin/sh", "PYTHONPATH": paths, **env}
        command = [sys.executable, *words]
        return subprocess.run(command, input=stdin, capture_output=True, text=True, env=known, cwd=self.folder)

    def types(self, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
        return self.run("-m", "synaptic.cli.main", *words, **env)

    def asks(self, moved: Path, *calls: tuple[str, dict[str, str]]) -> list[dict[str, str]]:
        """What the agent is told about each of these calls."""
        sent = ({**GOLDEN, "folder": str(self.folder), "tool": tool, "arguments": given} for tool, given in calls)
        done = self.run("-c", ANSWER, str(self.home), str(moved), stdin="\n".join(map(json.dumps, sent)))
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Scratch:
    return Scratch(tmp_path_factory.mktemp("scratch"))


def test_bootstrap_doctor_and_down_know_it(scratch: Scratch):
    shown = json.loads(scratch.types("agents", "show", "quill", "--json").stdout)
    assert shown["files"] == [str(scratch.home / ".quill" / "hooks.json")]
    assert {one["aspect"] for one in shown["abilities"] if one["can"]} == {"deny", "rewrite", "advise after"}
    done = scratch.types("bootstrap", "--agent", "quill", "--no-profile")
    assert done.returncode == 0, done.stderr
    hooks = json.loads((scratch.home / ".quill" / "hooks.json").read_text())["hooks"]
    assert hooks.keys() == {"before_tool", "after_tool"}
    assert " quill before_tool --entry=" in hooks["before_tool"][0]["hooks"][0]["command"]
    assert "Quill is told" in scratch.types("doctor").stdout
    (scratch.home / ".quill" / "options.json").write_text('{"hooks": {"enabled": false}}')
    assert "`hooks.enabled` stops every hook" in scratch.types("doctor").stdout
    assert scratch.types("down", "--agent", "quill").returncode == 0
    assert not (scratch.home / ".quill" / "hooks.json").exists()


def test_its_calls_are_judged_and_its_settings_guarded_wherever_they_are(scratch: Scratch):
    moved = scratch.folder / "moved"
    paths = [folder / name for folder in (scratch.home / ".quill", moved) for name in ("hooks.json", "options.json")]
    writes = (("write", {"file": str(path), "text": "{}"}) for path in paths)
    harmless, mirror, deletion, *written = scratch.asks(
        moved,
        ("shell", {"line": "ls"}),
        ("shell", {"line": "git push --mirror x"}),
        ("shell", {"line": f"rm -rf {moved}"}),
        *writes,
    )
    assert harmless == {}
    assert mirror["verdict"] == "no"
    assert len(written) == 4
    assert all("decides whether this guard runs" in told["why"] for told in (deletion, *written))


def test_its_shell_is_an_agents_shell(scratch: Scratch):
    done = scratch.types("state", "set", "x", "y", "1", QUILL_SHELL="1")
    assert done.returncode != 0
    assert "QUILL_SHELL is set" in done.stderr


def test_its_goldens_and_the_tests_of_all_agents_hold(scratch: Scratch):
    tests = scratch.folder / "tests" / "agents"
    shutil.copytree(ROOT / "tests" / "agents", tests)
    (scratch.folder / "tests" / "__init__.py").touch()
    (tests / "quill").mkdir()
    (tests / "quill" / "before_tool.shell.json").write_text(json.dumps(GOLDEN))
    (tests / "quill" / "reader.py").write_text(READER)
    assert scratch.run("-m", "tests.agents.answers", "quill").returncode == 0
    assert '"verdict": "no"' in (tests / "quill_answers.json").read_text()
    files = ("test_answers.py", "test_every_agent.py", "shared/test_discover.py", "shared/test_support.py")
    words = ("-q", "-p", "no:cacheprovider", "-k", "quill or loads_another or comes_first")
    done = scratch.run("-m", "pytest", *words, *(str(tests / name) for name in files))
    assert done.returncode == 0, done.stdout
    assert "passed" in done.stdout
