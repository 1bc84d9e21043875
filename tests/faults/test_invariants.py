"""Every invariant is seen to fail on forged evidence, and to be quiet on what is sound."""

import dataclasses
from collections import Counter
from collections.abc import Callable

import pytest

from synaptic.engine.reports import NOT_OWN_TEXT
from tests.faults import invariants
from tests.faults.calls import SHAPES, Call
from tests.faults.evidence import Counters, Evidence, Row
from tests.faults.invariants import INVARIANTS, find_violations

DENIED = b'{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}'
UNCHECKED = b"synaptic: this call was NOT checked: no engine\n"
UNWRITTEN = b"synaptic: this event is not in the journal: the disk is full\n"
UNHEARD = b"synaptic: blocked, because it could not be checked: no answer\n"


def call(shape: str = "echo", token: str = "t3-0-1", *excuses: str) -> Call:
    made = Call(token, 3, SHAPES[shape], "s", frozenset(excuses), exit=0)
    if SHAPES[shape].must_stop:
        made.stdout = DENIED
    return made


def row(made: Call, **changes: object) -> Row:
    kind = "deny" if made.shape.must_stop else "none"
    fields = {"event": made.shape.event, "session": made.session, "kind": kind, "exit": made.exit or 0}
    fields |= {"id": 1, "stdout": made.stdout, "stderr": made.stderr, "is_exact": True, "root": "/tripped"}
    return Row(**{**fields, **changes})  # type: ignore[arg-type]


def sound() -> Evidence:
    """One call of each sort, all as it should be."""
    calls = [call(shape, f"t3-{number}-1") for number, shape in enumerate(SHAPES)]
    tokens = {made.shape.name: made.token for made in calls}
    return Evidence(
        calls=calls,
        rows={made.token: [row(made)] for made in calls},
        counters=Counters(1, True, {"s": 4}),
        sentinel=Counter([tokens["glob"]]),
        audit=Counter([tokens["echo"]]),
        tripped_root="/tripped",
        descriptors=20,
        usual_descriptors=20,
    )


def change_call(shape: str, **fields: object) -> Callable[[Evidence], None]:
    """Change what was told in one call, and only there."""

    def change(evidence: Evidence) -> None:
        found = next(made for made in evidence.calls if made.shape.name == shape)
        for name, value in fields.items():
            setattr(found, name, value)

    return change


def drop_row(evidence: Evidence) -> None:
    del evidence.rows["t3-0-1"]


def double_row(evidence: Evidence) -> None:
    evidence.rows["t3-0-1"] *= 2


def set_field(**fields: object) -> Callable[[Evidence], None]:
    def change(evidence: Evidence) -> None:
        for name, value in fields.items():
            setattr(evidence, name, value)

    return change


FORGERIES: dict[str, list[Callable[[Evidence], None]]] = {
    "journalled once": [drop_row, double_row],
    "what is journalled stays": [set_field(gone=["t1-0-1"])],
    "the journal is readable": [set_field(journal_trouble="malformed")],
    "told is journalled": [
        change_call("reset", stdout=b""),
        change_call("echo", stdout=DENIED),
        change_call("echo", exit=2),
    ],
    "forbidden is stopped": [change_call("reset", stdout=b""), change_call("guarded", stdout=b"", stderr=UNCHECKED)],
    "switched off is told": [
        change_call("guarded", stdout=b"", allowed=frozenset({"guarded", "off:registry.toml"})),
    ],
    "everything is checked": [change_call("echo", stderr=UNCHECKED), change_call("reset", exit=2, stderr=UNHEARD)],
    "everything is written": [change_call("echo", stderr=UNWRITTEN)],
    "exit codes": [change_call("echo", exit=1), change_call("echo", exit=137)],
    "in time": [change_call("echo", seconds=99.0), change_call("echo", exit=None)],
    "no traceback is told": [change_call("echo", stderr=b"Traceback (most recent call last)\nValueError")],
    "no traceback in the log": [set_field(traces=["ValueError: 3"]), set_field(traces=["OSError: [Errno 28]"])],
    "one daemon": [set_field(daemons=2)],
    "the daemon comes back": [set_field(is_answering=False)],
    "nothing is left behind": [set_field(strays=["9 sleep 30"]), set_field(leftovers=["/h/.config.toml.1"])],
    "no zombies": [set_field(zombies=["9"])],
    "counters": [set_field(counters=Counters(2, True, {"s": 4})), set_field(counters=Counters(1, True, {"s": 2}))],
    "senders are known": [lambda evidence: disown_row("t3-0-1")(evidence)],
    "state never relaxes": [set_field(counters=Counters(1, False, {"s": 4}))],
    "background hook once": [set_field(sentinel=Counter()), set_field(sentinel=Counter({"t3-4-1": 2}))],
    "audit line once": [set_field(audit=Counter()), set_field(audit=Counter({"t3-0-1": 2}))],
    "losses are told": [set_field(missing_before=["t1-0-1"], lost_file="synaptic.db")],
    "the write-ahead log is bounded": [set_field(log_bytes=1 << 30)],
    "descriptors do not grow": [set_field(descriptors=200)],
}


