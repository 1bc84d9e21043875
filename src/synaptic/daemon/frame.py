"""The bytes between `dispatch` and the engine: one request frame in, one answer frame out.

Request:  `SYN1`, u32 meta, u32 env, u32 stdin | meta | environ, NUL-joined | stdin
Meta:     version NUL id NUL agent NUL event NUL cwd, then NUL again when it was asked before and not answered
Answer:   any number of `.` while hooks run, then `SYN1`, u8 status, u8 exit, u32 out, u32 err | out | err
"""

import os
import struct
from collections.abc import Iterator, Mapping

import msgspec

from synaptic.model.call import Answer, Request
from synaptic.model.errors import DaemonError

MAGIC = b"SYN1"
KEEP_ALIVE = b"."
KEEP_ALIVE_SECONDS = 1.0
STDIN_LIMIT = 64 * 1024 * 1024
TOO_LARGE_STDIN = b'"its input is larger than 64 MiB"'
"""What stands for an input that nobody reads: no event, and so refused before a tool runs."""
META_LIMIT = 64 * 1024
ENV_LIMIT = 16 * 1024 * 1024
ANSWER_LIMIT = 64 * 1024 * 1024

WORDS = 5
OLD_WORDS = 4
"""Of a dispatcher that does not say where it runs."""
REPEATED = ("again",)

ANSWERED = 0
OTHER_VERSION = 1
"""The daemon is of another version than the client and stops; the client runs the engine itself."""

# `<`: no padding, and the same bytes as native/dispatch.c writes on every machine.
REQUEST_HEAD = struct.Struct("<4sIII")
ANSWER_HEAD = struct.Struct("<4sBBII")


class RequestSizes(msgspec.Struct, frozen=True):
    """How many bytes follow a request's head."""

    meta: int
    env: int
    stdin: int

    @property
    def body(self) -> int:
        return self.meta + self.env + self.stdin


class RequestDelivery(msgspec.Struct, frozen=True):
    """A request with the version of the client that sent it."""

    version: str
    request: Request
    is_repeated: bool = False
    """Asked before, and not answered: whoever has decided it by now says the same once more."""


class AnswerReply(msgspec.Struct, frozen=True):
    """An answer with its status; with `OTHER_VERSION` there is nothing in it."""

    answer: Answer
    status: int = ANSWERED


def pack_request(delivery: RequestDelivery) -> bytes:
    """The whole frame."""
    request = delivery.request
    # Agent and event are words of a command line, which may hold any bytes.
    words = (delivery.version, request.id, request.agent, request.event, request.cwd, *REPEATED[: delivery.is_repeated])
    meta = "\0".join(words).encode("utf-8", "surrogateescape")
    env = b"\0".join(os.fsencode(f"{key}={value}") for key, value in request.env.items())
    return REQUEST_HEAD.pack(MAGIC, len(meta), len(env), len(request.stdin)) + meta + env + request.stdin


def read_request_sizes(head: bytes) -> RequestSizes:
    """What the first `REQUEST_HEAD.size` bytes announce. Raises DaemonError when they are no request."""
    magic, meta, env, stdin = REQUEST_HEAD.unpack(head)
    if magic != MAGIC:
        raise DaemonError(f"not a request: it starts with {magic!r}")
    # Before the body is read: whoever connects must not make us reserve memory by announcing a length.
    if meta > META_LIMIT or env > ENV_LIMIT or stdin > STDIN_LIMIT:
        raise DaemonError(f"a request too large: meta {meta}, environment {env}, stdin {stdin} bytes")
    return RequestSizes(meta, env, stdin)


def unpack_request(sizes: RequestSizes, body: bytes | bytearray | memoryview) -> RequestDelivery:
    """The request in the `sizes.body` bytes after the head."""
    view = memoryview(body)
    meta = bytes(view[: sizes.meta]).decode("utf-8", "surrogateescape").split("\0")
    is_repeated = tuple(meta[WORDS:]) == REPEATED
    if len(view) != sizes.body or len(meta) - is_repeated not in (OLD_WORDS, WORDS):
        raise DaemonError(f"a damaged request: {len(view)} of {sizes.body} bytes, {len(meta)} of {WORDS} words")
    version, call, agent, event, *more = meta
    env = ClientEnvironment(bytes(view[sizes.meta : sizes.meta + sizes.env]))
    stdin = bytes(view[sizes.meta + sizes.env :])
    request = Request(agent=agent, event=event, stdin=stdin, id=call, env=env, cwd="".join(more[:1]))
    return RequestDelivery(version, request, is_repeated)


class ClientEnvironment(Mapping[str, str]):
    """The environment variables of a client, parsed only when more than one or two of them are needed.

    Searching the block for one takes a seventh of the time that a dictionary of a hundred variables takes.
    """

    def __init__(self, block: bytes) -> None:
        # A NUL on both ends, so that the first and the last variable are found like all others.
        self._block = b"\0" + block + b"\0"
        self._parsed: Mapping[str, str] | None = None

    def get(self, key: str, default: str | None = None) -> str | None:  # type: ignore[override]
        """One value, found without reading the others."""
        if self._parsed is not None:
            return self._parsed.get(key, default)
        start = self._block.find(b"\0" + os.fsencode(key) + b"=")
        if start < 0:
            return default
        start += len(key.encode()) + 2
        return os.fsdecode(self._block[start : self._block.index(b"\0", start)])

    def __getitem__(self, key: str) -> str:
        return self._parse_all()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parse_all())

    def __len__(self) -> int:
        return len(self._parse_all())

    def _parse_all(self) -> Mapping[str, str]:
        if self._parsed is None:
            self._parsed = parse_environment(self._block.strip(b"\0"))
        return self._parsed


def parse_environment(block: bytes) -> Mapping[str, str]:
    """NUL-joined `KEY=VALUE` strings; as in a shell the first of two equal keys counts, one without `=` does not."""
    env: dict[str, str] = {}
    for entry in os.fsdecode(block).split("\0"):
        key, equals, value = entry.partition("=")
        if key and equals:
            env.setdefault(key, value)
    return env


def pack_answer(answer: Answer, status: int = ANSWERED) -> bytes:
    """The whole frame, without keep-alives."""
    head = ANSWER_HEAD.pack(MAGIC, status, answer.exit & 0xFF, len(answer.stdout), len(answer.stderr))
    return head + answer.stdout + answer.stderr


class AnswerReader:
    """Collects an answer from pieces of any size."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, piece: bytes) -> AnswerReply | None:
        """The reply once it is whole, else None. Raises DaemonError when these bytes are no answer."""
        self._bytes += piece
        if self._bytes[:1] == KEEP_ALIVE:  # only before the head: an answer's text may begin with anything
            self._bytes = self._bytes.lstrip(KEEP_ALIVE)
        if len(self._bytes) < ANSWER_HEAD.size:
            return None
        magic, status, code, out, err = ANSWER_HEAD.unpack_from(self._bytes)
        if magic != MAGIC or out > ANSWER_LIMIT or err > ANSWER_LIMIT:
            raise DaemonError(f"not an answer: it starts with {bytes(self._bytes[:4])!r}")
        body = self._bytes[ANSWER_HEAD.size :]
        if len(body) < out + err:
            return None
        if len(body) > out + err:
            raise DaemonError(f"{len(body) - out - err} bytes after the end of an answer")
        return AnswerReply(Answer(stdout=bytes(body[:out]), stderr=bytes(body[out:]), exit=code), status)
