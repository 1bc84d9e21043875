"""A store in a folder of its own, and records to put there."""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from synaptic.model.call import Answer
from synaptic.model.decision import Decision, Kind, TraceStep
from synaptic.model.home import Home
from synaptic.store.db import Store
from synaptic.store.record import EventRecord

NUMBERS = count(1)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home" / ".synaptic")


@pytest.fixture
def store(home: Home) -> Iterator[Store]:
    opened = Store.open(home)
    yield opened
    opened.close()


@pytest.fixture
def record() -> Callable[..., EventRecord]:
    return make_record


def make_record(**changes) -> EventRecord:
    number = next(NUMBERS)
    values = {
        "call": f"call-{number:08d}",
        "at": 1_700_000_000.0 + number,
        "agent": "claude",
        "event": "PreToolUse",
        "session": "s1",
        "tool": "Bash",
        "root": "/project",
        "payload": '{"tool_name":"Bash","tool_input":{"command":"ls"}}',
        "decision": Decision(
            kind=Kind.DENY,
            by="git.force-push",
            reason="push with lease",
            trace=(TraceStep(hook="git.force-push", kind=Kind.DENY, priority=22, reason="push with lease", micros=7),),
        ),
        "answer": Answer(b'{"decision":"block"}', b"why", 2),
        "micros": 210,
    }
    return EventRecord(**{**values, **changes})
