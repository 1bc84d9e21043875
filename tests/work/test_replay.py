"""What flips: the same as deciding every call again by brute force, counted, with samples."""

import asyncio
import time
from collections import Counter

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from synaptic.engine.past_catalog import CatalogChange
from synaptic.engine.replay import ReplayedEvent, Standing
from synaptic.engine.walk import open_engine
from synaptic.model.decision import Decision, Kind
from synaptic.model.errors import DeclarationError
from synaptic.policies.base import load_policies
from synaptic.store.db import Store
from synaptic.store.past_events import find_numbers, iter_past_events
from synaptic.store.record import JournalEntry
from synaptic.work.replay import ReplayScope, ReplaySummary, complete_key, replay_journal, summary_to_json
from tests.daemon.setting import Setting
from tests.engine.calls import sample_calls
from tests.engine.replaying import answer_all

EVER = ReplayScope(since=0.0, until=1e12)
SWITCHED = ("git.force-push", "files.recursive-deletion", "system.permissions", "code.remote", "secrets.printed-token")


@pytest.fixture(scope="module")
def setting(tmp_path_factory: pytest.TempPathFactory) -> Setting:
    """One journal of many calls, each decided with these policies on."""
    made = Setting(tmp_path_factory.mktemp("replay"))
    calls = sample_calls(str(made.project), 61)
    answer_all(made, (made.elsewhere(tool_name=tool, tool_input=given) for tool, given in calls))
    return made


def run(setting: Setting, change: CatalogChange, scope: ReplayScope = EVER) -> ReplaySummary:
    store = Store.open(setting.home)
    try:
        return replay_journal(store, scope, change)
    finally:
        store.close()


def recompute(setting: Setting, config: str) -> dict[int, tuple[str, str]]:
    """Kind and author for every event as a real engine decides it, set so; the project is as it was."""
    setting.config(config)
    store = Store.open(setting.home)
    payloads = [(entry.id, entry.payload or "") for entry, _ in iter_past_events(store, (0.0, 1e12))]
    store.close()

    async def decide() -> dict[int, tuple[str, str]]:
        engine = open_engine(setting.home)
        try:
            found = {}
            for number, payload in payloads:
                decided = await engine.rehearse(setting.raw("PreToolUse", payload.encode()))
                found[number] = (str(decided.decision.kind), decided.decision.by)
            return found
        finally:
            await engine.close()

    try:
        return asyncio.run(decide())
    finally:
        setting.config('trust = "all"\n')


@given(off=st.sets(st.sampled_from(SWITCHED)), on=st.sets(st.sampled_from(["paths.outside-project"])))
@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
def test_flips_are_those_of_a_brute_force_recomputation(setting: Setting, off: set[str], on: set[str]):
    change = CatalogChange(enable=tuple(sorted(on)), disable=tuple(sorted(off)))
    config = change.edit('trust = "all"\n')
    expected = recompute(setting, config)
    store = Store.open(setting.home)
    was = {one.id: (str(one.decision.kind), one.decision.by) for one, _ in iter_past_events(store, (0.0, 1e12))}
    store.close()
    summary = run(setting, change, msgspec.structs.replace(EVER, samples=10_000))
    flipped = {one.event: (str(one.now), one.now_by) for group in summary.groups.values() for one in group.samples}
    # A call that touches what an earlier one of this test has changed in the machine is not the same call any more.
    known = {number for number, said in recompute(setting, 'trust = "all"\n').items() if said == was[number]}
    flipped = {number: said for number, said in flipped.items() if number in known}
    assert len(known) > 0.95 * len(was)
    wrong = {
        number: (was[number], expected[number], flipped.get(number))
        for number in known
        if expected[number] != was[number] and flipped.get(number) != expected[number]
    }
    assert wrong == {}
    # What flips in nothing but words has the same kind and author.
    assert {number for number in flipped if expected[number] == was[number]} == {
        number for number in flipped if flipped[number] == was[number]
    }


