"""A batch that a host has sent, looked at whole before anything is written, and what it becomes in the database."""

import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import msgspec

from synaptic.hub.server.bodies import decode_body
from synaptic.hub.server.refused import RequestError
from synaptic.hub.wire import MOST_EVENTS, EventBatch, HookRun, ShippedEvent

AHEAD_SECONDS = 2 * 86400.0
"""How far in the future an event is kept: clocks differ, and hosts may be asked about days that are not over."""
MOST_TEXT, MOST_NAME = 16_000, 200
MOST_ROW = 4_000
MOST_RUNS = 400
MOST_SEQ, MOST_INT, MOST_BIG = (1 << 63) - 1, (1 << 31) - 1, (1 << 63) - 1
EPOCH = date(1970, 1, 1)
COLUMNS = (
    "seq, at, size, day, host, micros, exit, quiet, call, agent, event, kind, tool, by, code, session, agent_id,"
    " project, tool_use, subject, reason, runs, grants"
)
ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
encode = msgspec.json.Encoder().encode
TextChange = Callable[[str], str]


class PreparedBatch(msgspec.Struct, frozen=True):
    """What is known of a batch before a database is asked: it was looked at, and is ready to be copied."""

    after: int
    last: int
    events: tuple[ShippedEvent, ...]
    days: tuple[date, ...]
    """Of each event."""
    is_plain: bool
    """Whether no text of it has anything that `COPY` would have to be told about."""


def read_batch(body: bytes, keep_days: int) -> PreparedBatch:
    """Raises RequestError for what no host of ours would send."""
    is_plain = b"\\" not in body
    batch = decode_body(body, EventBatch)
    _check_order(batch)
    now = time.time()
    events = _bound_times(batch.events, now)
    days = find_days([event.at for event in events], now, keep_days)
    return PreparedBatch(batch.after, events[-1].seq if events else batch.after, events, days, is_plain)


def _check_order(batch: EventBatch) -> None:
    if len(batch.events) > MOST_EVENTS:
        raise RequestError(413, f"a batch has up to {MOST_EVENTS} events")
    before = batch.after
    if not 0 <= before <= MOST_SEQ:
        raise RequestError(400, "`after` is no sequence")
    for event in batch.events:
        if event.seq <= before:
            raise RequestError(400, f"event {event.seq} does not come after {before}")
        before = event.seq
    if before > MOST_SEQ:
        raise RequestError(400, f"{before} is no sequence")


def _bound_times(events: tuple[ShippedEvent, ...], now: float) -> tuple[ShippedEvent, ...]:
    """A clock that was wrong costs an event its time, and no host the way of all that comes after it."""
    latest = now + AHEAD_SECONDS
    if all(0 <= event.at <= latest for event in events):
        return events
    return tuple(msgspec.structs.replace(event, at=min(max(event.at, 0.0), latest)) for event in events)


def find_days(times: list[float], now: float, keep_days: int) -> tuple[date, ...]:
    """The day under which each event is kept: its own, within what is kept at all."""
    today = datetime.fromtimestamp(now, UTC).date()
    first, last = (today - timedelta(keep_days) - EPOCH).days, (today - EPOCH).days + 1
    known: dict[int, date] = {}
    found = []
    for at in times:
        number = min(max(int(at // 86400), first), last)
        if (day := known.get(number)) is None:
            day = known[number] = EPOCH + timedelta(number)
        found.append(day)
    return tuple(found)


def encode_rows(batch: PreparedBatch, host: int) -> bytes:
    """The text that `COPY` reads, made before a connection is held: one write, not a thousand that are awaited."""
    write = _write_plain if batch.is_plain else _write_escaped
    shown = {day: day.isoformat() for day in set(batch.days)}
    rows = []
    for event, day in zip(batch.events, batch.days, strict=True):
        row = write(event, shown[day], host)
        rows.append(row if len(row) <= MOST_ROW else _write_escaped(_clip_event(event), shown[day], host))
    return "".join(rows).encode()


def _write_plain(e: ShippedEvent, day: str, host: int) -> str:
    runs = encode(e.runs).decode() if e.runs else "\\N"
    grants = encode(e.grants).decode() if e.grants else "\\N"
    return (
        f"{e.seq}\t{e.at!r}\t{bound(e.size, MOST_BIG)}\t{day}\t{host}\t{bound(e.micros, MOST_INT)}\t"
        f"{bound(e.exit, MOST_INT)}\t{bound(e.quiet, MOST_INT)}\t{e.call}\t{e.agent}\t{e.event}\t{e.kind}\t{e.tool}\t"
        f"{e.by}\t{e.code}\t{e.session}\t{e.agent_id}\t{e.project}\t{e.tool_use}\t{e.subject}\t{e.reason}\t"
        f"{runs}\t{grants}\n"
    )


def _write_escaped(e: ShippedEvent, day: str, host: int) -> str:
    runs = encode(e.runs).decode().translate(ESCAPES) if e.runs else "\\N"
    grants = encode(e.grants).decode().translate(ESCAPES) if e.grants else "\\N"
    texts = "\t".join([text.translate(ESCAPES) for text in _list_texts(e)])
    return (
        f"{e.seq}\t{e.at!r}\t{bound(e.size, MOST_BIG)}\t{day}\t{host}\t{bound(e.micros, MOST_INT)}\t"
        f"{bound(e.exit, MOST_INT)}\t{bound(e.quiet, MOST_INT)}\t{texts}\t{runs}\t{grants}\n"
    )


def _list_texts(e: ShippedEvent) -> tuple[str, ...]:
    return (
        e.call, e.agent, e.event, e.kind, e.tool, e.by, e.code, e.session, e.agent_id, e.project, e.tool_use,
        e.subject, e.reason,
    )  # fmt: skip


def bound(value: int, most: int) -> int:
    return value if -most <= value <= most else (most if value > 0 else -most)


def _clip_event(event: ShippedEvent) -> ShippedEvent:
    kept = msgspec.structs.replace(event, runs=event.runs[:MOST_RUNS], grants=event.grants[:MOST_RUNS])
    return _change_texts(kept, lambda text: clip(text, MOST_NAME), lambda text: clip(text, MOST_TEXT))


def clip(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _change_texts(e: ShippedEvent, name: TextChange, text: TextChange) -> ShippedEvent:
    return msgspec.structs.replace(
        e, call=name(e.call), agent=name(e.agent), event=name(e.event), kind=name(e.kind), tool=name(e.tool),
        by=name(e.by), code=name(e.code), session=name(e.session), agent_id=name(e.agent_id), tool_use=name(e.tool_use),
        project=text(e.project), subject=text(e.subject), reason=text(e.reason),
        runs=tuple(HookRun(name(run.hook), name(run.kind), run.micros, name(run.fault)) for run in e.runs),
        grants=tuple(map(name, e.grants)),
    )  # fmt: skip
