"""How full the context is and why a turn ended, from the transcript: only what is new in it is read."""

import os
from collections.abc import Mapping

from synaptic.facts.gather import EngineMeans, Gatherer
from synaptic.facts.layers import find_call_layers
from synaptic.files.bounded import read_from
from synaptic.model.call import Call
from synaptic.model.layers import ContextUsage, Session
from synaptic.policies.fleet import transcript

MAX_PIECE_BYTES = 256 * 1024
"""More than this is never read at once: what is new at the end is what counts."""
END_BYTES = 64 * 1024
MAX_TRANSCRIPTS = 256
WINDOW_VARIABLE = "CLAUDE_CODE_AUTO_COMPACT_WINDOW"


async def gather_usage(call: Call, means: EngineMeans) -> ContextUsage:
    """The share of the window that the newest turn took; what was known where the transcript tells nothing new."""
    found = find_call_layers(call, means)
    if found.session is None or call.event.agent_id:  # a sub-agent's calls name the transcript of its parent
        return ContextUsage()
    return _read_usage(call, means, found.session)


async def gather_exhaustion(call: Call, means: EngineMeans) -> str:
    """`rate-limit` or `context` when the transcript says that the turn ended with that; "" otherwise."""
    size = _find_size(call.event.transcript_path)
    return (
        transcript.detect_exhaustion(_read_piece(call.event.transcript_path, max(0, size - END_BYTES), size))
        if size
        else ""
    )


FACTS: Mapping[str, Gatherer] = {"usage": gather_usage, "exhaustion": gather_exhaustion}


def _read_usage(call: Call, means: EngineMeans, session: Session) -> ContextUsage:
    path = call.event.transcript_path
    size = _find_size(path)
    if not size:
        return ContextUsage(_recall_usage(call, session).share)
    known = means.transcripts.get(path) or _recall_usage(call, session)
    if size == known.offset and path in means.transcripts:
        return known
    offset = known.offset or 0
    if size < offset:
        offset = 0  # truncated, or another file under this name
    start = max(offset, size - MAX_PIECE_BYTES)
    piece = _read_piece(path, start, size)
    turn = transcript.find_newest_turn(piece)
    before = None if transcript.has_compaction(piece) else known.share
    share = turn.compute_share(_find_window(call, means)) if turn else before
    if len(means.transcripts) > MAX_TRANSCRIPTS:
        means.transcripts.clear()
    found = means.transcripts[path] = ContextUsage(share, start + transcript.count_complete(piece))
    return found


def _recall_usage(call: Call, session: Session) -> ContextUsage:
    """Continue from the usage in the session's row, unless the row belongs to another window of the agent."""
    host = call.event.session_id
    other = session.host and host and session.host != host
    return ContextUsage() if other else ContextUsage(session.usage, session.offset)


def _find_window(call: Call, means: EngineMeans) -> int:
    """What the effort or the agent's environment says about it; 0 leaves it to the model."""
    effort = find_call_layers(call, means).effort
    given = effort.metadata.get("contextWindow") if effort else None
    if isinstance(given, int) and given > 0:
        return given
    limited = call.env.get(WINDOW_VARIABLE, "")
    return int(limited) if limited.isascii() and limited.isdigit() else 0


def _find_size(path: str) -> int:
    try:
        return os.stat(path).st_size if path else 0  # noqa: PTH116
    except (OSError, ValueError):
        return 0


def _read_piece(path: str, start: int, end: int) -> bytes:
    return read_from(path, start, end - start) if end > start else b""
