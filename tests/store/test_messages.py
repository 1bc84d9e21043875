"""The dialogue of sessions."""

from synaptic.model.layers import Note
from synaptic.store import layers, messages
from synaptic.store.db import Store
from tests.store.efforts_kit import begin


def say(store: Store, session: int, *texts: str) -> None:
    layers.write_layer_effects(
        store, tuple(Note(session=session, role="system", content=text, tool="Bash") for text in texts), 1.0
    )


def test_messages_come_in_their_order_and_a_limit_keeps_the_first(store: Store):
    """S3-181"""
    session = begin(store).window.session
    say(store, session, "one", "two", "three")
    assert [one.content for one in messages.of_sessions(store, [session])] == ["one", "two", "three"]
    assert [one.content for one in messages.of_sessions(store, [session], 2)] == ["one", "two"]
    assert messages.of_sessions(store, [session], 1)[0].tool == "Bash"


def test_the_newest_of_several_sessions_in_their_order(store: Store):
    one, two = begin(store, skill="a").window.session, begin(store, skill="b").window.session
    say(store, one, "1")
    say(store, two, "2", "3")
    assert [found.content for found in messages.of_sessions(store, (one, two), 2, newest=True)] == ["2", "3"]
    assert messages.of_sessions(store, (), 2) == []
