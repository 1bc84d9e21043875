"""A row of the journal as it leaves this machine. Pure, and the last place where something could be kept back."""

import math
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Any, Literal

import msgspec

from synaptic.hub.wire import EPOCH_SHIFT, HookRun, ShippedEvent
from synaptic.model.decision import Decision, Fault, TraceStep
from synaptic.model.text import to_utf8
from synaptic.store.journal_payload import find_subject
from synaptic.store.outbox import OutboxRow
from synaptic.store.record import JournalEntry
from synaptic.store.redact import MAX_SECRET, redact_text
from synaptic.work.event_words import drop_handle, show_line, show_text

Contents = Literal["structure", "full"]

MOST_NAME = 200
MOST_PATH = 400
MOST_TEXT = 2000
MOST_LOOKED_AT = 16_000
"""Characters of one text that are redacted; far more than leave."""
MOST_RUNS = 100
MOST_GRANTS = 20
MOST_NUMBER = (1 << 31) - 1
NAMES_KEPT = 4096
TOOL_NAME = re.compile(r"[A-Za-z0-9_.:\-]{1,128}")
"""For other events the same column holds the words of an error, which are contents."""
UNSEEN_PHASES = frozenset({"quiet", "skipped", "raised"})
FAULTS = frozenset(str(fault) for fault in Fault)
NUMBER_KEYS = ("tool_use_id", "toolUseId", "tool_call_id", "toolCallId", "toolcallid")


class _CallNumbers(msgspec.Struct):
    """The keys under which agents number their calls; the rest of a payload is passed over unread."""

    tool_use_id: Any = None
    toolUseId: Any = None
    tool_call_id: Any = None
    toolCallId: Any = None
    toolcallid: Any = None


_numbers = msgspec.json.Decoder(_CallNumbers)


def make_sequence(epoch: int, id: int) -> int:
    """The number of an event for others: the journal's own, below the number of the journal."""
    return epoch << EPOCH_SHIFT | id


def split_sequence(sequence: int) -> tuple[int, int]:
    """The number of the journal, and the event's in it."""
    return sequence >> EPOCH_SHIFT, sequence & ((1 << EPOCH_SHIFT) - 1)


def make_event(row: OutboxRow, epoch: int, user_home: str, contents: Contents) -> ShippedEvent:
    """One event as it travels: texts only with contents, and nothing that looks like a secret in any case."""
    entry = row.entry
    decision, is_full = entry.decision, contents == "full"
    return ShippedEvent(
        seq=make_sequence(epoch, int(entry.id)),
        call=clean_name(entry.call),
        at=_limit_time(entry.at),
        agent=clean_name(entry.agent),
        event=clean_name(entry.event),
        session=clean_name(entry.session),
        agent_id=clean_name(entry.agent_id),
        tool=clean_name(entry.tool) if is_full or TOOL_NAME.fullmatch(entry.tool) else "",
        project=clean_path(entry.root, user_home),
        kind=str(decision.kind),
        by=clean_name(decision.by),
        code=clean_name(decision.code),
        micros=_limit_number(entry.micros),
        size=_limit_number(entry.size),
        exit=max(-MOST_NUMBER, min(row.exit, MOST_NUMBER)),
        tool_use=find_call_number(entry.payload),
        runs=tuple(map(_make_run, islice(_iter_runs(decision), MOST_RUNS))),
        quiet=sum(step.note.count(" ") + 1 for step in decision.trace if step.phase == "quiet"),
        grants=tuple(clean_name(one) for one in decision.grants[:MOST_GRANTS]),
        subject=_make_subject(entry, user_home) if is_full else "",
        reason=_make_reason(decision) if is_full else "",
    )


def make_bare_event(event: ShippedEvent) -> ShippedEvent:
    """What is left of an event that a destination does not take as it is: that there was one, when, and its verdict."""
    return ShippedEvent(
        seq=event.seq, call=event.call, at=event.at, agent=event.agent, event=event.event, kind=event.kind
    )


def make_unread_event(row: OutboxRow, epoch: int) -> ShippedEvent:
    """What leaves of one that cannot be read: that there was one."""
    return ShippedEvent(seq=make_sequence(epoch, int(row.entry.id)), call="", at=0.0, agent="", event="")


def find_call_number(payload: str | None) -> str:
    """The number that the agent gave to its call, by which its own telemetry is joined; "" without one."""
    try:
        numbers = _numbers.decode(payload or "{}")
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return ""
    found = (getattr(numbers, key) for key in NUMBER_KEYS)
    return next((clean_name(one) for one in found if isinstance(one, str) and one), "")


def clean_name(text: str) -> str:
    """A name in one line that can be shown and stored, without what could be a secret: anything can be forged."""
    return _clean_short(text) if len(text) <= MOST_NAME else _clean(text, MOST_NAME)


def clean_path(path: str, user_home: str) -> str:
    """A folder, with the user's home as `~`."""
    short = _shorten_home(path, user_home)
    return _clean_short(short) if len(short) <= MOST_PATH else _clean(short, MOST_PATH)


def clean_text(text: str) -> str:
    """A text of several lines, redacted and cut."""
    return show_text(_redact_start(text, MOST_TEXT))


def _make_subject(entry: JournalEntry, user_home: str) -> str:
    subject = find_subject(entry.payload)
    return clean_text(subject.replace(f"{user_home}/", "~/") if len(user_home) > 1 else subject)


def _make_reason(decision: Decision) -> str:
    """Redacted in its lines, as it is: joined to one, what was a secret may have no shape any more."""
    texts = (decision.reason, *decision.warnings, *decision.feedback, *decision.context, *decision.messages)
    text = next((text for text in texts if text), "")
    return show_text(drop_handle(_redact_start(text, MOST_TEXT)))


def _iter_runs(decision: Decision) -> Iterator[TraceStep]:
    return (step for step in decision.trace if step.phase not in UNSEEN_PHASES)


def _make_run(step: TraceStep) -> HookRun:
    fault = step.fault if not step.fault or step.fault in FAULTS else "other"
    return HookRun(clean_name(step.hook), str(step.kind), _limit_number(step.micros), fault)


@lru_cache(maxsize=NAMES_KEPT)
def _clean_short(text: str) -> str:
    """Names come again with every event; long ones are not kept."""
    return _clean(text, MOST_PATH)


def _clean(text: str, most: int) -> str:
    return show_line(_redact_start(text, most))


def _redact_start(text: str, most: int) -> str:
    """The beginning of a text. Of one that is too long to be looked at whole, nothing that is near the cut: what is
    left of a secret there has no shape any more."""
    clean = redact_text(to_utf8(text[:MOST_LOOKED_AT]))
    is_whole = len(text) <= MOST_LOOKED_AT
    return clean[: most if is_whole else min(most, max(0, len(clean) - MAX_SECRET))]


def _shorten_home(path: str, user_home: str) -> str:
    if len(user_home) > 1 and (path == user_home or path.startswith(f"{user_home}/")):
        return f"~{path[len(user_home) :]}"
    return path


def _limit_number(number: float) -> int:
    return int(max(0, min(number, MOST_NUMBER))) if math.isfinite(number) else 0


def _limit_time(at: float) -> float:
    """A time that every database can hold; a damaged row may have any number there."""
    return float(at) if math.isfinite(at) and 0 <= at < 4e9 else 0.0
