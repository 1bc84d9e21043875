"""Efforts from their start to their end."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor

import pytest

from synaptic.model.errors import LayerError
from synaptic.model.layers import Beat, Metadata, OpenSession, Skill
from synaptic.store import agents, efforts, layers, skills, windows
from synaptic.store.db import Store
from synaptic.store.efforts import PhaseRecord, PhaseStep
from synaptic.store.layers import EventOrigin
from synaptic.store.windows import WorkerIdentity
from tests.store.efforts_kit import PHASES, ROOT, begin, damage, tables


def to(label: str, *grown: str, reason: str = "", proof: object = None) -> PhaseStep:
    return PhaseStep(rule=lambda phases, now: (label, grown), reason=reason, proof=proof)


def code(work) -> str:
    with pytest.raises(LayerError) as caught:
        work()
    return caught.value.code


def test_ordinals_count_by_task_and_gaps_do_not_matter(store: Store):
    """S3-012, S3-200"""
    assert [begin(store, skill=name).effort.ordinal for name in ("a", "b")] == [1, 2]
    assert begin(store, task="/r/.tasks/other").effort.ordinal == 1
    damage(store, "UPDATE efforts SET ordinal = 7 WHERE ordinal = 2")
    third = begin(store, skill="c").effort
    assert third.ordinal == 8
    assert third.artifact_path("log") == "/r/.tasks/t/8_C_LOG.md"


def test_a_start_is_effort_session_and_agent_together(store: Store):
    """S3-205"""
    started = begin(
        store,
        who=WorkerIdentity(agent="A", host="w1", kind="claude"),
        phases=PHASES,
        mode="fast",
        metadata={"blockAfter": 5},
        title="T",
        keywords=("k",),
    )
    effort = started.effort
    assert (effort.skill, effort.mode, effort.limit, effort.phase) == ("implement", "fast", 5, "")
    assert effort.metadata["phases"] == list(PHASES)
    found = layers.resolve_layers(store, EventOrigin(ROOT, "A", "w1"))
    assert found.effort == effort
    assert found.session.id == started.window.session
    assert (found.session.host, found.session.agent) == ("w1", "A")
    assert (found.agent.status, found.agent.kind, found.agent.named, found.agent.effort) == (
        "working",
        "claude",
        True,
        effort.id,
    )


def test_the_same_skill_on_the_same_task_goes_on(store: Store):
    """S3-205"""
    first = begin(store, who=WorkerIdentity(host="w1", kind="claude"))
    again = begin(
        store, who=WorkerIdentity(host="w1", kind="claude"), skill="IMPLEMENT", mode="slow", metadata={"blockAfter": 3}
    )
    assert (again.effort.id, again.resumed, first.resumed) == (first.effort.id, True, False)
    assert again.window == windows.ContextWindow(session=first.window.session, opened=False)
    assert (again.effort.mode, again.effort.limit) == ("slow", 3)
    assert begin(store, skill="other").effort.id != first.effort.id
    efforts.finish_effort(store, first.effort.id, None, 5.0)
    anew = begin(store)
    assert (anew.resumed, anew.effort.ordinal) == (False, 3)


def test_the_layers_are_separate_records(store: Store):
    """S3-001: overflow, then another skill on the same task"""
    first = begin(store, skill="a", who=WorkerIdentity(host="w1", kind="claude"))
    windows.finish_window(store, first.window.session, '{"summary": "s"}', 2.0)
    efforts.enter_effort(store, first.effort.id, WorkerIdentity(host="w2", kind="claude"), 3.0)
    begin(store, skill="b", who=WorkerIdentity(host="w2", kind="claude"))
    rows = tables(store)
    assert [len(rows[name]) for name in ("tasks", "efforts", "sessions")] == [1, 2, 3]


def test_a_start_that_fails_leaves_nothing_behind(store: Store, monkeypatch: pytest.MonkeyPatch):
    """S3-205, S3-D06"""
    before = tables(store)
    monkeypatch.setattr(windows, "_bind_agent", lambda *given: (_ for _ in ()).throw(LayerError("X", "stopped")))
    assert code(lambda: begin(store, skill=Skill(name="s", path="/f"))) == "X"
    assert tables(store) == before
    monkeypatch.undo()
    assert begin(store).effort.ordinal == 1


def test_a_start_keeps_what_the_skills_file_says(store: Store):
    """S3-210"""
    skill = Skill(name="s", path="/s/SKILL.md", templates={"logTemplate": "/t"}, next_skills=("n",), phases=PHASES)
    started = begin(store, skill=skill)
    assert layers.resolve_layers(store, EventOrigin(ROOT)).skill == skill
    assert skills.list_skill_names(store, started.effort.project) == ("s",)


def test_a_phase_is_written_with_its_proof_and_sets_the_heartbeat_back(store: Store):
    """S3-005, S3-201, S3-143"""
    started = begin(store, phases=PHASES)
    session = started.window.session
    layers.write_layer_effects(store, (Beat(session=session, add=5, edited="a.py"),), 2.0)
    before = tables(store)
    after = efforts.move_phase(store, started.effort.id, to("0: Setup", reason="r", proof={"done": [1]}), 3.0)
    assert after.phase == "0: Setup"
    assert efforts.read_phase_history(store, after.id) == [
        PhaseRecord(phase="0: Setup", reason="r", proof={"done": [1]}, at=3.0)
    ]
    assert layers.find_session(store, session).heartbeat == 0
    now = tables(store)
    assert {name for name in now if now[name] != before[name]} == {"efforts", "phase_history", "sessions"}


def test_the_same_phase_again_changes_nothing(store: Store):
    """S3-201"""
    number = begin(store).effort.id
    efforts.move_phase(store, number, to("0: Setup"), 2.0)
    before = tables(store)
    efforts.move_phase(store, number, to("0: Setup"), 3.0)
    assert tables(store) == before


def test_a_sub_agents_heartbeat_is_not_its_parents(store: Store):
    started = begin(store)
    opened = layers.write_layer_effects(store, (OpenSession(effort=started.effort.id, subagent="s1"),), 2.0).session
    layers.write_layer_effects(store, (Beat(session=opened, add=4),), 2.0)
    efforts.settle_log_entry(store, started.effort.id, 3.0, resets=True)
    efforts.move_phase(store, started.effort.id, to("x"), 3.0)
    assert layers.find_session(store, opened).heartbeat == 4


def test_phases_that_were_added_stay_with_the_effort(store: Store):
    """S3-201, S3-202"""
    number = begin(store, phases=PHASES).effort.id
    seen = []

    def rule(phases, now):
        seen.append((phases, now))
        return "2.A: X", (*PHASES, "2.A: X")

    efforts.move_phase(store, number, PhaseStep(rule=rule), 2.0)
    assert efforts.require_effort(store, number).metadata["phases"] == [*PHASES, "2.A: X"]
    efforts.move_phase(store, number, PhaseStep(rule=lambda phases, now: (seen.append((phases, now)) or "3", ())), 3.0)
    assert seen == [(PHASES, ""), ((*PHASES, "2.A: X"), "2.A: X")]


def test_a_rule_that_refuses_leaves_nothing_behind(store: Store):
    number = begin(store, phases=PHASES).effort.id
    before = tables(store)

    def rule(phases, now):
        raise LayerError("UNKNOWN_PHASE", "no")

    assert code(lambda: efforts.move_phase(store, number, PhaseStep(rule=rule), 2.0)) == "UNKNOWN_PHASE"
    assert tables(store) == before


def test_an_effort_ends_once_with_its_windows(store: Store):
    """S3-003, S3-203"""
    started = begin(store, keywords=("old",))
    opened = layers.write_layer_effects(store, (OpenSession(effort=started.effort.id, subagent="s1"),), 2.0).session
    after = efforts.finish_effort(store, started.effort.id, ("new", "er"), 5.0)
    assert (after.finished, after.finished_at) == (True, 5.0)
    assert [layers.find_session(store, one).ended_at for one in (started.window.session, opened)] == [5.0, 5.0]
    before = tables(store)
    assert before["tasks"][0][5] == '["new","er"]'
    assert code(lambda: efforts.finish_effort(store, started.effort.id, ("x",), 6.0)) == "ALREADY_FINISHED"
    assert tables(store) == before
    with pytest.raises(sqlite3.IntegrityError):
        damage(store, "UPDATE efforts SET lifecycle = 'paused'")


def test_what_is_finished_stays_as_it_is(store: Store):
    """S3-003, S3-201"""
    number = begin(store).effort.id
    efforts.finish_effort(store, number, None, 5.0)
    before = tables(store)
    for work in (
        lambda: efforts.move_phase(store, number, to("1"), 6.0),
        lambda: efforts.update_metadata(store, number, Metadata(effort=number, put={"a": 1})),
        lambda: efforts.enter_effort(store, number, WorkerIdentity(), 6.0),
    ):
        assert code(work) == "EFFORT_FINISHED"
    assert tables(store) == before


def test_an_effort_that_is_not_there(store: Store):
    for work in (
        lambda: efforts.require_effort(store, 9),
        lambda: efforts.move_phase(store, 9, to("1"), 1.0),
        lambda: efforts.finish_effort(store, 9, None, 1.0),
        lambda: efforts.update_metadata(store, 9, Metadata(effort=9)),
        lambda: efforts.enter_effort(store, 9, WorkerIdentity(), 1.0),
    ):
        assert code(work) == "NOT_FOUND"


def test_metadata_is_removed_then_set(store: Store):
    """S3-204"""
    number = begin(store).effort.id
    damage(store, "UPDATE efforts SET metadata = NULL")
    assert efforts.update_metadata(store, number, Metadata(effort=number, put={"a": 1})).metadata == {"a": 1}
    change = Metadata(effort=number, drop=("a", "nothing"), put={"b": [2], "c": {"d": None}})
    assert efforts.update_metadata(store, number, change).metadata == {"b": [2], "c": {"d": None}}


@pytest.mark.parametrize("broken", ["not-json{{{", "[1]", "3"])
def test_metadata_that_cannot_be_read_is_not_overwritten_and_stops_only_what_needs_it(store: Store, broken: str):
    started = begin(store, phases=PHASES)
    number = started.effort.id
    damage(store, f"UPDATE efforts SET metadata = '{broken}'")
    before = tables(store)
    assert code(lambda: efforts.update_metadata(store, number, Metadata(effort=number, put={"a": 1}))) == "PARSE_ERROR"
    assert code(lambda: efforts.move_phase(store, number, to("2.A: X", *PHASES, "2.A: X"), 2.0)) == "PARSE_ERROR"
    assert code(lambda: begin(store, metadata={"blockAfter": 1})) == "PARSE_ERROR"
    assert tables(store) == before
    assert efforts.move_phase(store, number, to("0: Setup"), 2.0).phase == "0: Setup"
    assert efforts.finish_effort(store, number, None, 3.0).finished


def test_lists_are_by_project_and_newest_first(store: Store):
    one, two = begin(store, skill="a").effort, begin(store, skill="b").effort
    other = begin(store, root="/o", task="/o/.tasks/x").effort
    efforts.finish_effort(store, one.id, None, 2.0)
    assert [found.id for found in efforts.list_efforts(store, two.project)] == [two.id]
    assert [found.id for found in efforts.list_efforts(store, two.project, every=True)] == [two.id, one.id]
    assert [found.id for found in efforts.list_efforts(store, every=True)] == [other.id, two.id, one.id]
    assert [found.ordinal for found in efforts.list_task_efforts(store, one.task)] == [1, 2]


def test_secrets_are_not_kept(store: Store):
    number = begin(store).effort.id
    token = "ghp_" + "a1B2" * 9
    efforts.move_phase(store, number, to("x", reason=f"token {token}", proof={"t": token}), 2.0)
    efforts.update_metadata(store, number, Metadata(effort=number, put={"note": token}))
    assert token not in repr(tables(store))


def test_many_at_once_get_ordinals_of_their_own(store: Store, home):
    """S3-200"""

    def one(number: int) -> int:
        own = Store.open(home)
        try:
            return begin(own, skill=f"s{number}").effort.ordinal
        finally:
            own.close()

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(one, range(16))) == list(range(1, 17))


def test_an_agent_is_found_by_its_effort(store: Store):
    """S3-208"""
    started = begin(store, who=WorkerIdentity(agent="A"))
    assert agents.find_effort_agent(store, started.effort.id).id == "A"
    assert agents.find_effort_agent(store, 99) is None
