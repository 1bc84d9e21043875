"""Events that somebody looks for: the right ones, newest first, and found without reading the others."""

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from synaptic.model.decision import Decision, Kind, TraceStep
from synaptic.store import journal, journal_filter
from synaptic.store.journal_filter import JournalFilter, find_number_at, make_conditions, read_matching_entries

QUIET = Decision(trace=(TraceStep(hook="policies", phase="quiet", note="git.force-push git.stash"),))
START = 1_700_000_000.0


def decide(kind: Kind, by: str = "git.force-push", **changes) -> Decision:
    return Decision(kind=kind, by=by, reason="why not", trace=(TraceStep(hook=by, kind=kind),), **changes)


def fail(hook: str = "demo:guard.sh") -> Decision:
    return Decision(trace=(TraceStep(hook=hook, fault="crash"),))


def say(command: str) -> str:
    return msgspec.json.encode({"session_id": "git", "tool_input": {"command": command}}).decode()


def find(store, most: int = 100, **wanted) -> list[int]:
    return [entry.id for entry in read_matching_entries(store, JournalFilter(**wanted), most)]


@pytest.fixture
def filled(store, record):
    """Seven events, in order: their numbers are 1 to 7."""
    known = [
        record(decision=QUIET, at=START + 1, payload=say("ls")),
        record(decision=decide(Kind.DENY), at=START + 2, payload=say("git push -f")),
        record(decision=decide(Kind.ASK, "infra.cloud"), at=START + 3, agent="codex", root="/work/shop"),
        record(decision=decide(Kind.REWRITE), at=START + 4, tool="mcp__github__push", session="other"),
        record(decision=fail(), at=START + 5, agent_id="worker-1"),
        record(decision=decide(Kind.ADVISE, "git.stash"), at=START + 6, payload=say("écho 100%_sure")),
        record(decision=QUIET, at=START + 7, root="/work/shop/api", payload=None),
    ]
    journal.append_records(store, known)
    return store


@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [
        ({}, [7, 6, 5, 4, 3, 2, 1]),
        ({"kinds": (Kind.DENY,)}, [2]),
        ({"kinds": (Kind.DENY, Kind.ASK)}, [3, 2]),
        ({"failed": True}, [5]),
        ({"kinds": (Kind.REWRITE,), "failed": True}, [5, 4]),
        ({"since": START + 6}, [7, 6]),
        ({"until": START + 2}, [1]),
        ({"since": START + 3, "until": START + 5}, [4, 3]),
        ({"since": START + 50}, []),
        ({"project": "/work/shop"}, [3]),
        ({"project": "shop"}, [3]),
        ({"project": "hop"}, []),
        ({"session": "oth"}, [4]),
        ({"session": "%"}, []),
        ({"agents": ("CODEX",)}, [3]),
        ({"agents": ("codex", "worker-*")}, [5, 3]),
        ({"tools": ("mcp__*",)}, [4]),
        ({"tools": ("mcp?_github__push",)}, [4]),
        ({"tools": ("m%",)}, []),
        ({"policies": ("git.*",)}, [6, 4, 2]),
        ({"policies": ("git.force-push",), "kinds": (Kind.DENY,)}, [2]),
        ({"policies": ("demo:guard.sh",)}, [5]),
        ({"policies": ("*cloud",)}, [3]),
        ({"grep": "PUSH -F"}, [2]),
        ({"grep": "écho"}, [6]),
        ({"grep": "100%_sure"}, [6]),
        ({"grep": "git"}, [2]),
        ({"grep": "why not", "agents": ("codex",)}, [3]),
    ],
)
def test_what_is_found(filled, wanted, numbers):
    assert find(filled, **wanted) == numbers


def test_the_newest_of_many_and_those_before_them(filled):
    chosen = JournalFilter(kinds=(Kind.DENY, Kind.ASK, Kind.REWRITE), failed=True)
    assert find(filled, 2, kinds=chosen.kinds, failed=True) == [5, 4]
    assert [entry.id for entry in read_matching_entries(filled, chosen, 2, before=4)] == [3, 2]


