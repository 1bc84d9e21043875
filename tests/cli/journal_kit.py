"""A journal with a past: events of a made-up yesterday and today, without an engine."""

import json
import time
from datetime import datetime, timedelta
from itertools import count

from synaptic.cli.place import open_database
from synaptic.model.call import Answer
from synaptic.model.decision import Decision, Kind, TraceStep
from synaptic.model.home import Home
from synaptic.store.journal import append_records
from synaptic.store.record import EventRecord

NUMBERS = count(1)
QUIET = Decision(trace=(TraceStep(hook="policies", phase="quiet", note="git.force-push git.stash"),))
FAILED = Decision(
    warnings=("hook demo:guard.sh exited with 1",),
    trace=(TraceStep(hook="demo:guard.sh", fault="crash", note="exited with 1"),),
)
LOST = "`git reset --hard` throws away uncommitted changes for good: 1 file: cart.py +4. Keep them with `git stash`"


def decide(kind: Kind, by: str, reason: str = "", **changes: object) -> Decision:
    step = TraceStep(hook=by, kind=kind, priority=22, reason=reason)
    return Decision(kind=kind, by=by, reason=reason, trace=(step,), **changes)  # type: ignore[arg-type]


def make_event(command: object, decision: Decision = QUIET, **changes: object) -> EventRecord:
    """A call, now, unless something else is said; what is no text is the tool's whole input."""
    given = command if isinstance(command, dict) else {"command": command}
    fields: dict[str, object] = {
        "call": f"kit-{next(NUMBERS):06d}",
        "at": time.time(),
        "agent": "claude",
        "event": "PreToolUse",
        "session": "s1",
        "tool": "Bash",
        "root": "/home/you/shop",
        "decision": decision,
        "payload": json.dumps({"session_id": "s1", "tool_name": "Bash", "tool_input": given}),
        "answer": Answer(b"{}", b"", 0),
        "micros": 412,
    }
    return EventRecord(**{**fields, **changes})  # type: ignore[arg-type]


def write_events(home: Home, *records: EventRecord) -> None:
    with open_database(home) as store:
        append_records(store, records)


def find_yesterday(hour: int, minute: int = 0) -> float:
    day = datetime.now().date() - timedelta(days=1)
    return datetime(day.year, day.month, day.day, hour, minute).timestamp()
