"""Compare an agent's transcript with what was witnessed: which of its calls no hook has seen. After the answer only."""

import logging
import os
import time
from collections.abc import Iterator, Mapping

import msgspec

from synaptic.agents.shared.discover import find_agent, list_agent_names
from synaptic.agents.shared.transcripts import is_own_transcript
from synaptic.agents.shared.wired import lacks_own_entry
from synaptic.files.bounded import read_own_news
from synaptic.model.call import Call
from synaptic.model.errors import StoreError
from synaptic.model.event import PreToolUse
from synaptic.model.home import Home
from synaptic.model.witness import Sign
from synaptic.store import witnessed
from synaptic.store.db import Store
from synaptic.store.witnessed import WitnessedSession, WrittenCall

log = logging.getLogger(__name__)

MOST_BYTES = 4 * 1024 * 1024
"""What is read at once; of a transcript that has grown more, the beginning is left out."""
LEAST_LINE = 40
"""Bytes of a line that can tell of a call: millions of empty ones are no work."""
CLOCK_SLACK = 2.0
"""Seconds by which a line may seem older than the session's first event."""
BEGINNING = frozenset({"SessionStart", "UserPromptSubmit"})
ENDING = frozenset({"Stop", "SubagentStop", "SessionEnd"})


def follow_transcript(home: Home, store: Store, call: Call) -> None:
    """Note where a session's transcript is when it begins; compare it when a turn ends. Never raises."""
    event = call.event
    name = event.hook_event_name
    if name not in BEGINNING | ENDING or not event.session_id or call.agent not in list_agent_names():
        return
    try:
        known = _find_session(store, call)
        if known and name in ENDING:
            reconcile_session(home, store, known, call.env)
    except Exception as error:  # noqa: BLE001 - nobody waits for it, and the next turn tries again
        log.debug("the transcript of %s cannot be compared: %s", event.session_id, error)


def reconcile_session(home: Home, store: Store, known: WitnessedSession, env: Mapping[str, str]) -> int:
    """Take in what is new in a session's transcript; how many of its calls no hook has seen. Raises StoreError."""
    if not is_own_transcript(find_agent(known.agent), known.transcript, known.name, env):
        return 0
    piece, start = read_own_news(known.transcript, known.place, MOST_BYTES)
    length = piece.rfind(b"\n") + 1
    if not length:
        return 0
    if start < known.place:  # it was cut, or is another file: what it holds may be what was compared before
        witnessed.add_written(store, known, (), start + length, Sign(0))
        return 0
    calls = tuple(_iter_calls(known, piece[:length]))
    lost = lacks_own_entry(home, known.agent, env, PreToolUse.__name__)
    signs = Sign.NO_ENTRY | Sign.TOLD if lost else Sign(0)
    return witnessed.add_written(store, known, calls, start + length, signs)


def _find_session(store: Store, call: Call) -> WitnessedSession | None:
    """The session with its own transcript; one that names none, or another one, has none that proves anything."""
    event = call.event
    known = witnessed.find_session(store, event.session_id)
    if known is None or known.agent != call.agent:
        return None
    path = event.transcript_path
    if known.transcript or not is_own_transcript(find_agent(call.agent), path, event.session_id, call.env):
        return known if known.transcript else None
    size = _measure(path)
    witnessed.set_transcript(store, event.session_id, path, size)
    return msgspec.structs.replace(known, transcript=path, place=size)


def _iter_calls(known: WitnessedSession, piece: bytes) -> Iterator[WrittenCall]:
    """Calls that have run since the session's first event, each once."""
    read = find_agent(known.agent).trail.read_line
    seen: set[str] = set()
    now = time.time()
    for line in piece.split(b"\n") if read else ():
        for step in read(line) if read and len(line) >= LEAST_LINE else ():
            if step.has_run and step.number not in seen and step.at >= known.first - CLOCK_SLACK:
                seen.add(step.number)
                yield WrittenCall(step.number, min(step.at, now))


def _measure(path: str) -> int:
    try:
        return os.stat(path).st_size  # noqa: PTH116
    except OSError:
        return 0


def reconcile_all(home: Home, store: Store, since: float, env: Mapping[str, str]) -> None:
    """Compare the transcripts of all sessions of some days; one that cannot be read is left out."""
    for known in witnessed.list_sessions(store, since):
        try:
            while reconcile_step(home, store, known, env):
                known = witnessed.find_session(store, known.name) or known
        except (StoreError, OSError) as error:
            log.debug("%s: %s", known.transcript, error)


def reconcile_step(home: Home, store: Store, known: WitnessedSession, env: Mapping[str, str]) -> bool:
    """Take in one piece; whether there may be more."""
    reconcile_session(home, store, known, env)
    after = witnessed.find_session(store, known.name)
    return after is not None and after.place > known.place
