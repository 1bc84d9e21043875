"""Which events of the journal somebody wants to see, found newest first without reading the others."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from synaptic.model.decision import Decision, Kind
from synaptic.store.db import Connection, Store
from synaptic.store.entries import SELECT_EVENTS, select_entries
from synaptic.store.journal_payload import iter_texts
from synaptic.store.record import JournalEntry

MOST_SEARCHED = 50_000
"""Of so many events, from the newest back, one is looked for that no index finds; `since` looks further."""
PAGE_SIZE = 500
MOST_LIKE = 1000
"""Letters of a pattern: SQLite refuses very long ones."""
NEIGHBOURS = 9
"""A moment is looked up among so many events: one that was written under a wrong clock leads nobody astray."""
JUDGED = "kind <> 'none'"
FAILED = 'instr(decision, \'"fault":"\') > 0'
NOTED = "kind = 'none' AND (instr(decision, '\"warnings\":[') > 0 OR instr(decision, '\"grants\":[') > 0)"
"""These three in the words of their indexes: SQLite compares the text."""
LIFTED = f"{NOTED} AND instr(decision, '\"grants\":[') > 0"
"""All that was said about it was lifted by an exception."""
IN_SESSION = "id IN (SELECT id FROM events WHERE session >= ? AND session < ?)"
LAST_LETTER = "\U0010ffff"
SELECT_AT = "SELECT at FROM (SELECT id, at FROM events WHERE id >= ? ORDER BY id LIMIT ?) ORDER BY at"
PLAIN_RUN = re.compile(r"[ !#-%(-.0-;=?-\[\]-~]+")
"""Letters that every writer of JSON leaves as they are: some escape slashes and angle brackets, too."""
LIKE = "LIKE ? ESCAPE '\\'"


class JournalFilter(msgspec.Struct, frozen=True, kw_only=True):
    """What an event must be like; what is not said does not matter."""

    kinds: tuple[Kind, ...] = ()
    """One of these decisions: DENY, ASK, REWRITE."""
    failed: bool = False
    """A hook or policy failed; together with `kinds` either is enough."""
    since: float = 0.0
    until: float = 0.0
    """Before this moment; 0: until now."""
    project: str = ""
    """Its root, or the name of its folder."""
    session: str = ""
    """How the session's id begins."""
    agents: tuple[str, ...] = ()
    """Kinds of agents or ids of sub-agents; `*` stands for anything, here and in the next two."""
    tools: tuple[str, ...] = ()
    grep: str = ""
    """A text in the command, the file, the prompt, the result or the reason; small and capital letters are the same."""
    policies: tuple[str, ...] = ()
    """Policies or hooks of which one has spoken or failed."""

    @property
    def is_empty(self) -> bool:
        return self == JournalFilter()

    @property
    def is_indexed(self) -> bool:
        """Whether an index leads to what it wants, however long the journal is."""
        return bool(self.kinds or self.failed or self.session or self.policies)


class Conditions(NamedTuple):
    """A part of a WHERE clause over `events`, with its values."""

    sql: str
    values: tuple[object, ...]


def read_matching_entries(
    store: Store, chosen: JournalFilter, most: int, before: int = 0, *, maps: bool = False
) -> tuple[JournalEntry, ...]:
    """The newest events that match, newest first; `before`: only those with a smaller number.

    `maps`: as `read_mapped` reads, which is for a process that does nothing else.
    """
    found: dict[int, JournalEntry] = {}
    for conditions in make_conditions(store, chosen):
        for entry in _take(_iter_matching(store, chosen, (conditions, before), maps=maps), most):
            found[entry.id] = entry
    return tuple(found[number] for number in sorted(found, reverse=True)[:most])


def read_numbered_entries(store: Store, numbers: Sequence[int]) -> dict[int, JournalEntry]:
    """Events by their numbers."""
    wanted = (msgspec.json.encode(list(numbers)).decode(),)  # one value: SQLite takes some thousands at most
    sql = f"{SELECT_EVENTS} WHERE id IN (SELECT value FROM json_each(?))"
    return {one.id: one for one in select_entries(store, sql, wanted)}


