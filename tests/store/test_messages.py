"""The dialogue of sessions."""

from synaptic.model.layers import Ingest, Note, OpenSession, TranscriptMessage, TranscriptNews
from synaptic.store import layers, messages
from synaptic.store.db import Store
from synaptic.store.windows import WorkerIdentity
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


def take_in(store: Store, session: int, known: int, end: int, *texts: str) -> None:
    said = tuple(TranscriptMessage(role="user", content=text, at=2.0) for text in texts)
    news = TranscriptNews(session=session, path="/t.jsonl", known=known, end=end, messages=said)
    layers.write_layer_effects(store, (Ingest(news=news),), 3.0)


def read_all(store: Store, *sessions: int) -> list[str]:
    return [one.content for one in messages.of_sessions(store, sessions)]


def test_a_transcript_is_taken_in_once_also_by_events_that_read_the_same_lines(store: Store):
    """S3-182"""
    session = begin(store, who=WorkerIdentity(host="w1", kind="claude")).window.session
    take_in(store, session, 0, 50, "one")
    take_in(store, session, 0, 50, "one")
    take_in(store, session, 50, 90, "two")
    assert read_all(store, session) == ["one", "two"]
    assert messages.find_ingested(store, session, "/t.jsonl") == 90
    assert layers.find_session(store, session).transcript == "/t.jsonl"


def test_the_next_session_of_the_same_transcript_goes_on_where_the_last_one_was(store: Store):
    """S3-182: a compaction opens a new session in the same file; another window has its own"""
    started = begin(store, who=WorkerIdentity(host="w1", kind="claude"))
    first, effort = started.window.session, started.effort.id
    take_in(store, first, 0, 50, "one")
    opening = OpenSession(effort=effort, host="w1", transcript="/t.jsonl", follows=first)
    second = layers.write_layer_effects(store, (opening,), 4.0).session
    assert messages.find_ingested(store, second, "/t.jsonl") == 50
    take_in(store, second, 50, 20, "after it was cut")
    assert messages.find_ingested(store, second, "/t.jsonl") == 20
    assert messages.find_ingested(store, first, "/t.jsonl") == 20
    other = layers.write_layer_effects(store, (OpenSession(effort=effort, host="w2"),), 5.0).session
    assert messages.find_ingested(store, other, "/t.jsonl") == 0


def test_news_of_a_session_that_is_gone_are_nobodys(store: Store):
    take_in(store, 99, 0, 50, "lost")
    assert read_all(store, 99) == []
