"""How full the context is and why a turn ended, from the transcript: only what is new in it is read."""

import os
from collections.abc import Mapping

from synaptic.daemon.facts.base import Gatherer, Means
from synaptic.daemon.facts.layers import place_of
from synaptic.model.call import Call
from synaptic.model.errors import StoreError
from synaptic.model.layers import Session
from synaptic.parse import transcript
from synaptic.store.layers import resolve

PIECE = 256 * 1024
"""More than this is never read at once: what is new at the end is what counts."""
END = 64 * 1024
WINDOW_VARIABLE = "CLAUDE_CODE_AUTO_COMPACT_WINDOW"


async def usage(call: Call, means: Means) -> float | None:
    """The share of the window that the newest turn took; what was known where the transcript tells nothing."""
    session = _session(call, means)
    if session is None:
        return None
    return _read(call, means, session)[0]


async def usage_offset(call: Call, means: Means) -> int | None:
    """Up to where the transcript is known then."""
    session = _session(call, means)
    if session is None:
        return None
    return _read(call, means, session)[1]


async def exhaustion(call: Call, means: Means) -> str:
    """From the transcript's end."""
    size = _size(call.event.transcript_path)
    return transcript.exhaustion(_piece(call.event.transcript_path, max(0, size - END), size)) if size else ""


FACTS: Mapping[str, Gatherer] = {"usage": usage, "usage_offset": usage_offset, "exhaustion": exhaustion}


def _session(call: Call, means: Means) -> Session | None:
    """The main agent's: a sub-agent's calls name the transcript of its parent."""
    if call.event.agent_id:
        return None
    try:
        return resolve(means.store, place_of(call)).session
    except StoreError:
        return None


def _read(call: Call, means: Means, session: Session) -> tuple[float | None, int | None]:
    path = call.event.transcript_path
    size = _size(path)
    known = means.store.transcripts.get(path)
    offset = known[0] if known else session.offset
    if known and size == known[0]:
        return known[1], known[0]
    if size < offset:
        offset = 0  # truncated or another file under this name
    start = max(offset, size - PIECE)
    piece = _piece(path, start, size)
    turn = transcript.newest_turn(piece)
    end = start + transcript.complete(piece)
    share = turn.share(_window(call, means)) if turn else (known[1] if known else session.usage)
    if len(means.store.transcripts) > 256:
        means.store.transcripts.clear()
    means.store.transcripts[path] = (end, share)
    return share, end


def _window(call: Call, means: Means) -> int:
    """What the effort or the agent's environment says about it; 0 leaves it to the model."""
    effort = resolve(means.store, place_of(call)).effort
    given = effort.metadata.get("contextWindow") if effort else None
    if isinstance(given, int) and given > 0:
        return given
    limited = call.env.get(WINDOW_VARIABLE, "")
    return int(limited) if limited.isascii() and limited.isdigit() else 0


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size if path else 0  # noqa: PTH116
    except (OSError, ValueError):
        return 0


def _piece(path: str, start: int, end: int) -> bytes:
    if end <= start:
        return b""
    try:
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123
            file.seek(start)
            return file.read(end - start) or b""
    except (OSError, ValueError):
        return b""
