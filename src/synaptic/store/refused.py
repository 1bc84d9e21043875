"""Refusals and questions by their handle: what a person may answer, each kept once, signed, without secrets."""

import hashlib
import hmac
from collections.abc import Iterable
from typing import Any, Literal

import msgspec

from synaptic.model.grant import RefusedNews, RefusedSubject
from synaptic.model.text import cut_start
from synaptic.store.db import Connection, Row, Store
from synaptic.store.key import read_signing_key
from synaptic.store.record import EventRecord
from synaptic.store.redact import redact_again as redact_text

RefusalAnswer = Literal["", "allowed", "upheld", "wrong"]
MOST_SHOWN = 2000
MOST_REASON = 4000
MOST_NAME = 200
MOST_PATH = 4096
MOST_READ = 16 * 1024
"""Characters of a text that are looked at, of which fewer are kept."""
MOST_KEPT = 2000
"""Different refusals; the oldest go first."""
PUT_REFUSED = """
INSERT INTO refused (mark, code, first_at, last_at, count, call, session, agent, agent_id, reason, said, value, mac)
VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (mark) DO UPDATE SET last_at = excluded.last_at, count = count + (call <> excluded.call),
    call = excluded.call,
    session = excluded.session, agent = excluded.agent, agent_id = excluded.agent_id, reason = excluded.reason,
    said = CASE excluded.said WHEN '' THEN said ELSE excluded.said END,
    value = excluded.value, mac = excluded.mac
"""
MOST_SIGNED = 64 * 1024
"""Bytes of a subject that is believed to be ours: a larger one was put there by somebody else."""
COLUMNS = (
    f"code, first_at, last_at, count, call, substr(session, 1, {MOST_NAME}), substr(agent, 1, {MOST_NAME}), "
    f"substr(agent_id, 1, {MOST_NAME}), substr(reason, 1, {MOST_REASON}), "
    f"substr(said, 1, {MOST_REASON}), substr(appeal, 1, {MOST_SHOWN}), appealed_at, answer, answered_at, "
    f"substr(value, 1, {MOST_SIGNED}), mac, mark"
)
"""Texts beside the signed value can be of anybody and of any length: no more of them is read than is ever written."""
SELECT_BY_CODE = f"SELECT {COLUMNS} FROM refused WHERE code = ? ORDER BY last_at DESC"
SELECT_BY_CALL = f"SELECT {COLUMNS} FROM refused WHERE call = ?"
SELECT_ALL = f"SELECT {COLUMNS} FROM refused"
SELECT_NEWEST = f"SELECT {COLUMNS} FROM refused WHERE last_at >= ? ORDER BY last_at DESC LIMIT ?"
SELECT_WAITING = f"""
SELECT {COLUMNS} FROM refused
WHERE answer = '' OR answer = 'allowed' AND last_at > answered_at OR answer <> '' AND answered_at >= ?
ORDER BY last_at DESC LIMIT ?
"""
SELECT_BY_MARK = f"SELECT {COLUMNS} FROM refused WHERE mark = ?"
SELECT_DECIDED = "SELECT 1 FROM events WHERE call = ?"
DROP_OLDEST = "DELETE FROM refused WHERE mark IN (SELECT mark FROM refused ORDER BY last_at DESC LIMIT -1 OFFSET ?)"
PUT_ANSWER = "UPDATE refused SET answer = ?, answered_at = ? WHERE mark = ?"
PUT_APPEAL = """
UPDATE refused SET appeal = ?, appealed_at = ? WHERE mark = ? AND appealed_at NOT BETWEEN ? AND ?
    AND (SELECT count(*) FROM refused AS other WHERE other.appealed_at BETWEEN ? AND ? AND other.mark != ?) < ?
"""


class AppealPace(msgspec.Struct, frozen=True):
    """How often agents are heard: whoever could write here at will could bury what matters."""

    pause: float = 60.0
    """Seconds before another text takes the place of one."""
    most: int = 20
    """Different refusals with an appeal of the last `window` seconds, of all agents together."""
    window: float = 3600.0


PACE = AppealPace()


class RefusedCall(msgspec.Struct, frozen=True, kw_only=True):
    """One refusal or question, and how often it came."""

    mark: str
    subject: RefusedSubject
    first_at: float
    last_at: float
    count: int
    call: str
    """The last time."""
    session: str
    agent: str
    agent_id: str
    reason: str
    said: str
    """What the agent itself said about the call."""
    appeal: str
    appealed_at: float
    answer: RefusalAnswer
    answered_at: float

    @property
    def code(self) -> str:
        return self.subject.code

    @property
    def policies(self) -> tuple[str, ...]:
        """Whose verdicts they were."""
        return tuple(dict.fromkeys(act.policy for act in self.subject.acts))

    @property
    def is_open(self) -> bool:
        """Whether nobody has answered it, or it came again after it was allowed: then that did not reach so far."""
        return not self.answer or (self.answer == "allowed" and self.last_at > self.answered_at)


def record_refused(connection: Connection, store: Store, record: EventRecord) -> None:
    """In the transaction of the event: this refusal, or that it came again."""
    if record.refused is None:
        return
    row = _make_row(store, record, record.refused)
    connection.execute(PUT_REFUSED, row)
    # Not each time: whoever looks for the oldest passes by all others. Which times, nobody can choose.
    if str(row[0]).startswith("00"):
        connection.execute(DROP_OLDEST, (MOST_KEPT,))


def put_refused(store: Store, record: EventRecord) -> None:
    """The same, for a call that is held before it is decided: whoever answers must find it."""
    store.write(lambda connection: record_refused(connection, store, record))