def test_counts_add_up_and_memory_does_not_grow_with_events(setting: Setting):
    summary = run(setting, CatalogChange(disable=SWITCHED))
    assert summary.events == summary.exact + summary.approximate + summary.impossible
    assert summary.flips == sum(group.count for group in summary.groups.values())
    assert summary.flips > 2
    assert all(len(group.samples) <= EVER.samples for group in summary.groups.values())
    told = summary_to_json(summary)
    assert msgspec.json.decode(msgspec.json.encode(told))["flips"] == summary.flips


def test_new_denials_are_those_that_were_none(setting: Setting):
    every = ",".join(f'"{name}"' for name in ("feature/*", "release/*"))
    summary = run(setting, CatalogChange(settings=(('policies."git.force-push".protected', f"[{every}]"),)))
    denied = [one for group in summary.groups.values() for one in group.samples if one.now == "deny" != one.was]
    assert summary.new_denials >= len(denied)
    assert run(setting, CatalogChange(disable=SWITCHED)).new_denials == 0


def test_only_events_of_the_time_and_the_project_are_decided(setting: Setting):
    whole = run(setting, CatalogChange()).events
    assert run(setting, CatalogChange(), ReplayScope(since=0.0, until=time.time() - 10**6)).events == 0
    assert run(setting, CatalogChange(), ReplayScope(since=time.time() + 10**6, until=1e12)).events == 0
    assert run(setting, CatalogChange(), ReplayScope(since=0.0, until=1e12, root=str(setting.project))).events == whole
    assert run(setting, CatalogChange(), ReplayScope(since=0.0, until=1e12, root="/elsewhere")).events == 0


def test_an_empty_journal_has_no_events(tmp_path):
    made = Setting(tmp_path)
    store = Store.open(made.home)
    try:
        assert list(iter_past_events(store, (0.0, 1e12))) == []
        first, last = find_numbers(store, 0.0, 1e12)
        assert last < first
    finally:
        store.close()


def test_pages_leave_nothing_out_and_count_nothing_twice(setting: Setting, monkeypatch: pytest.MonkeyPatch):
    store = Store.open(setting.home)
    try:
        whole = [entry.id for entry, _ in iter_past_events(store, (0.0, 1e12))]
        monkeypatch.setattr("synaptic.store.past_events.PAGE_SIZE", 7)
        assert [entry.id for entry, _ in iter_past_events(store, (0.0, 1e12))] == whole
        assert max(Counter(whole).values()) == 1
    finally:
        store.close()


@pytest.mark.parametrize("config", ["presets = 7\n", "[[rule]]\nid = 3\n", "= 5", 'no_such_key = "x"\n'])
def test_a_config_that_would_not_count_as_written_is_refused(setting: Setting, config: str):
    with pytest.raises(DeclarationError):
        run(
            setting,
            CatalogChange(config=config if "rule" not in config else None, rules=config if "rule" in config else ""),
        )


def test_a_policy_and_its_option_may_be_written_without_quotes():
    assert complete_key("git.force-push.protected") == 'policies."git.force-push".protected'
    assert complete_key("http.port") == "http.port"
    assert all(complete_key(f"{name}.enabled") == f'policies."{name}".enabled' for name in load_policies())


def test_a_million_events_of_one_kind_are_one_group():
    entry = JournalEntry(
        id=1, call="c", at=0.0, agent="claude", event="PreToolUse", session="s", agent_id="", tool="Bash", root="",
        micros=1, size=2, payload="{}", decision=Decision(), answer=None,
    )  # fmt: skip
    summary = ReplaySummary()
    now = Decision(kind=Kind.DENY, by="git.force-push", reason="no")
    for number in range(2000):
        summary.add(ReplayedEvent(entry=entry, standing=Standing.APPROXIMATE, why=f"{number}", decision=now), 3)
    assert len(summary.groups) == 1
    assert len(summary.why) <= 101
