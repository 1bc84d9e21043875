"""From the transcript: how full the context is, why a turn ended, what was said. Only what is new in it is read."""

import asyncio
import os
from collections.abc import Mapping

import msgspec

from synaptic.facts.gather import EngineMeans, Gatherer
from synaptic.facts.layers import find_call_layers
from synaptic.files.bounded import read_from, read_own_news
from synaptic.model.call import Call
from synaptic.model.errors import StoreError
from synaptic.model.layers import ContextUsage, Session, TranscriptMessage, TranscriptNews
from synaptic.model.text import to_utf8
from synaptic.policies.fleet import transcript
from synaptic.store import layers, messages
from synaptic.store.redact import redact_text

MAX_PIECE_BYTES = 256 * 1024
"""More than this is never read at once: what is new at the end is what counts."""
END_BYTES = 64 * 1024
MAX_TRANSCRIPTS = 256
MAX_NEWS_BYTES = 4 * 1024 * 1024
"""What is read at once; of a turn that wrote more, the beginning is left out."""
MAX_NEWS_MESSAGES = 1000
"""What is taken in at once; the rest comes with the next event."""
TRANSCRIPT_ENDING = ".jsonl"
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


async def gather_transcript_news(call: Call, means: EngineMeans) -> TranscriptNews | None:
    """What the window's own transcript says beyond the stored place; None where that is nothing."""
    path = call.event.transcript_path
    if call.event.agent_id or not path.startswith("/") or not path.endswith(TRANSCRIPT_ENDING):
        return None
    try:
        session = _find_own_session(call, means)
        # Another file than the window began with is not its own.
        if session is None or session.transcript not in ("", path):
            return None
        known = messages.find_ingested(means.store, session.id, path)
    except StoreError:
        return None
    # Beside the event loop: megabytes are decoded and looked through for secrets.
    found = await asyncio.to_thread(read_news, path, known, call.at)
    return msgspec.structs.replace(found, session=session.id) if found else None


def read_news(path: str, known: int, now: float) -> TranscriptNews | None:
    """Read the whole lines behind a place, as many as are allowed at once: the newest, where there are more."""
    piece, start = read_own_news(path, known, MAX_NEWS_BYTES)
    kept: list[TranscriptMessage] = []
    end = 0
    for line in piece[: transcript.count_complete(piece)].split(b"\n")[:-1]:
        if len(kept) == MAX_NEWS_MESSAGES:
            break
        end += len(line) + 1
        if said := transcript.parse_message(line):
            kept.append(_clean_message(said, now))
    return TranscriptNews(path=path, known=known, end=start + end, messages=tuple(kept)) if end else None


FACTS: Mapping[str, Gatherer] = {
    "usage": gather_usage,
    "exhaustion": gather_exhaustion,
    "transcript_news": gather_transcript_news,
}


def _find_own_session(call: Call, means: EngineMeans) -> Session | None:
    """The window's session; one that has handed over in this turn has ended, and its last words are still its own."""
    found = find_call_layers(call, means)
    if found.session is not None or found.effort is None:
        return found.session
    name = call.env.get("AGENT_ID", "")
    last = layers.find_newest_session(means.store, found.effort.id, name, call.event.session_id)
    return last if last and last.host and last.host == call.event.session_id else None


def _clean_message(message: TranscriptMessage, now: float) -> TranscriptMessage:
    """Without secrets, and not from the future."""
    at = message.at if 0 < message.at <= now else now
    return msgspec.structs.replace(message, content=redact_text(to_utf8(message.content)), at=at)


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