def make_conditions(store: Store, chosen: JournalFilter) -> tuple[Conditions, ...]:
    """WHERE clauses whose rows together are those that may match, each found by its index.

    They are exact but for `grep` and `policies`: what they find has to pass `matches_entry`.
    """
    common = [*limit_times(store, chosen), *limit_columns(chosen), *_look_into_texts(chosen)]
    if not (chosen.since or chosen.is_indexed) and (chosen.project or chosen.agents or chosen.tools or chosen.grep):
        common.append(_limit_to_newest(store, chosen))
    ways: list[Conditions | None] = []
    if chosen.kinds:
        marks = ", ".join("?" * len(chosen.kinds))
        ways.append(Conditions(f"{JUDGED} AND kind IN ({marks})", tuple(kind.value for kind in chosen.kinds)))
    if chosen.failed:
        ways.append(Conditions(FAILED, ()))
    if chosen.policies and not ways:
        ways = [Conditions(way, ()) for way in (JUDGED, FAILED, LIFTED)]
    return tuple(join_conditions([*([way] if way else []), *common]) for way in ways or [None])


def limit_times(store: Store, chosen: JournalFilter) -> Iterator[Conditions]:
    """Where to begin and where to stop: no event outside is read."""
    if chosen.until:
        yield Conditions("id < ? AND at < ?", (find_number_at(store, chosen.until) + NEIGHBOURS, chosen.until))
    if chosen.since:
        yield Conditions("id >= ? AND at >= ?", (find_number_at(store, chosen.since) - NEIGHBOURS, chosen.since))


def limit_columns(chosen: JournalFilter) -> Iterator[Conditions]:
    """What session, project, agent and tool must be."""
    if chosen.session:
        yield Conditions(IN_SESSION, (chosen.session, chosen.session + LAST_LETTER))
    if chosen.project:
        name = f"/{chosen.project}"
        yield Conditions("(root = ? OR substr(root, ?) = ?)", (chosen.project, -len(name), name))
    if chosen.agents:
        yield _match_columns(("agent", "agent_id"), chosen.agents)
    if chosen.tools:
        yield _match_columns(("tool",), chosen.tools)


def join_conditions(parts: Sequence[Conditions]) -> Conditions:
    """All of them together."""
    values: tuple[Any, ...] = tuple(value for part in parts for value in part.values)
    return Conditions(" AND ".join(part.sql for part in parts) or "1", values)


def matches_entry(chosen: JournalFilter, entry: JournalEntry) -> bool:
    """Whether an event is one of those that are wanted."""
    decision, name = entry.decision, entry.root.rpartition("/")[2]
    return (
        (not (chosen.kinds or chosen.failed) or decision.kind in chosen.kinds or (chosen.failed and has_failed(entry)))
        and chosen.since <= entry.at
        and (not chosen.until or entry.at < chosen.until)
        and chosen.project in ("", entry.root, name)
        and entry.session.startswith(chosen.session)
        and (not chosen.agents or _matches_any(chosen.agents, (entry.agent, entry.agent_id)))
        and (not chosen.tools or _matches_any(chosen.tools, (entry.tool,)))
        and (not chosen.policies or _matches_any(chosen.policies, list_speakers(decision)))
        and (not chosen.grep or _mentions(entry, chosen.grep.casefold()))
    )


def has_failed(entry: JournalEntry) -> bool:
    """Whether a hook or policy failed at it."""
    return any(step.fault for step in entry.decision.trace)


def list_speakers(decision: Decision) -> tuple[str, ...]:
    """Who decided, and who else said something or failed."""
    said = (step.hook for step in decision.trace if step.kind is not Kind.NONE or step.fault or step.phase == "lifted")
    return tuple(dict.fromkeys(name for name in (decision.by, *said) if name))


