"""The journal: everything about an event, once, in one transaction."""

import os
import time
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from synaptic.model.call import Answer
from synaptic.model.decision import Decision, Kind, TraceStep
from synaptic.model.effect import AppendLine, Deliver
from synaptic.model.home import Home
from synaptic.model.result import HookResult
from synaptic.store import deliveries, entries, journal
from synaptic.store.db import Store
from synaptic.store.record import EventRecord

SECRET = "ghp_" + "A1b2C3d4E5" * 4


def raw(home) -> bytes:
    return b"".join(file.read_bytes() for file in home.root.glob("synaptic.db*"))


def test_an_entry_has_all_that_explain_tells(store, record):
    """S2-039"""
    decision = Decision(
        kind=Kind.REWRITE,
        by="git.force-push",
        reason="with lease",
        input={"command": "git push --force-with-lease", "n": [1, None]},
        context=("note",),
        extras={"suppressOutput": True},
        result=HookResult(messages_to_user=("hi",)),
        effects=(AppendLine("/p/log", "line"), Deliver("later")),
        trace=(TraceStep(hook="h", kind=Kind.DENY, phase="recheck", fault="timeout", micros=12, source="a.toml"),),
    )
    written = record(decision=decision, payload='{"a":"ü"}', agent_id="sub")
    journal.append_records(store, [written])
    entry = journal.find_entry(store, written.call)
    for name in ("call", "at", "agent", "event", "session", "agent_id", "tool", "root", "micros", "answer", "decision"):
        assert getattr(entry, name) == getattr(written, name), name
    assert entry.payload == '{"a":"ü"}'
    assert entry.size == 10
    assert journal.find_entry(store, entry.id) == entry


def test_the_first_record_of_a_call_wins(store, record):
    first = record(at=time.time(), answer=Answer(b"first"), decision=Decision(effects=(Deliver("once"),)))
    again = msgspec.structs.replace(first, answer=Answer(b"second"))
    assert journal.append_records(store, [first, again]) == 1
    assert journal.append_records(store, [again, record()]) == 1
    assert journal.find_answer(store, first.call) == Answer(b"first")
    assert journal.count_events(store) == 2
    assert [delivery.text for delivery in deliveries.find_pending(store, "s1")] == ["once"]


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    batches=st.lists(st.lists(st.integers(0, 9), max_size=5), max_size=6), keep=st.sampled_from(["full", "structure"])
)
def test_whatever_is_repeated_nothing_is_counted_twice(tmp_path_factory, batches, keep):
    store = Store.open(Home(tmp_path_factory.mktemp("law") / "home"))
    seen: dict[str, int] = {}
    for position, batch in enumerate(batches):
        records = [
            EventRecord(call=f"c{number}", at=0, agent="a", event="e", answer=Answer(b"%d" % position))
            for number in batch
        ]
        fresh = {record.call for record in records} - seen.keys()
        assert journal.append_records(store, records, keep) == len(fresh)
        seen.update(dict.fromkeys(fresh, position))
    assert journal.count_events(store) == len(seen)
    assert all(journal.find_answer(store, call) == Answer(b"%d" % position) for call, position in seen.items())
    store.close()


def test_an_unknown_call_has_no_answer(store):
    assert journal.find_answer(store, "never") is None
    assert journal.find_entry(store, "never") is None
    assert journal.find_entry(store, 7) is None


def test_last_is_newest_first_and_filters(store, record):
    journal.append_records(store, [record(tool=tool) for tool in ("Bash", "Read", "Bash", "Write")])
    assert [entry.tool for entry in journal.read_last_entries(store, 3)] == ["Write", "Bash", "Read"]
    assert [entry.id for entry in journal.read_last_entries(store, 9, tool="Bash", session="s1")] == [3, 1]
    assert journal.read_last_entries(store, 1, kind="allow") == ()
    with pytest.raises(TypeError, match="no such filter: color"):
        journal.read_last_entries(store, color="red")


def test_after_follows_in_order_whatever_the_clock_says(store, record):
    journal.append_records(store, [record(at=at) for at in (1e9, -5.0, 4e9)])
    assert [entry.at for entry in journal.read_entries_after(store, 0)] == [1e9, -5.0, 4e9]
    assert [entry.id for entry in journal.read_entries_after(store, 1, limit=1)] == [2]


