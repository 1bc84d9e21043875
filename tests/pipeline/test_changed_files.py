"""Which files a session's tool calls have written."""

import json
import time
from pathlib import Path

import pytest

from synaptic.pipeline import changed_files
from synaptic.pipeline.changed_files import list_changed_files
from synaptic.store.changed_files import FinishedCall

ROOT = "/p"
CASES = [
    ("Write", {"file_path": "/p/src/a.ts", "content": "x"}, ["src/a.ts"]),
    ("Edit", {"file_path": "src/a.ts", "old_string": "a", "new_string": "b"}, ["src/a.ts"]),
    ("MultiEdit", {"file_path": "/p/a.py", "edits": []}, ["a.py"]),
    ("NotebookEdit", {"notebook_path": "/p/a.ipynb", "new_source": ""}, ["a.ipynb"]),
    ("Write", {"file_path": "/elsewhere/a.ts", "content": "x"}, []),
    ("Write", {"file_path": "/p/../q/a.ts", "content": "x"}, []),
    ("Read", {"file_path": "/p/a.ts"}, []),
    ("Grep", {"pattern": "x", "path": "/p"}, []),
    ("mcp__files__write_file", {"path": "/p/m.txt", "content": "x"}, ["m.txt"]),
    ("mcp__files__read_file", {"path": "/p/m.txt"}, []),
    ("Bash", {"command": "echo x > out.txt"}, ["out.txt"]),
    ("Bash", {"command": "cd src && sed -i s/a/b/ a.ts && cat a.ts"}, ["src/a.ts"]),
    ("Bash", {"command": "cp a.txt /p/b/c.txt; tee x.log </dev/null >/dev/null"}, ["b/c.txt", "x.log"]),
    ("Bash", {"command": "mv old.ts new.ts"}, ["new.ts"]),
    ("Bash", {"command": "ls -la; cat a.txt; echo done"}, []),
    ("Bash", {"command": "echo x > /tmp/elsewhere"}, []),
    ("Bash", {"command": "ssh host 'echo x > /p/remote.txt'"}, []),
    ("Bash", {"command": "echo x > *.ts"}, []),
    ("Bash", {"command": "("}, []),
]


def make_call(number: int, tool: str, given: dict, **more: object) -> FinishedCall:
    payload = {"tool_name": tool, "tool_input": given, "cwd": ROOT, "session_id": "s", **more}
    event = str(payload.pop("event", "PostToolUse"))
    return FinishedCall(number, str(payload.pop("agent", "claude")), event, json.dumps(payload).encode())


@pytest.mark.parametrize(("tool", "given", "files"), CASES)
def test_what_a_call_writes(tool: str, given: dict, files: list[str]):
    """S2-054"""
    assert sorted(list_changed_files([make_call(1, tool, given)], ROOT, "/home/u")) == files


def test_a_patch_is_its_files():
    """S2-054"""
    patch = "*** Begin Patch\n*** Add File: a.txt\n+x\n*** Update File: b/c.txt\n@@\n-x\n+y\n*** End Patch\n"
    payload = {"tool_name": "apply_patch", "tool_input": {"command": patch}, "cwd": ROOT, "session_id": "s"}
    call = FinishedCall(1, "codex", "PostToolUse", json.dumps(payload).encode())
    assert sorted(list_changed_files([call], ROOT, "")) == ["a.txt", "b/c.txt"]


def test_a_failed_edit_has_changed_nothing_and_a_failed_command_may_have():
    calls = [
        make_call(2, "Bash", {"command": "echo x > a; false"}, event="PostToolUseFailure"),
        make_call(1, "Write", {"file_path": "/p/b", "content": ""}, event="PostToolUseFailure"),
    ]
    assert list_changed_files(calls, ROOT, "") == {"a": 2}


def test_the_last_change_counts_and_decides_the_order():
    written = [(4, "a"), (3, "b"), (2, "a"), (1, "c")]
    calls = [make_call(number, "Write", {"file_path": f"/p/{name}", "content": ""}) for number, name in written]
    assert list(list_changed_files(calls, ROOT, "").items()) == [("c", 1), ("b", 3), ("a", 4)]


def test_of_very_many_the_newest_are_kept():
    calls = [make_call(n, "Write", {"file_path": f"/p/{n}", "content": ""}) for n in range(2000, 0, -1)]
    found = list_changed_files(calls, ROOT, "")
    assert len(found) == changed_files.MOST_FILES and list(found)[-1] == "2000"


def test_one_call_cannot_name_more_than_all_may():
    line = "touch " + " ".join(f"f{n}" for n in range(2000))
    assert len(list_changed_files([make_call(1, "Bash", {"command": line})], ROOT, "")) == changed_files.MOST_FILES


def test_reading_ends_when_it_takes_too_long(monkeypatch: pytest.MonkeyPatch):
    ticks = iter(range(1000))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(ticks)))
    calls = [make_call(n, "Write", {"file_path": f"/p/{n}", "content": ""}) for n in range(100, 0, -1)]
    assert list(list_changed_files(calls, ROOT, "")) == ["98", "99", "100"]


def test_what_cannot_be_read_is_passed_over():
    broken = [
        FinishedCall(3, "claude", "PostToolUse", b"["),
        FinishedCall(2, "nobody", "PostToolUse", b"{}"),
        FinishedCall(1, "claude", "PostToolUse", b'{"tool_name": 3, "tool_input": "x"}'),
    ]
    good = make_call(4, "Write", {"file_path": "/p/a", "content": ""})
    assert list_changed_files([*broken, good], ROOT, "") == {"a": 4}


def test_a_project_behind_a_link_has_the_same_files(tmp_path: Path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    call = make_call(1, "Write", {"file_path": f"{tmp_path}/real/a.ts", "content": ""})
    assert list_changed_files([call], str(tmp_path / "link"), "") == {"a.ts": 1}
