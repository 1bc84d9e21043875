"""Any event through everything, with nothing written."""

import json

from synaptic.store import journal
from synaptic.store.db import Store
from tests.cli.conftest import User

DENY = 'echo \'{"action": "block", "reason": "no"}\''


def test_a_rehearsal_runs_hooks_and_writes_nothing(user: User):
    user.brings_hook(DENY)
    user.types("trust", "--yes")
    shown = user.types("try", "PreToolUse", "--tool", "Bash", "--input", '{"command": "ls"}')
    assert shown.code == 0, shown.err
    assert shown.out.startswith("Rehearsal, nothing is written: PreToolUse about Bash")
    assert "demo:guard.sh" in shown.out and "denied" in shown.out
    store = Store.open(user.home)
    assert journal.count_events(store) == 0
    store.close()


def test_an_untrusted_hook_is_shown_as_skipped(user: User):
    user.brings_hook(DENY)
    assert "was skipped" in user.types("try", "PreToolUse", "--tool", "Bash").out


def test_the_answer_of_a_background_hook_is_shown(user: User):
    user.brings_hook("exit 7", blocking=False)
    user.types("trust", "--yes")
    trace = user.types("try", "PreToolUse", "--tool", "Bash", "--json").json["decision"]["trace"]
    assert [step["phase"] for step in trace if step["phase"] != "quiet"] == ["started", "background"]


def test_a_whole_payload_from_a_file_or_stdin(user: User):
    payload = {"session_id": "s", "cwd": str(user.project), "tool_name": "Read", "tool_input": {"file_path": "a"}}
    file = user.writes("event.json", json.dumps(payload))
    assert "PreToolUse about Read" in user.types("try", "PreToolUse", "--payload", str(file)).out
    piped = user.runs("try", "PreToolUse", "--payload", "-", "--json", stdin=json.dumps(payload))
    assert piped.json["event"] == "PreToolUse"
    assert piped.json["answer"]["exit"] == 0


def test_a_payload_that_is_no_event(user: User):
    file = user.writes("event.json", "[]")
    shown = user.types("try", "PreToolUse", "--payload", str(file))
    assert shown.code == 1
    assert "expected a JSON object" in shown.err
    assert user.types("try", "PreToolUse", "--payload", "missing.json").code == 1


def test_an_ability_event_of_our_own(user: User):
    shown = user.types("try", "SessionStop", "--agent", "synaptic")
    assert shown.code == 0, shown.err
    assert "SessionStop" in shown.out


def test_an_event_nobody_knows_passes_through(user: User):
    assert user.types("try", "FutureEvent").code == 0


def test_a_misspelt_event_is_an_error_and_one_that_resembles_none_is_tried(user: User):
    missed = user.types("try", "PreTolUse")
    assert missed.code == 1
    assert "did you mean `PreToolUse`?" in missed.err
    assert user.types("try", "Zzzzzzzzz").code == 0
    assert user.types("try", "BeforeTool", "--agent", "gemini", "--tool", "read_file").code == 0
