"""What an agent's transcript tells: how full the context is, and why a turn ended."""

import re
from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache

import msgspec

from synaptic.model.layers import TranscriptMessage

WINDOW = 200_000
LARGE_WINDOW = 1_000_000
LARGE_WINDOW_MODEL = re.compile(r"\[1m\]|claude-(?!3-|(?:haiku|sonnet|opus)-4(?:$|-20\d|-[1-6](?!\d)))", re.IGNORECASE)
"""Models with the large window: those of Claude after 4.6, and older ones that were asked for with it."""
RATE_LIMIT = re.compile(rb'"(?:rate_limit|rate_limit_error|overloaded|overloaded_error)"|hit your limit', re.IGNORECASE)
EXHAUSTED = re.compile(rb"prompt is too long|conversation is too long|context_length_exceeded", re.IGNORECASE)
END_LINES = 50
SPEAKERS = ("user", "assistant")
MAX_LINE = 256 * 1024
"""Bytes of a line that can be somebody's words: longer ones carry files and pictures."""
MAX_TEXT, MAX_TOOL = 4000, 200
"""Letters of a message and of a tool's name that are kept."""
COMPACTION_MARK = b'"subtype":"compact_boundary"'


class _Usage(msgspec.Struct, frozen=True):
    input_tokens: int = 0
    cache_creation_input_tokens: int = 0
    cache_read_input_tokens: int = 0
    output_tokens: int = 0


class _Message(msgspec.Struct, frozen=True):
    usage: _Usage | None = None
    model: str = ""


class _TranscriptLine(msgspec.Struct, frozen=True):
    message: _Message | None = None
    type: str = ""
    timestamp: str = ""
    isSidechain: bool = False  # as the transcript spells it
    isApiErrorMessage: bool = False


class _Block(msgspec.Struct, frozen=True):
    type: str = ""
    text: str = ""
    name: str = ""
    input: msgspec.Raw = msgspec.Raw(b"")


class _SaidMessage(msgspec.Struct, frozen=True):
    content: str | list[_Block] = ""


class _Entry(msgspec.Struct, frozen=True):
    type: str = ""
    message: _SaidMessage | None = None
    timestamp: str = ""
    isSidechain: bool = False  # as the transcript spells it
    isMeta: bool = False


class Turn(msgspec.Struct, frozen=True):
    """What the newest answer of the model took of its window."""

    tokens: int
    model: str = ""
    written: int = 0
    """Of the tokens, those that the model wrote."""
    at: float = 0.0
    """0 where the line says no time."""

    def compute_share(self, window: int = 0) -> float:
        """From 0 to 1, against the window that is given or that the model has."""
        size = window or find_window_size(self.model, self.tokens)
        return round(min(1.0, self.tokens / size), 4)


_decoder = msgspec.json.Decoder(_TranscriptLine)
_entry_decoder = msgspec.json.Decoder(_Entry)


def find_window_size(model: str, tokens: int = 0) -> int:
    """The tokens a model can hold; one that holds more than the usual window has the large one."""
    return LARGE_WINDOW if tokens > WINDOW or _has_large_window(model) else WINDOW


@lru_cache(maxsize=64)
def _has_large_window(model: str) -> bool:
    return LARGE_WINDOW_MODEL.search(model) is not None


def count_complete(piece: bytes) -> int:
    """How many of these bytes are whole lines."""
    return piece.rfind(b"\n") + 1


def has_compaction(piece: bytes) -> bool:
    """Whether these lines hold a compaction."""
    return COMPACTION_MARK in piece


def find_newest_turn(piece: bytes) -> Turn | None:
    """The newest answer of the main agent among these lines; a line that is cut or is no JSON is skipped.

    What was before a compaction is no longer in the context.
    """
    # From the end back, and only lines that mention usage: decoding every line would cost far more.
    first, end = piece.rfind(COMPACTION_MARK) + 1, len(piece)
    while (found := piece.rfind(b'"usage"', first, end)) >= 0:
        start = piece.rfind(b"\n", 0, found) + 1
        stop = piece.find(b"\n", found)
        turn = _parse_turn(piece[start : stop if stop >= 0 else len(piece)])
        if turn is not None:
            return turn
        end = start
    return None


def _parse_turn(line: bytes) -> Turn | None:
    try:
        read = _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    message = read.message
    # A sub-agent's answer fills its own context, not this one.
    if read.type != "assistant" or read.isSidechain or message is None or message.usage is None:
        return None
    usage = message.usage
    held = usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens
    if not held:
        return None
    return Turn(held + usage.output_tokens, message.model, usage.output_tokens, _parse_time(read.timestamp))


def iter_turns(piece: bytes) -> Iterator[Turn]:
    """The answers of the main agent among these lines, in their order."""
    for line in piece.splitlines():
        if b'"usage"' in line and (turn := _parse_turn(line)) is not None:
            yield turn


def parse_message(line: bytes) -> TranscriptMessage | None:
    """What was said in a line; None where it is no JSON, no message, a sub-agent's or a tool's result."""
    read = _parse_entry(line)
    if read is None or read.type not in SPEAKERS or read.isSidechain or read.isMeta or read.message is None:
        return None
    text, tool = _read_content(read.message.content)
    if not text:
        return None
    return TranscriptMessage(role=read.type, content=text[:MAX_TEXT], tool=tool, at=_parse_time(read.timestamp))


def _parse_entry(line: bytes) -> _Entry | None:
    try:
        return _entry_decoder.decode(line) if 0 < len(line) <= MAX_LINE else None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _read_content(content: str | list[_Block]) -> tuple[str, str]:
    """The words of a message, and the first tool that it calls: without words, what the tool is given."""
    if isinstance(content, str):
        return content.strip(), ""
    words = "\n".join(block.text.strip() for block in content if block.type == "text" and block.text.strip())
    call = next((block for block in content if block.type == "tool_use"), None)
    if call is None:
        return words, ""
    return words or bytes(call.input)[:MAX_TEXT].decode("utf-8", "replace") or "{}", call.name[:MAX_TOOL]


def _parse_time(text: str) -> float:
    try:
        return datetime.fromisoformat(text).timestamp() if text else 0.0
    except (ValueError, OverflowError, OSError):
        return 0.0


def detect_exhaustion(tail: bytes) -> str:
    """What the end of a transcript says the turn ended with: nothing, `rate-limit` or `context`.

    Only what stands behind the model's newest answer counts: a limit from before it is over.
    """
    end = b"\n".join(_iter_since_answer(tail.splitlines()[-END_LINES:]))
    if EXHAUSTED.search(end):
        return "context"
    return "rate-limit" if RATE_LIMIT.search(end) else ""


def _iter_since_answer(lines: list[bytes]) -> Iterator[bytes]:
    """From the end back to the newest answer, without what somebody said: they may well speak about limits."""
    for line in reversed(lines):
        speaker = _find_speaker(line)
        if speaker == "assistant":
            return
        if not speaker:
            yield line


def _find_speaker(line: bytes) -> str:
    """The role that wrote a line; empty for an API error in the assistant's name, and for a line that is no message."""
    try:
        read = _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""
    said = read.type in ("user", "assistant") and not read.isApiErrorMessage
    return ("sub-agent" if read.isSidechain else read.type) if said else ""
