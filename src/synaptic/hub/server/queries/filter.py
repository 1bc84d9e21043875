"""What every question can be narrowed by."""

import time
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta

import msgspec

from synaptic.hub.server.bodies import clean_text
from synaptic.hub.server.refused import RequestError

MOST_ROWS = 500
USUAL_ROWS = 50
MOST_WORDS = 20


class HubFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Empty means all. Times are seconds; `since` and `until` are of the events."""

    host: str = ""
    q: str = ""
    """Words, all of which have to be there."""
    kind: str = ""
    """`deny`, `ask`, ...; `refused` is both of them."""
    session: str = ""
    agent: str = ""
    tool: str = ""
    policy: str = ""
    since: float = 0.0
    until: float = 0.0
    before: str = ""
    """The place of the last row of the page before, as it was told there."""
    limit: int = USUAL_ROWS

    @property
    def first_day(self) -> date:
        return date(1970, 1, 1) if not self.since else datetime.fromtimestamp(self.since, UTC).date()

    @property
    def last_day(self) -> date:
        """Events of a clock that runs ahead are kept under tomorrow."""
        until = min(self.until or time.time(), time.time() + 86400)
        return datetime.fromtimestamp(until, UTC).date() + timedelta(1)


def read_filter(asked: Mapping[str, str]) -> HubFilter:
    """From the question of a request. Raises RequestError."""
    try:
        found = msgspec.convert({name: clean_text(text)[:500] for name, text in asked.items()}, HubFilter, strict=False)
    except msgspec.ValidationError as error:
        raise RequestError(400, f"{error}") from error
    if not 1 <= found.limit <= MOST_ROWS:
        raise RequestError(400, f"`limit` is 1 to {MOST_ROWS}")
    for at in (found.since, found.until):
        if not 0 <= at < 4e9:
            raise RequestError(400, "`since` and `until` are seconds since 1970")
    return found


class Conditions:
    """Parts of a WHERE, each with its values; no text of anybody's becomes part of a statement."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self.values: list[object] = []

    def add(self, part: str, *values: object) -> None:
        self._parts.append(part)
        self.values += values

    def add_if(self, value: object, part: str) -> None:
        if value:
            self.add(part, value)

    @property
    def text(self) -> str:
        return " AND ".join(self._parts) or "true"
