"""Context windows and their dialogue."""

from synaptic.model.layers import Note
from synaptic.store import layers
from synaptic.work.sessions import ListMessages, ListSessions, ShowSession
from tests.work.desk import Desk, code


def say(desk: Desk, session: int, *texts: str) -> None:
    layers.write_layer_effects(
        desk.store, tuple(Note(session=session, role="system", content=text) for text in texts), 1.0
    )


def test_messages_of_a_session_and_of_the_effort_that_is_worked_on(desk: Desk):
    """S3-181"""
    first = desk.start().window.session
    second = desk.resume({"dir_path": "t"}).window.session
    say(desk, first, "one", "two")
    say(desk, second, "three")

    def contents(**asked: object) -> list[str]:
        return [one.content for one in ListMessages(**asked).run(desk.context())]

    assert contents(session_id=first) == ["one", "two"]
    assert contents() == ["one", "two", "three"]
    assert contents(limit=2) == ["one", "two"]
    assert contents(limit=2, newest=True) == ["two", "three"]
    assert code(lambda: contents(session_id=99)) == "NOT_FOUND"


def test_sessions_of_a_project_and_of_one_effort(desk: Desk):
    assert ListSessions().run(desk.context()) == []
    one = desk.start().window.session
    two = desk.start("u").window.session
    desk.dehydrate()
    assert [found.id for found in ListSessions().run(desk.context())] == [one]
    assert [found.id for found in ListSessions(all=True).run(desk.context())] == [two, one]
    assert [found.id for found in ListSessions(effort_id=2, all=True).run(desk.context())] == [two]
    assert ShowSession(session_id=two).run(desk.context()).payload
    assert code(lambda: ListSessions(effort_id=99).run(desk.context())) == "NOT_FOUND"