def find_by_code(store: Store, code: str) -> tuple[RefusedCall, ...]:
    """Refusals with a handle: one, unless two have the same by chance."""
    return _select(store, SELECT_BY_CODE, (code,))


def find_by_call(store: Store, call: str) -> RefusedCall | None:
    """The refusal of a call, if it was the last one of its kind."""
    return next(iter(_select(store, SELECT_BY_CALL, (call,))), None)


def find_by_mark(store: Store, mark: str) -> RefusedCall | None:
    """The one refusal with a mark."""
    return next(iter(_select(store, SELECT_BY_MARK, (mark,))), None)


def list_refused(store: Store, since: float = 0.0, most: int = MOST_KEPT) -> tuple[RefusedCall, ...]:
    """The newest first."""
    return _select(store, SELECT_NEWEST, (since, most))


def list_waiting(store: Store, answered_since: float, most: int) -> tuple[RefusedCall, ...]:
    """What nobody has answered, and what was answered since a moment; the newest first."""
    return _select(store, SELECT_WAITING, (answered_since, most))


def is_undecided(store: Store, call: str) -> bool:
    """Whether a call that is written down as refused is not in the journal yet: it is held for a person."""
    return store.read(lambda connection: connection.execute(SELECT_DECIDED, (call,)).fetchone()) is None


def count_unsigned(store: Store) -> int:
    """Rows that this installation has not written: nobody is shown them."""
    rows = store.read(lambda connection: connection.execute(SELECT_ALL).fetchall())
    return sum(_read_row(store, row) is None for row in rows)


def count_open(store: Store, most: int) -> tuple[int, int]:
    """How many refusals and how many questions nobody has answered, of the newest ones."""
    waiting = [one.subject.asks for one in list_refused(store, most=most) if one.is_open]
    return len(waiting) - sum(waiting), sum(waiting)


def answer_refused(store: Store, marks: Iterable[str], answer: RefusalAnswer, now: float) -> int:
    """Note what a person thinks of refusals; how many there were."""
    rows = [(answer, now, mark) for mark in marks]
    return store.write(lambda connection: sum(connection.execute(PUT_ANSWER, row).rowcount for row in rows))


def appeal_refused(store: Store, mark: str, why: str, now: float) -> bool:
    """Note what an agent has to say against a refusal, in place of what it said before; False where it is too soon."""
    # One statement: agents that write at the same moment are counted all the same.
    recent = (now - PACE.window, now, mark, PACE.most)
    row = (_keep_text(why, MOST_SHOWN), now, mark, now - PACE.pause, now, *recent)
    return store.write(lambda connection: connection.execute(PUT_APPEAL, row).rowcount == 1)


def _make_row(store: Store, record: EventRecord, news: RefusedNews) -> Row:
    given = news.subject
    subject = msgspec.structs.replace(
        given,
        tool=redact_text(given.tool[:MOST_NAME]),
        shown=redact_text(given.shown)[:MOST_SHOWN],
        cwd=redact_text(cut_start(given.cwd, MOST_PATH)),
        shape=redact_text(cut_start(given.shape, MOST_NAME)),
    )
    value = msgspec.json.encode(subject)
    reason, said = (_keep_text(text, MOST_REASON) for text in (news.reason, news.said))
    who = (record.call, *(_keep_text(text, MOST_NAME) for text in (record.session, record.agent, record.agent_id)))
    names = (_make_mark(subject), subject.code, record.at, record.at, *who, reason, said)
    return (*names, value, _sign(store, value))


def _keep_text(text: str, most: int) -> str:
    """What is kept of a text: without secrets, and without the zero behind which SQLite would see nothing."""
    return redact_text(cut_start(text, MOST_READ)).replace("\0", "\ufffd")[:most]


def _make_mark(subject: RefusedSubject) -> str:
    """What tells one refusal from another, although their short handles may be the same."""
    said = msgspec.json.encode([subject.code, subject.root, subject.acts])
    return hashlib.sha256(said).hexdigest()[:32]


def _sign(store: Store, value: bytes) -> bytes:
    return hmac.digest(read_signing_key(store), b"refused\0" + value, hashlib.sha256)


def _select(store: Store, sql: str, values: Row) -> tuple[RefusedCall, ...]:
    rows = store.read(lambda connection: _fetch_texts(connection, sql, values))
    return tuple(filter(None, (_read_row(store, row) for row in rows)))


def _fetch_texts(connection: Connection, sql: str, values: Row) -> list[tuple[Any, ...]]:
    """One row with bytes that are no text must not hide all others."""
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    try:
        return connection.execute(sql, values).fetchall()
    finally:
        connection.text_factory = str


def _read_row(store: Store, row: Row) -> RefusedCall | None:
    """A row that this installation has signed; None for any other."""
    code, first_at, last_at, count, call, session, agent, agent_id, reason, said, appeal, appealed_at = row[:12]
    answer, answered_at, value, mac, mark = row[12:]
    if not isinstance(value, bytes) or not isinstance(mac, bytes) or not hmac.compare_digest(_sign(store, value), mac):
        return None
    try:
        return msgspec.convert(
            {
                "mark": mark, "subject": msgspec.json.decode(value, type=RefusedSubject), "first_at": first_at,
                "last_at": last_at, "count": count, "call": call, "session": session, "agent": agent,
                "agent_id": agent_id, "reason": reason, "said": said, "appeal": appeal, "appealed_at": appealed_at,
                "answer": answer, "answered_at": answered_at,
            },
            RefusedCall,
        ) if code else None  # fmt: skip
    except (msgspec.DecodeError, msgspec.ValidationError):
        return None
