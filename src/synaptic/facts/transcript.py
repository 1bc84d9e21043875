"""How full the context is and why a turn ended, from the transcript: only what is new in it is read."""

import os
from collections.abc import Mapping

from synaptic.facts.gather import EngineMeans, Gatherer
from synaptic.facts.layers import resolved
from synaptic.model.call import Call
from synaptic.model.layers import Session, Usage
from synaptic.policies.fleet import transcript

PIECE = 256 * 1024
"""More than this is never read at once: what is new at the end is what counts."""
END = 64 * 1024
TRANSCRIPTS = 256
WINDOW_VARIABLE = "CLAUDE_CODE_AUTO_COMPACT_WINDOW"


async def usage(call: Call, means: EngineMeans) -> Usage:
    """The share of the window that the newest turn took; what was known where the transcript tells nothing new."""
    found = resolved(call, means)
    if found.session is None or call.event.agent_id:  # a sub-agent's calls name the transcript of its parent
        return Usage()
    return _read(call, means, found.session)


async def exhaustion(call: Call, means: EngineMeans) -> str:
    """`rate-limit` or `context` when the transcript says that the turn ended with that; "" otherwise."""
    size = _size(call.event.transcript_path)
    return transcript.exhaustion(_piece(call.event.transcript_path, max(0, size - END), size)) if size else ""


FACTS: Mapping[str, Gatherer] = {"usage": usage, "exhaustion": exhaustion}


def _read(call: Call, means: EngineMeans, session: Session) -> Usage:
    path = call.event.transcript_path
    size = _size(path)
    if not size:
        return Usage(_left(call, session).share)
    known = means.transcripts.get(path) or _left(call, session)
    if size == known.offset and path in means.transcripts:
        return known
    offset = known.offset or 0
    if size < offset:
        offset = 0  # truncated, or another file under this name
    start = max(offset, size - PIECE)
    piece = _piece(path, start, size)
    turn = transcript.newest_turn(piece)
    before = None if transcript.compacted(piece) else known.share
    share = turn.share(_window(call, means)) if turn else before
    if len(means.transcripts) > TRANSCRIPTS:
        means.transcripts.clear()
    found = means.transcripts[path] = Usage(share, start + transcript.complete(piece))
    return found


def _left(call: Call, session: Session) -> Usage:
    """Continue from the usage in the session's row, unless the row belongs to another window of the agent."""
    host = call.event.session_id
    other = session.host and host and session.host != host
    return Usage() if other else Usage(session.usage, session.offset)


def _window(call: Call, means: EngineMeans) -> int:
    """What the effort or the agent's environment says about it; 0 leaves it to the model."""
    effort = resolved(call, means).effort
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
        # The path comes from the payload: O_NONBLOCK keeps a named pipe in its place from hanging the daemon.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except (OSError, ValueError):
        return b""
    try:
        return os.pread(descriptor, end - start, start)
    except OSError:
        return b""
    finally:
        os.close(descriptor)
