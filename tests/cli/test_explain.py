"""Why a past event ended as it did."""

import json

from synaptic.cli.place import open_database
from tests.cli.conftest import User
from tests.cli.test_report import Agent, agent

__all__ = ["agent"]


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
    assert user.types("explain").out == shown.out


def test_an_answer_that_was_not_kept_is_not_invented(user: User):
    user.configures('journal = "structure"\n')
    user.types("bootstrap")
    user.sends()
    shown = user.types("explain")
    assert "Answer to claude: not kept" in shown.out
    assert "this is the last event" in shown.err


def test_an_event_that_is_not_there(user: User):
    user.types("up")
    shown = user.types("explain", "999999")
    assert shown.code == 1
    assert "there is no event 999999" in shown.err
    assert user.types("explain", "1", "--last").code == 2


def test_the_decision_comes_first_and_then_what_was_done(user: User):
    user.brings_hook('echo \'{"action": "block", "reason": "not on a Sunday"}\'')
    user.types("trust", "--yes")
    user.types("bootstrap")
    user.sends()
    lines = user.types("explain").out.splitlines()
    assert lines[0] == "Decision: deny by demo:guard.sh: it was stopped."
    assert [line for line in lines if line.startswith("  | ")]
    assert not any("the agent sent" in line for line in lines)
    assert any(line.endswith("had nothing to say (-v names them)") for line in lines)
    whole = user.types("explain", "-v").out
    assert "the agent sent {" in whole and "git.force-push" in whole


def test_without_a_number_it_is_the_last_that_was_stopped(user: User):
    user.brings_hook('case "$HOOK_INPUT" in *true*) exit 0;; esac; echo oops >&2; exit 1')
    user.types("trust", "--yes")
    user.types("bootstrap")
    user.sends()
    found = user.types("explain", "--json").json
    entries = [json.loads(line) for line in user.types("tail", "--json").out.splitlines()]
    failed = [entry["id"] for entry in entries if any(step.get("fault") for step in entry["decision"]["trace"])]
    assert found["id"] == (failed or [entries[-1]["id"]])[-1]
    assert isinstance(found["payload"], dict)


def test_what_a_failed_hook_has_printed_is_shown(user: User):
    user.brings_hook("printf 'Traceback:\\n  line 7\\n\\033[31mValueError\\n' >&2; exit 3")
    user.types("trust", "--yes")
    user.types("bootstrap")
    user.sends()
    shown = user.types("explain", "--failed").out
    assert "demo:guard.sh [" in shown and "failed, crash," in shown
    assert "      |   line 7" in shown
    assert "\x1b" not in shown
    user.configures('journal = "structure"\n')
    user.sends()
    assert "line 7" not in user.types("explain", "--last", "-v").out


def test_options_choose_the_event(user: User):
    user.types("bootstrap")
    user.sends()
    assert user.types("explain", "--last", "--agent", "claude").code == 0
    shown = user.types("explain", "--denied")
    assert (shown.code, shown.out) == (1, "")
    assert "synaptic tail -a" in shown.err
    assert user.types("explain", "1", "--denied").code == 2
    assert user.types("explain", "zzzz").code == 1


def test_a_code_leads_to_the_event_of_its_refusal(user: User, agent: Agent):
    agent.asks("git push --force origin main")
    agent.asks("ls")
    found = user.types("explain", "--json").json
    code = found["decision"]["code"]
    assert user.types("explain", code.upper(), "--json").json["id"] == found["id"]
    shown = user.types("explain", code).out
    assert "  | git push --force origin main" in shown
    assert f"synaptic allow {code}" in shown
    with open_database(user.home) as store:
        store.write(lambda connection: connection.execute("DELETE FROM events"))
    gone = user.types("explain", code)
    assert gone.code == 1 and f"synaptic inbox show {code}" in gone.err
