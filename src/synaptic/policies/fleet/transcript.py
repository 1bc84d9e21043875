"""What an agent's transcript tells: how full the context is, and why a turn ended."""

import re
from collections.abc import Iterator
from functools import lru_cache

import msgspec

WINDOW = 200_000
LARGE_WINDOW = 1_000_000
LARGE_WINDOW_MODEL = re.compile(r"\[1m\]|claude-(?!3-|(?:haiku|sonnet|opus)-4(?:$|-20\d|-[1-6](?!\d)))", re.IGNORECASE)
"""Models with the large window: those of Claude after 4.6, and older ones that were asked for with it."""
RATE_LIMIT = re.compile(rb'"(?:rate_limit|rate_limit_error|overloaded|overloaded_error)"|hit your limit', re.IGNORECASE)
EXHAUSTED = re.compile(rb"prompt is too long|conversation is too long|context_length_exceeded", re.IGNORECASE)
END_LINES = 50
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
    isSidechain: bool = False  # as the transcript spells it
    isApiErrorMessage: bool = False


class Turn(msgspec.Struct, frozen=True):
    """What the newest answer of the model took of its window."""

    tokens: int
    model: str = ""

    def compute_share(self, window: int = 0) -> float:
        """From 0 to 1, against the window that is given or that the model has."""
        size = window or find_window_size(self.model, self.tokens)
        return round(min(1.0, self.tokens / size), 4)


_decoder = msgspec.json.Decoder(_TranscriptLine)


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
    return Turn(held + usage.output_tokens, message.model) if held else None


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
