"""Context windows."""

import pytest

from synaptic.model.errors import LayerError
from synaptic.model.layers import Beat, OpenSession, SetStatus
from synaptic.store import efforts, layers, windows
from synaptic.store.db import Store
from synaptic.store.windows import ContextWindow, WorkerIdentity
from tests.store.efforts_kit import begin, tables

PAYLOAD = '{"summary":"s"}'
CLAUDE = WorkerIdentity(host="w1", kind="claude")


def test_a_window_ends_once_with_what_it_leaves(store: Store):
    """S3-002, S3-190, S3-194"""
    session = begin(store).window.session
    ended = windows.finish_window(store, session, PAYLOAD, 5.0)
    assert (ended.ended_at, ended.payload, ended.handed_over) == (5.0, PAYLOAD, False)
    before = tables(store)
    with pytest.raises(LayerError) as caught:
        windows.finish_window(store, session, None, 6.0)
    assert caught.value.code == "ALREADY_ENDED"
    with pytest.raises(LayerError) as caught:
        windows.finish_window(store, 99, None, 6.0)
    assert caught.value.code == "NOT_FOUND"
    assert tables(store) == before


def test_going_on_opens_a_new_window_that_is_told_once(store: Store):
    """S3-002, S3-206, S3-209"""
    started = begin(store, who=CLAUDE)
    number, first = started.effort.id, started.window.session
    windows.finish_window(store, first, PAYLOAD, 5.0)
    second = efforts.enter_effort(store, number, WorkerIdentity(host="w2", kind="claude"), 6.0)
    assert second == ContextWindow(session=second.session, previous=first, payload=PAYLOAD)
    assert second.session != first
    assert layers.find_session(store, first).ended_at == 5.0
    third = efforts.enter_effort(store, number, WorkerIdentity(host="w3", kind="claude"), 7.0)
    assert (third.previous, third.payload) == (second.session, None)
    assert layers.find_session(store, second.session).ended_at is None, "another window goes on"


def test_a_resumed_agent_ends_its_own_last_window_and_no_other(store: Store):
    """S3-209"""
    started = begin(store, who=WorkerIdentity(agent="A", host="w1", kind="claude"))
    number = started.effort.id
    beside = efforts.enter_effort(store, number, WorkerIdentity(host="w9", kind="claude"), 2.0).session
    again = efforts.enter_effort(store, number, WorkerIdentity(agent="A"), 3.0)
    assert again.previous == started.window.session
    assert layers.find_session(store, started.window.session).ended_at == 3.0
    assert layers.find_session(store, beside).ended_at is None


def test_a_phase_sets_back_the_heartbeat_of_the_window_that_moves(store: Store):
    """S3-143"""
    started = begin(store, who=CLAUDE)
    other = efforts.enter_effort(store, started.effort.id, WorkerIdentity(host="w2", kind="claude"), 2.0).session
    layers.write_layer_effects(store, (Beat(session=started.window.session), Beat(session=other)), 3.0)

    def counts() -> tuple[int, ...]:
        return tuple(layers.find_session(store, one).heartbeat for one in (started.window.session, other))

    for host, expected in (("w1", (0, 1)), ("", (0, 0))):
        step = efforts.PhaseStep(rule=lambda known, now, to=host: (f"phase {to}", ()), host=host)
        efforts.move_phase(store, started.effort.id, step, 4.0)
        assert counts() == expected


def test_the_same_window_stays_the_same(store: Store):
    started = begin(store, who=CLAUDE)
    assert efforts.enter_effort(store, started.effort.id, CLAUDE, 2.0) == ContextWindow(
        session=started.window.session, opened=False
    )


def test_a_window_that_nobody_claimed_is_taken_over_at_a_start(store: Store):
    person = begin(store)
    agent = begin(store, who=WorkerIdentity(agent="A", host="w1", kind="claude"))
    assert agent.window == ContextWindow(session=person.window.session, opened=False)
    found = layers.find_session(store, person.window.session)
    assert (found.host, found.agent) == ("w1", "A")


def test_a_person_leaves_the_open_window_alone(store: Store):
    agent = begin(store, who=WorkerIdentity(agent="A", host="w1", kind="claude"))
    assert begin(store).window == ContextWindow(session=agent.window.session, opened=False)
    assert layers.find_session(store, agent.window.session).host == "w1"


def test_agents_on_one_effort_keep_windows_of_their_own(store: Store):
    one = begin(store, who=WorkerIdentity(agent="A", host="w1", kind="claude"))
    two = begin(store, who=WorkerIdentity(agent="B", host="w2", kind="claude"))
    unnamed = begin(store, who=WorkerIdentity(host="w3", kind="claude"))
    sessions = {one.window.session, two.window.session, unnamed.window.session}
    assert len(sessions) == 3
    assert all(layers.find_session(store, number).ended_at is None for number in sessions)


def test_another_window_of_the_same_agent_ends_the_one_before(store: Store):
    one = begin(store, who=WorkerIdentity(agent="A", host="w1", kind="claude"))
    two = begin(store, who=WorkerIdentity(agent="A", host="w2", kind="claude"))
    assert two.window.previous == one.window.session
    assert layers.find_session(store, one.window.session).ended_at == 1.0


def test_a_sub_agents_window_is_never_entered(store: Store):
    started = begin(store, who=CLAUDE)
    opened = layers.write_layer_effects(store, (OpenSession(effort=started.effort.id, subagent="s"),), 2.0).session
    assert (
        efforts.enter_effort(store, started.effort.id, WorkerIdentity(host="w2"), 3.0).previous
        == started.window.session
    )
    assert layers.find_session(store, opened).ended_at is None


def test_whoever_types_for_an_agent_leaves_its_status_as_it_is(store: Store):
    begin(store, who=WorkerIdentity(agent="A"))
    assert layers.find_agent(store, "A").status == "done"
    begin(store, skill="b", who=WorkerIdentity(agent="A", kind="claude"))
    begin(store, skill="c", who=WorkerIdentity(agent="A"))
    assert layers.find_agent(store, "A").status == "working"


def test_sessions_are_listed_by_effort(store: Store):
    one, two = begin(store, skill="a"), begin(store, skill="b", who=WorkerIdentity(agent="A"))
    windows.finish_window(store, one.window.session, None, 2.0)
    numbers = (one.effort.id, two.effort.id)
    assert [found.id for found in windows.list_sessions(store, numbers)] == [two.window.session, one.window.session]
    assert [found.id for found in windows.list_sessions(store, numbers, every=False)] == [two.window.session]
    assert windows.list_sessions(store, ()) == []
    assert windows.find_agent_efforts(store, "A") == (two.effort.id,)


def test_secrets_are_not_kept(store: Store):
    token = "ghp_" + "a1B2" * 9
    ended = windows.finish_window(store, begin(store).window.session, f'{{"summary":"{token}"}}', 2.0)
    assert token not in ended.payload


def test_who_types_for_an_agent_changes_neither_its_status_nor_why_it_has_it(store: Store):
    started = begin(store, who=WorkerIdentity(agent="A", host="w1", kind="claude"))
    layers.write_layer_effects(store, (SetStatus(agent="A", status="error", note="Bash: exit 1"),), 2.0)
    efforts.enter_effort(store, started.effort.id, WorkerIdentity(agent="A"), 3.0)
    assert (layers.find_agent(store, "A").status, layers.find_agent(store, "A").note) == ("error", "Bash: exit 1")
