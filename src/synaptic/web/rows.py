"""Events as rows of a page."""

import zlib
from datetime import datetime

import msgspec

from synaptic.store.record import JournalEntry
from synaptic.work import event_words
from synaptic.work.event_words import Verdict

HUES = 8
LONGEST_REASON = 600


class EventRow(msgspec.Struct, frozen=True, kw_only=True):
    """One event in one line, with what was said about it."""

    id: int
    moment: str
    """When, for machines."""
    time: str
    """When, for people."""
    day: str
    project: str
    root: str
    session: str
    hue: int
    """Its session's colour."""
    agent: str
    sub_agent: str
    tool: str
    act: str
    verdicts: tuple[Verdict, ...]
    reason: str
    became: str
    """What a rewritten call has become."""
    took: str
    is_quiet: bool

    @property
    def tone(self) -> str:
        return self.verdicts[0].tone if self.verdicts else "none"


def make_row(entry: JournalEntry) -> EventRow:
    """An event for a page."""
    moment = datetime.fromtimestamp(entry.at).astimezone()
    return EventRow(
        id=entry.id,
        moment=moment.isoformat(timespec="milliseconds"),
        time=moment.strftime("%H:%M:%S"),
        day=moment.strftime("%Y-%m-%d"),
        project=event_words.show_line(event_words.name_project(entry.root)) or "-",
        root=event_words.show_line(entry.root),
        session=event_words.show_line(entry.session),
        hue=choose_hue(entry.session),
        agent=event_words.show_line(entry.agent),
        sub_agent=event_words.show_line(entry.agent_id),
        tool=event_words.show_line(entry.tool),
        act=event_words.describe_act(entry),
        verdicts=tuple(event_words.list_verdicts(entry)),
        reason=event_words.show_line(event_words.describe_reason(entry))[:LONGEST_REASON],
        became=event_words.show_line(event_words.describe_new_input(entry.decision))[:LONGEST_REASON],
        took=event_words.format_took(entry.micros),
        is_quiet=event_words.is_quiet(entry),
    )


def choose_hue(session: str) -> int:
    """The same colour for the same session, everywhere."""
    return zlib.crc32(session.encode("utf-8", "replace")) % HUES
