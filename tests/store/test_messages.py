"""The dialogue of sessions."""

import pytest

from synaptic.model.errors import LayerError
from synaptic.model.layers import Note
from synaptic.store import layers, messages
from synaptic.store.db import Store
from tests.store.efforts_kit import begin


def say(store: Store, session: int, *texts: str) -> None:
    layers.perform(store, tuple(Note(session=session, role="system", content=text, tool="Bash") for text in texts), 1.0)


def test_messages_come_in_their_order_and_a_limit_keeps_the_first(store: Store):
    """S3-181"""
    session = begin(store).window.session
    say(store, session, "one", "two", "three")
    assert [one.content for one in messages.of_session(store, session)] == ["one", "two", "three"]
    assert [one.content for one in messages.of_session(store, session, 2)] == ["one", "two"]
    assert messages.of_session(store, session, 1)[0].tool == "Bash"


def test_an_unknown_session_is_an_error(store: Store):
    """S3-181"""
    with pytest.raises(LayerError) as caught:
        messages.of_session(store, 9)
    assert caught.value.code == "NOT_FOUND"


def test_the_newest_of_several_sessions_in_their_order(store: Store):
    one, two = begin(store, skill="a").window.session, begin(store, skill="b").window.session
    say(store, one, "1")
    say(store, two, "2", "3")
    assert [found.content for found in messages.newest(store, (one, two), 2)] == ["2", "3"]
    assert messages.newest(store, (), 2) == []
