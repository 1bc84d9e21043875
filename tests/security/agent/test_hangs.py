"""Files and paths that make whoever looks at them wait: pipes, devices, endless files, paths that never end."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.daemon.setting import Setting

PATIENCE = 6.0
"""Seconds; the loop was blocked for ever, or for minutes."""
LONG = "a/" * 100_000
COMMAND = "cd d && git push --force; rm -rf ~"


def _pipe(path: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(folder / path)

    return make


def _link(path: str, target: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).symlink_to(target)

    return make


def _repository(path: str, make: Callable[[Path], None]) -> Callable[[Path], None]:
    """A working tree in `d`, in which one of git's own files is something else."""

    def build(folder: Path) -> None:
        git = folder / "d" / ".git"
        (git / "refs" / "heads").mkdir(parents=True)
        (git / "objects").mkdir()
        (git / "HEAD").write_text("ref: refs/heads/main\n")
        (folder / "d" / ".git" / path).unlink(missing_ok=True)
        make(folder)

    return build


def _many_worktrees(folder: Path) -> None:
    names = folder / "d" / ".git" / "worktrees"
    names.mkdir(parents=True)
    (folder / "d" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    for number in range(1_500):
        (names / str(number)).mkdir()


PLACES: dict[str, Callable[[Path], None]] = {
    "a pipe as .git": _pipe("d/.git"),
    "a device as .git": _link("d/.git", "/dev/zero"),
    "a terminal as .git": _link("d/.git", "/dev/tty"),
    "a loop of links as .git": _link("d/.git", ".git"),
    "a file of the kernel as .git": _link("d/.git", "/proc/self/mem"),
    "a pipe as HEAD": _repository("HEAD", _pipe("d/.git/HEAD")),
    "a device as HEAD": _repository("HEAD", _link("d/.git/HEAD", "/dev/zero")),
    "a pipe as a branch": _repository("x", _pipe("d/.git/refs/heads/main")),
    "a pipe as packed-refs": _repository("x", _pipe("d/.git/packed-refs")),
    "a device as packed-refs": _repository("x", _link("d/.git/packed-refs", "/dev/zero")),
    "a pipe as commondir": _repository("x", _pipe("d/.git/commondir")),
    "a pipe as a worktree's gitdir": _repository("x", _pipe("d/.git/worktrees/w/gitdir")),
    "a pipe as configuration": _repository("x", _pipe("d/.git/config")),
    "a pipe as index": _repository("x", _pipe("d/.git/index")),
    "thousands of worktrees": _many_worktrees,
    "a pipe as the project's .git": _pipe(".git"),
    "a pipe as the audit log": _pipe(".claude/.audit-log"),
    "a pipe as the test status": _pipe(".claude/.test-status"),
    "a pipe as the plan": _pipe("MASTER_PLAN.md"),
    "a pipe as the list of servers": _pipe(".mcp.json"),
    "a device as the list of servers": _link(".mcp.json", "/dev/zero"),
    "a pipe as the state file": _pipe(".claude/state.json"),
    "a pipe as the state's lock": _pipe(".claude/state.json.lock"),
    "a pipe as a skill": _pipe(".claude/skills/a/SKILL.md"),
    "a pipe as package.json": _pipe("package.json"),
}


def _answer(setting: Setting, event: str = "PreToolUse", **fields: object) -> str:
    # By the clock only as a limit for what never ends: other tests share this machine.
    started, worked = time.monotonic(), time.process_time()
    answer = setting.answer(setting.elsewhere(event, **fields))
    assert time.process_time() - worked < PATIENCE
    assert time.monotonic() - started < 5 * PATIENCE
    said = json.loads(answer.stdout).get("hookSpecificOutput", {}) if answer.stdout else {}
    return str(said.get("permissionDecision", "none"))


@pytest.mark.parametrize("name", PLACES)
def test_a_file_that_never_ends_hangs_nobody(setting: Setting, name: str) -> None:
    setting.config('presets = ["strict"]\n')
    PLACES[name](setting.project)
    assert _answer(setting, tool_input={"command": COMMAND}) == "deny"
    written = {"file_path": str(setting.project / "d" / "a.py"), "content": "x = 1\n"}
    _answer(setting, tool_name="Write", tool_input=written)
    _answer(setting, "PostToolUse", tool_name="Write", tool_input=written, tool_response={})


@pytest.mark.parametrize("path", ["pipe", "/dev/zero", "/dev/tty", "/proc/self/mem", "/proc/kmsg", "loop", "."])
def test_a_path_of_a_payload_is_never_waited_for(setting: Setting, path: str) -> None:
    setting.config('presets = ["strict"]\n')
    os.mkfifo(setting.project / "pipe")
    (setting.project / "loop").symlink_to("loop")
    named = str(setting.project / path)
    _answer(setting, tool_name="Write", tool_input={"file_path": named, "content": "x"})
    _answer(setting, tool_name="Edit", tool_input={"file_path": named, "old_string": "a", "new_string": "b"})
    _answer(setting, "PostToolUse", tool_name="Read", tool_input={"file_path": named}, tool_response={})
    _answer(setting, "Stop", transcript_path=named)
    assert _answer(setting, transcript_path=named, cwd=named, tool_input={"command": "rm -rf ~"}) == "deny"


PATHS = {
    "parts": f"/{LONG}",
    "relative parts": LONG,
    "one name": "/" + "a" * 200_000,
    "parents": "/" + "../" * 66_000,
    "slashes": "/" * 200_000,
    "home": f"~/{LONG}",
    "stars": "/" + "*/" * 100_000,
    "brackets": "[a-" * 66_000,
    "braces": "{a," * 50_000,
    "backslashes": "\\" * 199_999 + "a",
}


@pytest.mark.parametrize("name", PATHS)
def test_a_path_of_200_kb_is_judged_at_once(setting: Setting, name: str) -> None:
    setting.config('presets = ["strict"]\n')
    path = PATHS[name]
    _answer(setting, tool_name="Write", tool_input={"file_path": path, "content": "x"})
    _answer(setting, cwd=path)
    _answer(setting, transcript_path=path)
    assert _answer(setting, tool_input={"command": f"rm -rf ~; cat {path} > {path}"}) in ("ask", "deny")
    _answer(setting, tool_input={"command": f"cd {path} && git push --force"})