def test_more_pages_than_one_are_read(store, record, monkeypatch):
    monkeypatch.setattr(journal_filter, "PAGE_SIZE", 3)
    commands = ["needle" if number % 10 == 0 else "hay" for number in range(100)]
    journal.append_records(store, [record(payload=say(command)) for command in commands])
    assert len(find(store, grep="needle")) == 10
    assert find(store, 2, grep="needle") == [91, 81]


def test_what_an_exception_has_let_through_is_found_by_the_policy_that_it_lifts(store, record):
    lifted = TraceStep(hook="git.force-push", kind=Kind.DENY, phase="lifted")
    journal.append_records(store, [record(decision=Decision(grants=("g1",), trace=(lifted,))), record(decision=QUIET)])
    assert find(store, policies=("git.*",)) == [1]
    assert find(store, policies=("git.*",), since=START) == [1]
    assert find(store, policies=("git.*",), until=START * 2) == [1]


def test_what_no_index_finds_is_looked_for_among_the_newest_and_further_on_request(store, record, monkeypatch):
    monkeypatch.setattr(journal_filter, "MOST_SEARCHED", 10)
    roots = ["/old/shop", *["/new"] * 20]
    journal.append_records(store, [record(root=root, at=START + at) for at, root in enumerate(roots)])
    assert find(store, project="shop") == []
    assert find(store, project="shop", since=START) == [1]
    assert find(store, project="shop", kinds=(Kind.DENY,)) == [1]


def test_what_is_looked_for_before_a_moment_is_looked_for_from_there(store, record, monkeypatch):
    monkeypatch.setattr(journal_filter, "MOST_SEARCHED", 20)
    journal.append_records(store, [record(root=f"/p{at % 5}", at=START + at) for at in range(100)])
    assert find(store, 3, until=START + 40) == [40, 39, 38]
    assert find(store, 3, until=START + 41, project="p0") == [41, 36, 31]
    assert len(find(store, project="p0")) == 4


def test_events_are_read_by_their_numbers_however_many(filled):
    entries = journal_filter.read_numbered_entries(filled, [3, *range(100, 50_000)])
    assert [entry.agent for entry in entries.values()] == ["codex"]


def test_one_wrong_clock_hides_nobody_else(store, record):
    times = [START + at for at in range(200)]
    times[100] = START * 2
    times[120] = 5.0
    journal.append_records(store, [record(at=at) for at in times])
    assert find(store, until=START + 3) == [121, 3, 2, 1] or find(store, until=START + 3) == [3, 2, 1]
    assert find(store, since=START + 198, until=START * 1.5) == [200, 199]
    assert abs(find_number_at(store, START + 150) - 151) <= journal_filter.NEIGHBOURS


def test_an_empty_journal_has_nothing(store):
    assert find(store) == []
    assert find(store, since=START, until=START + 1, grep="x", policies=("a*",), session="s") == []


def test_verdicts_and_failures_are_found_by_their_indexes(filled):
    chosen = JournalFilter(kinds=(Kind.DENY, Kind.ASK), failed=True, project="shop", since=START)
    spoken = make_conditions(filled, JournalFilter(policies=("git.*",)))
    names = ("events_judged", "events_failed") * 2
    for name, found in zip((*names, "events_noted"), (*make_conditions(filled, chosen), *spoken), strict=True):
        sql = f"EXPLAIN QUERY PLAN {journal_filter.SELECT_EVENTS} WHERE {found.sql} ORDER BY id DESC LIMIT 5"
        plan = str(filled.read(lambda c, sql=sql, found=found: c.execute(sql, found.values).fetchall()))
        assert name in plan
        assert "TEMP B-TREE" not in plan


def test_a_damaged_row_is_no_reason_to_fail(filled):
    filled.write(lambda c: c.execute("UPDATE events SET decision = x'ff00', payload = '[[[' WHERE id = 2"))
    assert find(filled, kinds=(Kind.DENY,)) == []
    assert 1 in find(filled)
    assert find(filled, grep="push -f", policies=("*",)) == []


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(min_size=1, max_size=12))
def test_any_text_of_a_command_is_found_by_any_part_of_it(store, record, text):
    text = text.replace("\0", "x")
    written = record(payload=say(f"a{text}b"))
    journal.append_records(store, [written])
    entry = journal.find_entry(store, written.call)
    kept = msgspec.json.decode(entry.payload)["tool_input"]["command"]
    assert entry.id in find(store, 1, grep=kept[1:-1] or kept)
