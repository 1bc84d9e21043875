"""The files of a project that a session's tool calls have written, read from what the journal has kept of them."""

import os
import time
from collections.abc import Iterable, Iterator

from synaptic.agents.shared.discover import find_adapter
from synaptic.model.call import Request
from synaptic.model.errors import PayloadError
from synaptic.model.event import PostToolUse, ToolEvent
from synaptic.policies.reading import runs_elsewhere
from synaptic.shell.effects.targets import find_targets
from synaptic.shell.reading import CommandReading
from synaptic.store.changed_files import FinishedCall

MOST_FILES = 500
MOST_SECONDS = 2.0
"""Reading a long session ends after this: what it changed last is read first."""


def list_changed_files(calls: Iterable[FinishedCall], root: str, home: str) -> dict[str, int]:
    """Paths below the root, in the order of their last change, each with the number of the call that made it.

    `calls` are the newest first. Files outside of the project are left out, and of very many the oldest.
    """
    found: dict[str, int] = {}
    roots = tuple(f"{one.rstrip('/')}/" for one in dict.fromkeys((root, os.path.realpath(root))))
    ends = time.monotonic() + MOST_SECONDS
    for call in calls:
        for path in _iter_written(call, root, home):
            if inside := next((path.removeprefix(one) for one in roots if path.startswith(one)), ""):
                found.setdefault(inside, call.id)
        if len(found) >= MOST_FILES or time.monotonic() > ends:
            break
    return dict(reversed(list(found.items())[:MOST_FILES]))


def _iter_written(call: FinishedCall, root: str, home: str) -> Iterator[str]:
    event = _decode_event(call)
    if event is None:
        return
    start, tool = event.cwd or root, event.tool
    if tool.may_write and isinstance(event, PostToolUse):  # an edit that failed has changed nothing
        yield from (os.path.normpath(os.path.join(start, path)) for path in tool.paths)  # noqa: PTH118 - text only
    if tool.command:
        known = CommandReading(tool.command, start, home)
        writes = (one for one in known.effects.writes if not one.word.glob and not runs_elsewhere(one))
        yield from (os.path.normpath(target.path) for target in find_targets(writes, known.standpoint))


def _decode_event(call: FinishedCall) -> ToolEvent | None:
    try:
        event = find_adapter(call.agent).decode(Request(call.agent, call.event, call.payload, "")).event
    except PayloadError:
        return None
    return event if isinstance(event, ToolEvent) else None
