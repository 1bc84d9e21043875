"""The demo: shows everything it promises and leaves nothing behind."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from demo.scenes import EXPECTED, SKILLS, scenes, shown

from synaptic.model.decision import Decision, Kind, TraceStep
from synaptic.store.record import JournalEntry
from tests.clients.claude import processes_in
from tests.clients.client import NoClient, find_client

ROOT = Path(__file__).parents[2]


def play(folder: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "demo", *words],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(folder)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def check(printed: str, folder: Path) -> None:
    assert "NOT SHOWN" not in printed
    for text in ("-> deny by no-force", "-> rewrite by trash", "-> deny by paths.outside-project", "crash; the call"):
        assert text in printed
    assert "told to the model: Notes here carry a date." in printed
    assert "told to the model: Say what you changed before you stop." in printed
    assert " events exactly, 0 otherwise." in printed
    assert list(folder.iterdir()) == []
    assert processes_in(folder) == []


def test_recorded_payloads_through_the_real_dispatcher(tmp_path: Path) -> None:
    check(play(tmp_path, "--recorded"), tmp_path)


@pytest.mark.client
def test_the_real_client(tmp_path: Path) -> None:
    try:
        find_client()
    except NoClient as error:
        if os.environ.get("SYNAPTIC_TEST_ALL") == "1":
            pytest.fail(f"no Claude Code: {error}")
        pytest.skip(f"no Claude Code: {error}")
    printed = play(tmp_path)
    check(printed, tmp_path)
    assert "done: notes.txt" in printed


def test_a_session_in_which_something_is_missing_is_not_shown_as_whole() -> None:
    decision = Decision(kind=Kind.NONE, trace=(TraceStep(hook="a", fault="crash"),))
    entry = JournalEntry(
        id=1, call="c", at=0.0, agent="claude", event="PreToolUse", session="s", agent_id="", tool="Bash", root="",
        micros=1, size=0, payload=None, decision=decision, answer=None,
    )  # fmt: skip
    assert shown(entry) == {"crash"}
    assert set(EXPECTED) - shown(entry) == {"deny", "rewrite", "advise", "stop"}


def test_the_scenes_have_payloads_and_skills_have_names() -> None:
    for scene in scenes("/p"):
        assert (ROOT / "tests" / "agents" / "claude" / scene.payload).is_file()
    assert len({skill.name for skill in SKILLS}) == len(SKILLS)