def test_no_secret_reaches_the_disk(store, home, record):
    decision = Decision(
        reason=f"found {SECRET}",
        input={"command": f"curl -H 'Authorization: Bearer {SECRET}'"},
        effects=(Deliver(f"see {SECRET}"),),
        trace=(TraceStep(hook="h", note=SECRET),),
    )
    told = Answer(f'{{"updatedInput":"{SECRET}"}}'.encode(), SECRET.encode())
    for keep in ("full", "structure", "off"):
        written = record(payload=f'{{"token":"{SECRET}"}}', decision=decision, answer=told)
        journal.append_records(store, [written], keep)
        assert journal.find_answer(store, written.call) == told
    store.checkpoint()
    assert SECRET.encode() not in raw(home)
    assert "[redacted:" in journal.find_entry(store, 1).payload


def test_a_call_that_comes_again_takes_no_number(store, record):
    """A gap would look as if an event had been taken out."""
    first = record()
    for written in ([first], [first, first], [record()], [first], [record()]):
        journal.append_records(store, written)
    assert [entry.id for entry in reversed(entries.read_last_entries(store, 9))] == [1, 2, 3]


def test_an_answer_with_a_secret_is_decided_again_after_a_restart(home, record):
    store = Store.open(home)
    written = record(answer=Answer(SECRET.encode()))
    journal.append_records(store, [written])
    store.close()
    later = Store.open(home)
    assert journal.find_answer(later, written.call) is None
    assert journal.append_records(later, [written]) == 0
    assert journal.find_answer(later, written.call) == written.answer
    later.close()


def test_secret_answers_in_memory_are_few(store, record):
    for number in range(journal.MAX_SECRET_ANSWERS + 20):
        journal.append_records(store, [record(answer=Answer(f"{SECRET}{number}".encode()))])
    assert len(store.cache(journal.SecretAnswers)) == journal.MAX_SECRET_ANSWERS


def test_structure_keeps_no_contents(store, home, record):
    decision = Decision(
        kind=Kind.DENY,
        by="paths.outside-project",
        reason="not /private-folder",
        input={"command": "private-command"},
        context=("private-context",),
        warnings=("private-warning",),
        extras={"x": "private-extra"},
        trace=(
            TraceStep(hook="h", kind=Kind.DENY, reason="private-reason", note="private-note", micros=5, fault="crash"),
        ),
    )
    written = record(payload='{"command":"private-payload"}', decision=decision, answer=Answer(b"ok", b"", 2))
    assert journal.append_records(store, [written], "structure") == 1
    entry = journal.find_entry(store, written.call)
    assert (entry.payload, entry.size, entry.answer, entry.tool) == (None, 29, None, "Bash")
    assert (entry.decision.kind, entry.decision.by) == (Kind.DENY, "paths.outside-project")
    assert entry.decision.context == ("[15 characters]",)
    assert (entry.decision.trace[0].micros, entry.decision.trace[0].fault) == (5, "crash")
    assert journal.find_answer(store, written.call) == written.answer
    assert b"private" not in raw(home)


def test_off_keeps_only_what_a_repeated_request_needs(store, record):
    written = record(at=time.time(), decision=Decision(effects=(Deliver("later"),)))
    assert journal.append_records(store, [written], "off") == 1
    assert journal.append_records(store, [written], "off") == 0
    assert journal.count_events(store) == 0
    assert journal.find_answer(store, written.call) == written.answer
    assert len(deliveries.find_pending(store, "s1")) == 1


def test_a_huge_payload_is_measured_and_left_out(store, record):
    written = record(payload="x" * (journal.PAYLOAD_LIMIT + 1))
    journal.append_records(store, [written])
    entry = journal.find_entry(store, written.call)
    assert (entry.payload, entry.size) == (None, journal.PAYLOAD_LIMIT + 1)


@pytest.mark.parametrize("payload", [b"", b"\xff\xfe\0garbage", b"{", "\udcff", None, b"a\0b\0c\0d"])
def test_any_bytes_can_be_a_payload(store, record, payload):
    written = record(payload=payload)
    assert journal.append_records(store, [written]) == 1
    assert journal.find_entry(store, written.call).call == written.call


