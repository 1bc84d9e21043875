"""Frames are the same on both ends, in pieces of any size."""

import os
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synaptic.daemon import frame
from synaptic.model.call import Answer, Request
from synaptic.model.errors import DaemonError

words = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
keys = st.text(st.characters(exclude_characters="\0=", exclude_categories=["Cs"]), min_size=1, max_size=10)
requests = st.builds(
    Request,
    agent=words,
    event=words,
    stdin=st.binary(),
    id=words,
    env=st.dictionaries(keys, words, max_size=5),
    cwd=words,
)
answers = st.builds(Answer, stdout=st.binary(), stderr=st.binary(), exit=st.integers(0, 255))


def unpacked(packed: bytes) -> frame.RequestDelivery:
    size = frame.REQUEST_HEAD.size
    return frame.unpack_request(frame.read_request_sizes(packed[:size]), packed[size:])


@given(requests, words, st.booleans())
def test_a_request_comes_back_as_it_was(request: Request, version: str, is_repeated: bool) -> None:
    delivery = frame.RequestDelivery(version, request, is_repeated)
    assert unpacked(frame.pack_request(delivery)) == delivery


@given(answers, st.integers(0, 1), st.integers(1, 50), st.integers(0, 3))
def test_an_answer_comes_back_from_pieces_of_any_size(answer: Answer, status: int, step: int, dots: int) -> None:
    packed = b"." * dots + frame.pack_answer(answer, status)
    reader = frame.AnswerReader()
    replies = [reader.feed(packed[at : at + step]) for at in range(0, len(packed), step)]
    assert replies[-1] == frame.AnswerReply(answer, status)
    assert not any(replies[:-1])


@given(st.binary(max_size=80))
def test_bytes_that_are_no_answer_never_become_one(junk: bytes) -> None:
    try:
        reply = frame.AnswerReader().feed(junk)
    except DaemonError:
        return
    assert reply is None or junk.lstrip(b".").startswith(frame.MAGIC)


def test_names_that_are_no_text_survive() -> None:
    env = frame.parse_environment(b"A=\xff\0B=1=2\0=x\0nothing\0B=3\0C=")
    assert env == {"A": os.fsdecode(b"\xff"), "B": "1=2", "C": ""}
    packed = frame.pack_request(frame.RequestDelivery("1", Request("a", "e", b"", "id", env)))
    assert unpacked(packed).request.env == env


@pytest.mark.parametrize(
    "head",
    [
        b"GET / HTTP/1.1\r\n",
        struct.pack("<4sIII", b"SYN1", 1, 1, frame.STDIN_LIMIT + 1),
        struct.pack("<4sIII", b"SYN1", frame.META_LIMIT + 1, 1, 1),
        struct.pack("<4sIII", b"SYN1", 1, frame.ENV_LIMIT + 1, 1),
    ],
)
def test_a_head_that_is_no_request_is_refused(head: bytes) -> None:
    with pytest.raises(DaemonError):
        frame.read_request_sizes(head)


@pytest.mark.parametrize("body", [b"", b"a\0b\0c", b"a\0b\0c\0d\0e\0f"])
def test_a_damaged_request_is_refused(body: bytes) -> None:
    with pytest.raises(DaemonError, match="damaged"):
        frame.unpack_request(frame.RequestSizes(max(len(body), 1), 0, 0), body)


def test_a_request_of_a_dispatcher_that_does_not_say_where_it_runs_is_read() -> None:
    body = b"1\x00id\x00claude\x00Stop"
    request = frame.unpack_request(frame.RequestSizes(len(body), 0, 0), body).request
    assert (request.agent, request.event, request.cwd) == ("claude", "Stop", "")


def test_an_answer_with_a_tail_is_refused() -> None:
    with pytest.raises(DaemonError, match="after the end"):
        frame.AnswerReader().feed(frame.pack_answer(Answer(b"x")) + b"y")
