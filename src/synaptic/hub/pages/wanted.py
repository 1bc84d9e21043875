"""Which events a page shows: written in its address, the same words as the questions of programs."""

import time
from urllib.parse import urlencode

import msgspec
from starlette.datastructures import QueryParams

from synaptic.hub.server.queries.events import EventRow
from synaptic.hub.server.queries.filter import HubFilter, read_filter
from synaptic.hub.server.refused import RequestError

KINDS = {
    "spoken": "said something", "refused": "refused", "deny": "denied", "ask": "asked", "rewrite": "rewritten",
    "all": "all",
}  # fmt: skip
"""What is chosen by one word, and how a page calls it."""
FIELDS = ("host", "agent", "tool", "policy", "session")
SPANS = {"1": "today and yesterday", "7": "7 days", "30": "30 days", "90": "90 days"}


class WantedRows(msgspec.Struct, frozen=True):
    """What somebody has chosen on a page."""

    filter: HubFilter
    kind: str

    @property
    def fields(self) -> dict[str, str]:
        """As fields of the form, without those that say nothing."""
        texts = {name: getattr(self.filter, name) for name in (*FIELDS, "q")}
        return {**{name: text for name, text in texts.items() if text}, "kind": self.kind}

    @property
    def address(self) -> str:
        """As the part of an address behind `?`."""
        return urlencode(self.fields)


def read_wanted(query: QueryParams, rows: int, kind: str = "spoken") -> WantedRows:
    """What an address asks for. Raises RequestError."""
    given = {name: query.get(name, "").strip() for name in (*FIELDS, "q", "before")}
    chosen = query.get("kind", "") or kind
    if chosen not in KINDS:
        raise RequestError(400, "that is nothing to show", hint=f"known: {', '.join(KINDS)}")
    found = read_filter({**given, "kind": "" if chosen == "all" else chosen, "limit": str(rows)})
    return WantedRows(found, chosen)


def read_days(query: QueryParams, usual: str = "7") -> tuple[str, float]:
    """A span that was chosen, and since when it counts."""
    days = query.get("days", usual)
    days = days if days in SPANS else usual
    return days, time.time() - int(days) * 86400


def is_wanted(wanted: HubFilter, row: EventRow) -> bool:
    """Whether a page that shows these would have found this event, too."""
    pairs = ((wanted.host, row.host), (wanted.session, row.session), (wanted.agent, row.agent),
             (wanted.tool, row.tool), (wanted.policy, row.by))  # fmt: skip
    return (
        all(not want or want == has for want, has in pairs) and _is_kind(wanted.kind, row.kind) and _has(wanted.q, row)
    )


def _is_kind(want: str, kind: str) -> bool:
    if want == "refused":
        return kind in ("deny", "ask")
    return kind != "none" if want == "spoken" else not want or want == kind


def _has(q: str, row: EventRow) -> bool:
    if not q:
        return True
    texts = (row.project, row.tool, row.by, row.code, row.subject, row.reason, row.agent, row.session)
    text = " ".join(texts).lower()
    return all(word in text for word in q.lower().split() if any(map(str.isalnum, word)))
