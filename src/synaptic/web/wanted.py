"""Which events a page shows: the filters of `tail`, written in its address."""

from collections.abc import Mapping
from urllib.parse import urlencode

import msgspec
from starlette.datastructures import QueryParams
from starlette.requests import Request

from synaptic.model.decision import Kind
from synaptic.model.errors import SynapticError
from synaptic.store.journal_filter import JournalFilter

SHOWN_KINDS = {"denied": Kind.DENY, "asked": Kind.ASK, "rewritten": Kind.REWRITE}
FAILED = "failed"
LONGEST = 500


class WantedEvents(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody has chosen on a page."""

    chosen: JournalFilter
    quiet: bool = False
    """Also events that nobody said anything about."""

    @property
    def fields(self) -> Mapping[str, str]:
        """As fields of the form, without those that say nothing."""
        one = self.chosen
        shown = [word for word, kind in SHOWN_KINDS.items() if kind in one.kinds] + ([FAILED] if one.failed else [])
        texts = {
            "show": ",".join(shown), "project": one.project, "session": one.session, "agent": ",".join(one.agents),
            "tool": ",".join(one.tools), "policy": ",".join(one.policies), "grep": one.grep,
            "quiet": "1" if self.quiet else "",
        }  # fmt: skip
        return {name: text for name, text in texts.items() if text}

    @property
    def address(self) -> str:
        """As the part of an address behind `?`."""
        return urlencode(self.fields)


def read_wanted(query: QueryParams) -> WantedEvents:
    """What an address asks for. Raises SynapticError for words that nobody knows."""
    shown = [word for part in query.getlist("show") for word in part.split(",") if word]
    if unknown := sorted(set(shown) - {*SHOWN_KINDS, FAILED}):
        raise SynapticError(
            f"`{unknown[0][:40]}` is nothing to show", hint=f"known: {', '.join(SHOWN_KINDS)}, {FAILED}"
        )
    chosen = JournalFilter(
        kinds=tuple(kind for word, kind in SHOWN_KINDS.items() if word in shown),
        failed=FAILED in shown,
        project=_read(query, "project"),
        session=_read(query, "session"),
        agents=_read_list(query, "agent"),
        tools=_read_list(query, "tool"),
        policies=_read_list(query, "policy"),
        grep=_read(query, "grep"),
    )
    return WantedEvents(chosen=chosen, quiet=bool(_read(query, "quiet")))


def read_last_seen(request: Request) -> int:
    """After which event a stream goes on: the last one that the browser has seen, else the one that the page names."""
    return parse_number(request.headers.get("last-event-id", "")) or read_number(request.query_params, "after")


def read_number(query: QueryParams, name: str) -> int:
    """A number of an address; 0 where there is none."""
    return parse_number(query.get(name, ""))


def parse_number(text: str) -> int:
    """A number that fits into a database; 0 for anything else."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else 0


def _read(query: QueryParams, name: str) -> str:
    return query.get(name, "").strip()[:LONGEST]


def _read_list(query: QueryParams, name: str) -> tuple[str, ...]:
    return tuple(word for word in (part.strip() for part in _read(query, name).split(",")) if word)
