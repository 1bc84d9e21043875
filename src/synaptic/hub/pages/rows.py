"""Events of all hosts as rows of a page. What a host keeps to itself is said, and not left blank."""

import re
from datetime import UTC, datetime

import msgspec

from synaptic.hub.server.queries.events import EventRow
from synaptic.hub.wire import EPOCH_SHIFT
from synaptic.web.rows import choose_hue
from synaptic.web.sizes import format_size
from synaptic.web.templating import quote_in_path
from synaptic.work.event_words import (
    BEFORE_THE_ACT,
    COMMAND_TOOLS,
    Tone,
    Verdict,
    drop_handle,
    format_took,
    name_project,
    shorten_path,
    show_line,
)

TONES: dict[str, Tone] = {"deny": "deny", "ask": "ask", "rewrite": "rewrite"}
CODE = re.compile(r"[a-z0-9]{3,16}")
LONGEST_SUBJECT, LONGEST_REASON = 2000, 600
KEPT_THERE = "Its command stays on its host, which ships names, sizes and times only."


class HubRow(msgspec.Struct, frozen=True, kw_only=True):
    """One event in one line, with what was said about it."""

    id: str
    """For the page: the same event has the same one."""
    address: str
    number: int
    """In the journal of its host."""
    moment: str
    time: str
    day: str
    host: str
    project: str
    root: str
    session: str
    hue: int
    agent: str
    sub_agent: str
    act: str
    is_bare: bool
    """Whether its host keeps the command, file or words to itself."""
    size: str
    verdicts: tuple[Verdict, ...]
    reason: str
    took: str

    @property
    def tone(self) -> str:
        return self.verdicts[0].tone if self.verdicts else "none"


def make_row(one: EventRow) -> HubRow:
    """An event for a page."""
    moment = datetime.fromtimestamp(one.at, UTC)
    return HubRow(
        id=f"e-{show_line(one.host)}-{one.seq}",
        address=f"/event/{quote_in_path(one.host)}/{one.seq}",
        number=one.seq & ((1 << EPOCH_SHIFT) - 1),
        moment=moment.isoformat(timespec="milliseconds"),
        time=show_time(one.at),
        day=moment.strftime("%Y-%m-%d %H:%M:%S UTC"),
        host=show_line(one.host),
        project=show_line(name_project(one.project)) or show_line(one.project) or "-",
        root=show_line(one.project),
        session=show_line(one.session),
        hue=choose_hue(one.session),
        agent=show_line(one.agent),
        sub_agent=show_line(one.agent_id),
        act=describe_act(one),
        is_bare=not one.subject,
        size=format_size(one.size) if one.size else "",
        verdicts=tuple(list_verdicts(one)),
        reason=show_line(drop_handle(one.reason))[:LONGEST_REASON],
        took=format_took(one.micros),
    )


def describe_act(one: EventRow) -> str:
    """What was done, as far as its host tells."""
    subject = shorten_path(show_line(one.subject[:LONGEST_SUBJECT]), one.project)
    tool, event = show_line(one.tool), show_line(one.event)
    if one.event not in BEFORE_THE_ACT:
        return " ".join(dict.fromkeys(part for part in (event, tool, subject) if part)) or "?"
    return subject if subject and one.tool.lower() in COMMAND_TOOLS else f"{tool} {subject}".strip() or event or "?"


def list_verdicts(one: EventRow) -> list[Verdict]:
    """What was said about it."""
    found = []
    if one.kind not in ("", "none"):
        by = f" by {show_line(one.by)}" if one.by else ""
        found.append(Verdict(f"{show_line(one.kind)}{by}", TONES.get(one.kind, "plain")))
    failed = dict.fromkeys(f"{show_line(run.hook)} failed" for run in one.runs if run.fault)
    found += (Verdict(words, "failed") for words in failed)
    if one.grants:
        found.append(Verdict(f"let through by exception {show_line(', '.join(one.grants))}", "plain"))
    return found


def read_code(text: str) -> str:
    """A handle that may stand in a command that people copy; "" for anything that is none."""
    return text if CODE.fullmatch(text) else ""


def show_time(at: float) -> str:
    """The time of day if it is today's in UTC, else the day as well."""
    moment = datetime.fromtimestamp(at, UTC)
    return moment.strftime("%H:%M:%S" if moment.date() == datetime.now(UTC).date() else "%m-%d %H:%M")


def show_moment(at: float) -> str:
    """A moment with its day; "" for none."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M") if 0 < at < 4e9 else ""
