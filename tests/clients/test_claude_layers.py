"""Sessions, efforts and the supervisor, with the real client."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from synaptic.store.db import Store
from tests.clients.claude import REPORT, Session, _offline
from tests.clients.model_server import ModelServer
from tests.clients.outcome import Outcome
from tests.clients.script import DONE, Rule, Text, Tokens, Turn, Use, bash, conversation

OURS = Path(sys.executable).with_name("synaptic")
WINDOW = 1_000_000
"""Of the model that the client asks for by default."""
SUMMARY = Rule(((Text("a summary"),),), last="(?i)summary of the conversation|summarize")


@pytest.fixture
def fleet(armed: Session) -> Session:
    """A user with the layers on and an effort begun."""
    armed.synaptic("config", "set", "presets", '["essentials", "fleet"]')
    armed.synaptic("effort", "start", "cart", "--skill", "implement")
    return armed


def rows(session: Session, sql: str) -> list[tuple[Any, ...]]:
    store = Store.open(session.synaptic_home)
    try:
        return store.read(lambda connection: connection.execute(sql).fetchall())
    finally:
        store.close()


def echoes(count: int) -> tuple[Turn, ...]:
    return tuple(bash(f"echo step {number}") for number in range(count))


def log(text: str = "## Done with the first steps") -> Turn:
    return bash(f"{OURS} effort log <<'EOF'\n{text}\nEOF")


def test_a_session_starts_with_the_context_of_its_effort(fleet: Session):
    """S3-101, S3-102, S3-122"""
    fleet.synaptic("effort", "phase", "1: Build")
    outcome = fleet.run(conversation())
    assert "Skill: implement" in outcome.heard
    assert "Phase: 1: Build" in outcome.heard
    assert "Heartbeat: 0/10" in outcome.heard
    sessions = rows(fleet, "SELECT effort_id, ended_at IS NOT NULL FROM sessions ORDER BY id")
    assert sessions[-1] == (1, 1), "the window has ended, the effort has not"
    assert rows(fleet, "SELECT lifecycle FROM efforts") == [("active",)]
    assert rows(fleet, "SELECT status FROM agents WHERE kind = 'claude'") == [("done",)]


def test_the_tenth_call_without_a_log_is_stopped_and_a_log_frees_it(fleet: Session):
    """S3-110, S3-113, S3-140, S3-141"""
    outcome = fleet.run(conversation(*echoes(11), log(), *echoes(2)))
    ended = [result.is_error for result in outcome.results]
    assert ended == [False] * 9 + [True, True] + [False] * 3
    assert "heartbeat-block: 10/10" in outcome.results[9].text
    assert "synaptic effort log" in outcome.results[9].text
    written = next((fleet.project / ".tasks" / "cart").glob("1_IMPLEMENT_LOG.md"))
    assert "Done with the first steps" in written.read_text()
    assert rows(fleet, "SELECT heartbeat_counter FROM sessions ORDER BY id DESC LIMIT 1") == [(2,)]


def test_a_context_that_is_nearly_full_brings_the_order_to_hand_over(fleet: Session):
    """S3-146, S3-190"""
    used = Tokens(int(WINDOW * 0.92))
    outcome = fleet.run(SUMMARY, conversation((*bash("echo one"), used), (*bash("echo two"), used)))
    assert "synaptic effort dehydrate" in outcome.heard
    assert not any(result.is_error for result in outcome.results), "it warns and lets the call through"
    ((usage,),) = rows(fleet, "SELECT context_usage FROM sessions ORDER BY id DESC LIMIT 1")
    assert 0.90 <= usage <= 0.95


def test_a_manual_compaction_is_left_alone(fleet: Session):
    """S3-109"""
    outcome = fleet.run(SUMMARY, conversation(), prompts=("go", "/compact short"))
    events = [entry.event for entry in fleet.journal()]
    assert "PostCompact" in events
    assert not any(entry.decision.kind == "deny" for entry in fleet.journal("PreCompact"))
    assert outcome.exit == 0
    assert rows(fleet, "SELECT restart_at FROM agents WHERE restart_at IS NOT NULL") == []


def test_a_sub_agents_calls_do_not_move_the_parents_heartbeat(fleet: Session):
    """S3-011, S3-128, S3-130, S3-145, S3-D04"""
    helper = Use("Agent", {"description": "look", "prompt": "LOOK AROUND", "subagent_type": "general-purpose"})
    outcome = fleet.run(
        Rule((*echoes(6), (Text("looked"),)), first="LOOK AROUND"),
        Rule((bash("echo main"), (helper,), bash("echo again"), DONE)),
    )
    main, sub = rows(
        fleet, "SELECT subagent != '', heartbeat_counter, effort_id FROM sessions ORDER BY id DESC LIMIT 2"
    )[::-1]
    assert main == (0, 2, 1), "two calls of its own; starting a helper is not counted"
    assert sub == (1, 6, 1)
    told = [text for request in outcome.requests if "LOOK AROUND" in (text := json.dumps(request["messages"][:2]))]
    assert told
    assert all("1_IMPLEMENT_LOG.md" in text for text in told), "the sub-agent is told where its effort is logged"


def supervised(session: Session, *rules: Rule, prompt: str = "go") -> Outcome:
    """`synaptic run -- claude -p ...`, as a user types it."""
    command = [str(OURS), "run", "--agent", "A", "--", str(session.client), "-p", *REPORT[:2], "--verbose", prompt]
    with ModelServer(rules) as model:
        done = subprocess.run(
            command,
            cwd=session.project,
            env={**session._base(), **_offline(model.url, session.temporary)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
        )
    return Outcome(done.returncode, done.stdout, done.stderr, tuple(model.requests))


PAYLOAD = {"summary": "half of the cart is built", "lastAction": "wrote cart.py", "nextSteps": ["write the tests"]}


def test_an_auto_compaction_under_a_supervisor_ends_in_a_new_window_that_knows_the_payload(fleet: Session):
    """S3-010, S3-109, S3-190, S3-191, S3-240, S3-245, S3-D01"""
    dehydrate = bash(f"{OURS} effort dehydrate <<'EOF'\n{json.dumps(PAYLOAD)}\nEOF")
    first = Rule((dehydrate, (*bash("echo full"), Tokens(int(WINDOW * 0.975))), DONE), first="^(?!.*half of the cart)")
    outcome = supervised(fleet, SUMMARY, Rule((DONE,), first="half of the cart"), first)
    assert outcome.exit == 0, outcome.stderr
    starts = fleet.journal("SessionStart")
    assert [entry.decision.kind for entry in fleet.journal("PreCompact")] == ["deny"]
    assert len({entry.session for entry in starts}) == 2
    assert "half of the cart is built" in starts[-1].answer.stdout.decode()
    last = json.dumps(outcome.requests[-1])
    assert "half of the cart is built" in last
    assert "write the tests" in last
    sessions = rows(fleet, "SELECT dehydration_payload IS NOT NULL, prev_session_id FROM sessions ORDER BY id")
    assert [payload for payload, _ in sessions].count(1) == 1
    assert sessions[-1][1] is not None
