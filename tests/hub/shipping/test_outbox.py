"""What leaves of an event: no texts by default, no secrets ever, and nothing that somebody could choke on."""

import time

import msgspec
import pytest
from bench.secret_samples import iter_samples

from synaptic.hub.shipping.outbox import MOST_NAME, MOST_TEXT, make_event, make_sequence, split_sequence
from synaptic.hub.wire import ShippedEvent
from synaptic.model.decision import Decision, Kind, TraceStep
from synaptic.store.outbox import OutboxRow
from synaptic.store.record import JournalEntry
from synaptic.store.redact import redact_text

HOME = "/home/ada"
TEXT_FIELDS = {"subject", "reason"}
SECRETS = [one for one in iter_samples() if one.secret not in redact_text(one.text)]
"""Those that redaction knows; what it misses is counted elsewhere."""


def make(contents="structure", exit=2, **changes) -> ShippedEvent:
    values = {
        "id": 7, "call": "call-7", "at": 1_700_000_000.0, "agent": "claude", "event": "PreToolUse", "session": "s1",
        "agent_id": "", "tool": "Bash", "root": f"{HOME}/work/app", "micros": 210, "size": 99,
        "payload": '{"tool_use_id":"toolu_1","tool_input":{"command":"cat /etc/shadow"},"prompt":"my own words"}',
        "decision": Decision(
            kind=Kind.DENY, by="git.force-push", reason="because of /etc/shadow", code="k7qmd", grants=("g1",),
            trace=(
                TraceStep(hook="policies", phase="quiet", note="a.one b.two c.three"),
                TraceStep(hook="git.force-push", kind=Kind.DENY, reason="words", note="words", micros=7),
                TraceStep(hook="mine", fault="crash", micros=9, stderr="Traceback: words"),
                TraceStep(hook="late", phase="skipped"),
            ),
        ),
        "answer": None,
    }  # fmt: skip
    return make_event(OutboxRow(JournalEntry(**{**values, **changes}), exit), 3, HOME, contents)


def encode(event: ShippedEvent) -> str:
    return msgspec.json.encode(event).decode()


def test_structure_has_names_sizes_and_times():
    event = make()
    assert event.seq == make_sequence(3, 7) and split_sequence(event.seq) == (3, 7)
    assert (event.project, event.tool, event.kind, event.by) == ("~/work/app", "Bash", "deny", "git.force-push")
    assert (event.tool_use, event.code, event.grants, event.exit, event.quiet) == ("toolu_1", "k7qmd", ("g1",), 2, 3)
    assert [(run.hook, run.kind, run.micros, run.fault) for run in event.runs] == [
        ("git.force-push", "deny", 7, ""),
        ("mine", "none", 9, "crash"),
    ]


def test_structure_has_no_words_of_anybody():
    text = encode(make(tool="cannot read /etc/shadow"))
    for word in ("shadow", "words", HOME, "Traceback", "because"):
        assert word not in text


def test_contents_are_the_subject_and_the_reason():
    event = make("full")
    assert (event.subject, event.reason) == ("cat /etc/shadow", "because of /etc/shadow")
    assert "my own words" not in encode(event)
    payload = msgspec.json.encode({"tool_input": {"command": f"cat {HOME}/x " + "y" * 9000}}).decode()
    long = make("full", payload=payload).subject
    assert long.startswith("cat ~/x y") and len(long) == MOST_TEXT


@pytest.mark.parametrize("contents", ["structure", "full"])
@pytest.mark.parametrize("sample", SECRETS, ids=lambda one: one.name)
def test_a_seeded_secret_never_leaves(sample, contents):
    payload = msgspec.json.encode({"tool_use_id": sample.text, "tool_input": {"command": sample.text}}).decode()
    decision = Decision(kind=Kind.DENY, by=sample.text, reason=sample.text, code=sample.text, grants=(sample.text,))
    named = dict.fromkeys(("agent", "event", "session", "agent_id", "tool", "root", "call"), sample.text)
    assert sample.secret not in encode(make(contents, payload=payload, decision=decision, **named))


def test_no_secret_is_cut_in_two_before_it_is_seen():
    token = "ghp_" + "a7B" * 12
    for before in (*range(15_950, 16_010), *range(1960, 2005)):
        for text in (f"{'x' * before} {token} y", f"{'x ' * (before // 2)}{token}"):
            payload = msgspec.json.encode({"tool_input": {"command": text}}).decode()
            event = make("full", payload=payload, session=text)
            assert "a7Ba7B" not in encode(event)


HOSTILE = (
    "a\0b",
    "\ud800 half",
    "\x1b[2J\x1b]0;title\x07",
    "s" * (1 << 20),
    "\u202e\u200b" * 100_000,
    "\n".join("line" for _ in range(5000)),
    '{"a":' * 10_000,
)


@pytest.mark.parametrize("text", HOSTILE, ids=["nul", "surrogate", "escapes", "long", "unseen", "lines", "deep"])
@pytest.mark.parametrize("contents", ["structure", "full"])
def test_hostile_texts_become_short_and_plain(text, contents):
    steps = tuple(TraceStep(hook=text, note=text, fault=text) for _ in range(300))
    decision = Decision(by=text, reason=text, code=text, grants=(text,) * 100, trace=steps)
    named = dict.fromkeys(("agent", "event", "session", "agent_id", "tool", "root", "call"), text)
    started = time.monotonic()
    event = make(contents, payload=text, decision=decision, **named)
    assert time.monotonic() - started < 10
    plain = encode(event)
    assert "\\u0000" not in plain and "\\u001b" not in plain and "\u202e" not in plain
    assert len(event.session) <= MOST_NAME and len(event.subject) <= MOST_TEXT
    assert len(plain) < 64_000
    assert msgspec.json.decode(plain, type=ShippedEvent) == event


@pytest.mark.parametrize("number", [float("inf"), float("nan"), -5, 1 << 62])
def test_numbers_that_nobody_could_store_are_bounded(number):
    event = make(at=number, micros=number, size=number, exit=1 << 62)
    assert 0 <= event.at < 4e9
    assert 0 <= event.micros < 1 << 31 and 0 <= event.size < 1 << 31 and abs(event.exit) < 1 << 31


@pytest.mark.parametrize("payload", [None, "", "[]", '{"tool_use_id":5}', '{"tool_use_id":', "x" * 100])
def test_a_call_without_a_number_has_none(payload):
    assert make(payload=payload).tool_use == ""