def test_sound_evidence_breaks_nothing() -> None:
    assert find_violations(sound()) == []


@pytest.mark.parametrize("name", FORGERIES)
def test_each_invariant_sees_its_own_forgery(name: str) -> None:
    for forge in FORGERIES[name]:
        evidence = sound()
        forge(evidence)
        assert name in {one.invariant for one in find_violations(evidence)}, forge


def test_every_invariant_has_a_forgery() -> None:
    assert len(FORGERIES) == len(INVARIANTS)


def test_a_call_that_was_ended_from_outside_owes_nothing() -> None:
    evidence = sound()
    change_call("echo", is_cut=True, exit=-9, stdout=b"")(evidence)
    drop_row(evidence)
    assert find_violations(evidence) == []


def disown_row(token: str) -> Callable[[Evidence], None]:
    def change(evidence: Evidence) -> None:
        warning = f"synaptic: {NOT_OWN_TEXT}\n".encode()
        evidence.rows[token] = [dataclasses.replace(row, stderr=warning) for row in evidence.rows[token]]

    return change


@pytest.mark.parametrize("is_disowned", [False, True])
def test_an_event_whose_dispatcher_was_ended_counts_unless_the_journal_says_that_it_does_not(is_disowned: bool) -> None:
    for failures in (0, 1, 2):
        evidence = sound()
        change_call("failure", is_cut=True, exit=-9)(evidence)
        if is_disowned:
            disown_row(next(call.token for call in evidence.calls if call.shape.name == "failure"))(evidence)
        evidence.counters = Counters(failures, True, {"s": 4})
        assert (find_violations(evidence) == []) is (failures == (0 if is_disowned else 1))


def test_an_event_that_changes_nothing_has_no_audit_line() -> None:
    evidence = sound()
    change_call("echo", is_cut=True, exit=-9)(evidence)
    evidence.audit = Counter()
    assert find_violations(evidence)
    disown_row("t3-0-1")(evidence)
    assert find_violations(evidence) == []


def test_an_answer_that_says_it_is_not_written_owes_no_row_where_a_disk_fails() -> None:
    evidence = sound()
    change_call("echo", stderr=UNWRITTEN, allowed=frozenset({"unwritten"}))(evidence)
    drop_row(evidence)
    assert find_violations(evidence) == []


def test_an_engine_that_cannot_start_excuses_an_open_pass_and_never_a_silent_one() -> None:
    evidence = sound()
    change_call("reset", stdout=b"", stderr=UNCHECKED, allowed=frozenset({"unchecked"}))(evidence)
    del evidence.rows["t3-1-1"]
    evidence.counters = Counters(1, True, {"s": 3})
    assert find_violations(evidence) == []
    change_call("reset", stderr=b"")(evidence)
    assert "forbidden is stopped" in {one.invariant for one in find_violations(evidence)}


def test_a_question_stops_as_a_refusal_does() -> None:
    asked = call("reset")
    asked.stdout = DENIED.replace(b"deny", b"ask")
    assert asked.is_stopped


def test_a_missing_effect_is_excused_where_the_hook_was_hit_and_a_doubled_one_never() -> None:
    evidence = sound()
    change_call("glob", allowed=frozenset({"hooks"}))(evidence)
    evidence.sentinel = Counter()
    assert find_violations(evidence) == []
    evidence.sentinel = Counter({"t3-4-1": 2})
    assert [one.invariant for one in find_violations(evidence)] == ["background hook once"]


def test_a_violation_names_the_step_of_its_call() -> None:
    assert {one.step for one in invariants.answered_is_journalled_once(forged(drop_row))} == {3}


def forged(forge: Callable[[Evidence], None]) -> Evidence:
    evidence = sound()
    forge(evidence)
    return evidence


def test_what_a_crowded_machine_had_no_time_for_is_refused_or_said_and_never_passes_silently() -> None:
    evidence = sound()
    change_call("grep", stderr=UNHEARD, exit=2, was_crowded=True)(evidence)
    change_call("failure", stderr=UNCHECKED, was_crowded=True)(evidence)
    assert not list(invariants.nothing_is_unchecked(evidence))
    assert [call.shape.name for call in invariants.list_crowded_out(evidence)] == ["failure", "grep"]
    change_call("reset", stdout=b"", stderr=UNCHECKED, was_crowded=True)(evidence)
    assert [one.invariant for one in invariants.forbidden_is_stopped(evidence)] == ["forbidden is stopped"]


def test_an_engine_that_is_not_heard_lets_pass_what_has_happened_and_nothing_else() -> None:
    evidence = sound()
    change_call("failure", stderr=UNCHECKED, allowed=frozenset({"unheard"}))(evidence)
    assert not list(invariants.nothing_is_unchecked(evidence))
    change_call("grep", stderr=UNCHECKED, exit=0, allowed=frozenset({"unheard"}))(evidence)
    assert [one.invariant for one in invariants.nothing_is_unchecked(evidence)] == ["everything is checked"]