def find_number_at(store: Store, moment: float) -> int:
    """The number of the first event that is not older; numbers grow with time, apart from a clock that was changed."""

    def work(connection: Connection) -> int:
        first, last = connection.execute("SELECT (SELECT min(id) FROM events), (SELECT max(id) FROM events)").fetchone()
        low, high = first or 0, (last or 0) + 1
        while low < high:
            middle = (low + high) // 2
            times = [at for (at,) in connection.execute(SELECT_AT, (middle, NEIGHBOURS))]
            if times and times[len(times) // 2] < moment:
                low = middle + 1
            else:
                high = middle
        return low

    return store.read(work)


def _iter_matching(
    store: Store, chosen: JournalFilter, wanted: tuple[Conditions, int], *, maps: bool
) -> Iterator[JournalEntry]:
    found, before = wanted
    page = PAGE_SIZE if chosen.grep or chosen.policies else 50
    sql = f"{SELECT_EVENTS} WHERE {found.sql} AND id < ? ORDER BY id DESC LIMIT ?"
    last = before or 2**62
    while True:
        entries = tuple(select_entries(store, sql, (*found.values, last, page), maps=maps))
        yield from (entry for entry in entries if matches_entry(chosen, entry))
        if len(entries) < page:
            return
        last, page = entries[-1].id, PAGE_SIZE


def _take(entries: Iterator[JournalEntry], most: int) -> Iterator[JournalEntry]:
    for _ in range(most):
        if (entry := next(entries, None)) is None:
            return
        yield entry


def _limit_to_newest(store: Store, chosen: JournalFilter) -> Conditions:
    if chosen.until:
        return Conditions("id >= ?", (find_number_at(store, chosen.until) - MOST_SEARCHED,))
    return Conditions("id > (SELECT coalesce(max(id), 0) FROM events) - ?", (MOST_SEARCHED,))


def _look_into_texts(chosen: JournalFilter) -> Iterator[Conditions]:
    """What must be in the text of every event that matches; whether it matches is looked at closely afterwards."""
    if run := max(PLAIN_RUN.findall(chosen.grep), key=len, default=""):
        pattern = f"%{_escape_like(run[:MOST_LIKE])}%"
        yield Conditions(f"(payload {LIKE} OR (kind <> 'none' AND decision {LIKE}))", (pattern, pattern))
    if chosen.policies:
        begins = [re.split(r"[*?]", policy, maxsplit=1)[0][:MOST_LIKE] for policy in chosen.policies]
        patterns = [f'%"{key}":"{_escape_like(begin)}%' for begin in begins for key in ("hook", "by")]
        yield Conditions(f"({' OR '.join([f'decision {LIKE}'] * len(patterns))})", tuple(patterns))


def _match_columns(columns: Sequence[str], patterns: Sequence[str]) -> Conditions:
    pairs = [(column, _make_like(pattern)) for column in columns for pattern in patterns]
    sql = " OR ".join(f"{column} {LIKE}" for column, _ in pairs)
    return Conditions(f"({sql})", tuple(pattern for _, pattern in pairs))


def _make_like(pattern: str) -> str:
    return _escape_like(pattern).replace("*", "%").replace("?", "_")


def _escape_like(text: str) -> str:
    return re.sub(r"([\\%_])", r"\\\1", text)


def _matches_any(patterns: Sequence[str], names: Sequence[str]) -> bool:
    return any(_compile_pattern(pattern).fullmatch(name) for pattern in patterns for name in names)


@lru_cache(maxsize=64)
def _compile_pattern(pattern: str) -> re.Pattern[str]:
    parts = (".*" if letter == "*" else "." if letter == "?" else re.escape(letter) for letter in pattern)
    # Letters as SQLite compares them: only those of ASCII have a small and a capital form.
    return re.compile("".join(parts), re.IGNORECASE | re.ASCII | re.DOTALL)


def _mentions(entry: JournalEntry, wanted: str) -> bool:
    told = (entry.decision.reason, *entry.decision.warnings)
    return any(wanted in text.casefold() for text in (*told, *iter_texts(entry.payload)))
