"""How full a session's context was over time, and what the model wrote: from the transcript that is the agent's own."""

import os
from collections.abc import Mapping
from functools import lru_cache

import msgspec

from synaptic.agents.shared.discover import find_agent, list_agent_names
from synaptic.agents.shared.transcripts import is_own_transcript
from synaptic.files.bounded import read_end
from synaptic.model.errors import StoreError
from synaptic.policies.fleet.transcript import find_window_size, iter_turns
from synaptic.store.db import Store
from synaptic.store.witnessed import find_transcript

MOST_BYTES = 16 * 1024 * 1024
"""Of a transcript, its end."""
MOST_POINTS = 500


class ContextPoint(msgspec.Struct, frozen=True):
    """One answer of the model."""

    at: float
    tokens: int
    """What is in its context, the answer included."""
    share: float
    written: int
    """Tokens that the model has written up to here, as far as the transcript was read."""


def read_context(store: Store, session: str, env: Mapping[str, str]) -> tuple[ContextPoint, ...]:
    """The answers of a session, thinned out evenly; none where no transcript is known to be its own."""
    try:
        known = find_transcript(store, session)
    except StoreError:
        return ()
    if known is None or known.agent not in list_agent_names():
        return ()
    if not is_own_transcript(find_agent(known.agent), known.transcript, known.name, env):
        return ()
    try:
        status = os.stat(known.transcript)  # noqa: PTH116
    except OSError:
        return ()
    return _read_points(known.transcript, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=8)
def _read_points(path: str, size: int, changed: int) -> tuple[ContextPoint, ...]:
    """Of a file as it is now: a page asks several times."""
    return thin_out(list_points(read_end(path, MOST_BYTES)))


def list_points(piece: bytes) -> tuple[ContextPoint, ...]:
    """All answers of a piece of a transcript. An answer in several lines counts once with each line's latest count."""
    found: list[ContextPoint] = []
    written, window = 0, 0
    for turn in iter_turns(piece):
        written += turn.written
        window = max(window, find_window_size(turn.model, turn.tokens))
        found.append(ContextPoint(turn.at, turn.tokens, turn.compute_share(window), written))
    return tuple(one for one in found if one.at)


def thin_out(points: tuple[ContextPoint, ...]) -> tuple[ContextPoint, ...]:
    """At most so many, the last one among them."""
    step = len(points) // MOST_POINTS + 1
    return tuple(reversed(points[::-1][::step]))