def test_text_that_utf8_cannot_hold_is_replaced(store, record):
    broken = os.fsdecode(b"/caf\xe9")
    decision = Decision(reason=broken, by="ü", input={"path": [broken]}, extras={broken: object()})
    written = record(root=broken, tool=broken, decision=decision)
    assert journal.append_records(store, [written]) == 1
    entry = journal.find_entry(store, written.call)
    assert entry.root == "/caf?"
    assert entry.decision.reason == "/caf?"
    assert entry.decision.by == "ü"


def test_a_secret_beside_nul_bytes_is_still_taken_out(store, home, record):
    journal.append_records(store, [record(payload=b"a\0" + SECRET.encode() + b"\0b")])
    assert SECRET.encode() not in raw(home)


def test_threads_share_a_store(store, record):
    with ThreadPoolExecutor(4) as pool:
        written = list(pool.map(lambda _: journal.append_records(store, [record()]), range(100)))
    assert sum(written) == journal.count_events(store) == 100


def test_secrets_beside_the_names_of_silent_policies_are_taken_out_and_the_names_stay(store, record):
    names = "secrets.files secrets.exfiltration git.push"
    secret = "ghp_" + "a1B2" * 9
    quiet, loud = TraceStep(hook="policies", phase="quiet", note=names), TraceStep(hook="h", reason=f"found {secret}")
    for call, reason in (("before", f"it is {secret}"), ("after", "")):
        decision = Decision(kind=Kind.DENY, reason=reason, trace=(quiet, loud))
        journal.append_records(store, [record(call=call, decision=decision)])
        kept = journal.find_entry(store, call).decision
        assert secret not in repr(kept)
        assert kept.trace[0].note == names
        assert "[redacted" in kept.trace[1].reason


@pytest.mark.parametrize("before", ["", SECRET])
def test_a_secret_is_found_on_both_sides_of_where_a_call_begins(store, record, home, before):
    """What all calls of a turn begin with is looked at once; the second call has it from memory."""
    texts = [f'{{"cwd":"/p/{before}","tool_name":"Bash","command":"echo {number} {SECRET}"}}' for number in range(2)]
    journal.append_records(store, [record(payload=text) for text in texts])
    assert SECRET.encode() not in raw(home)
    for entry in journal.read_last_entries(store, 2):
        assert msgspec.json.decode(entry.payload)["tool_name"] == "Bash"
        assert entry.payload.count("[redacted:") == (2 if before else 1)


@pytest.mark.parametrize("asked", ["ls", f"curl -H 'Authorization: Bearer {SECRET}' x"])
@pytest.mark.parametrize("behind", ["toolu_01", SECRET])
def test_a_secret_is_found_in_front_of_and_behind_the_number_of_a_call_that_comes_again(
    store, record, home, asked, behind
):
    for number in range(3):
        call = {"tool_name": "Bash", "tool_input": {"command": asked}, "tool_use_id": behind, "number": number}
        journal.append_records(store, [record(call=f"c{number}", payload=msgspec.json.encode(call))])
        kept = msgspec.json.decode(journal.read_last_entries(store)[0].payload)
        assert (SECRET in asked) == ("redacted" in kept["tool_input"]["command"])
        assert (kept["tool_use_id"] == behind) == (behind != SECRET)
        assert kept["number"] == number
    assert SECRET.encode() not in raw(home)


def test_an_entry_whose_texts_were_changed_on_disk_is_shown_as_damaged(store, record):
    """SQLite sees no damage in a text; the others are listed all the same."""
    for _ in range(3):
        journal.append_records(store, [record()])
    spoil = "UPDATE events SET decision = CAST(x'7bf400' AS TEXT), tool = CAST(x'42f4' AS TEXT) WHERE id = 2"
    store.write(lambda connection: connection.execute(spoil))
    found = journal.read_entries_after(store, 0)
    assert [entry.decision.warnings == (entries.DAMAGED_TEXT,) for entry in found] == [False, True, False]
    assert found[1].tool == "B\ufffd"
