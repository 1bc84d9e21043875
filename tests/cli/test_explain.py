"""What the journal tells about past events: explain and tail."""

import json
import subprocess
import sys

from tests.cli.conftest import User


def test_explain_tells_the_whole_walk(user: User):
    user.brings_hook('echo \'{"action": "block", "reason": "not on a Sunday"}\'')
    user.types("trust", "--yes")
    user.types("bootstrap")
    sent = user.sends()
    assert "not on a Sunday" in sent.stdout
    shown = user.types("explain", "--last")
    for words in ("PreToolUse about Bash", "demo:guard.sh", "denied", "not on a Sunday", "Answer to claude"):
        assert words in shown.out
    by_number = user.types("explain", "1", "--json").json
    assert by_number["decision"]["kind"] == "deny"
    assert user.types("explain", by_number["call"]).out == shown.out


def test_an_answer_that_was_not_kept_is_not_invented(user: User):
    user.configures('journal = "structure"\n')
    user.types("bootstrap")
    user.sends()
    assert "Answer to claude: not kept" in user.types("explain").out


def test_an_event_that_is_not_there(user: User):
    user.types("up")
    shown = user.types("explain", "999999")
    assert shown.code == 1
    assert "there is no event 999999" in shown.err
    assert user.types("explain", "1", "--last").code == 2


def test_tail_shows_one_line_an_event_oldest_first(user: User):
    user.types("bootstrap")
    for _ in range(3):
        user.sends()
    lines = user.types("tail", "-n", "2").out.splitlines()
    assert len(lines) == 2
    assert all(line.split()[1:] == ["claude", "PreToolUse", "Bash", "->", "none"] for line in lines)
    objects = [json.loads(line) for line in user.types("tail", "--json").out.splitlines()]
    assert [entry["id"] for entry in objects] == [1, 2, 3]


def test_tail_follows(user: User):
    user.types("bootstrap")
    user.sends()
    command = [sys.executable, "-m", "synaptic.cli.main", "tail", "-f", "-n", "1", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        assert json.loads(process.stdout.readline())["id"] == 1
        user.sends()
        assert json.loads(process.stdout.readline())["id"] == 2
    finally:
        process.terminate()
        process.communicate(timeout=30)
