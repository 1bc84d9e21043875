"""Refusals and questions as rows of a page, in their groups, and what a person may say to each."""

from collections.abc import Iterable
from datetime import datetime
from typing import Literal

import msgspec

from synaptic.model.text import join_lines
from synaptic.store.refused import RefusedCall
from synaptic.work.event_words import name_project, show_line, show_text
from synaptic.work.inbox import group_refusals, is_grantable, is_open, strip_handle

LONGEST_LINE = 300
LONGEST_TEXT = 4000
Asking = Literal["", "confirm", "pin"]


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of an act, or what is asked before it."""

    words: str = ""
    tone: Literal["good", "deny", "plain"] = "plain"
    asks: Asking = ""
    act: str = ""
    """What is asked about."""
    covers: tuple[tuple[str, str], ...] = ()
    """What it would let through, as names and texts."""
    later: tuple[str, ...] = ()
    """What to type, for what no page does."""


class RefusalRow(msgspec.Struct, frozen=True, kw_only=True):
    """One refusal."""

    mark: str
    code: str
    asks: bool
    held: bool
    open: bool
    grantable: bool
    answer: str
    act: str
    whole: str
    tool: str
    project: str
    root: str
    cwd: str
    agent: str
    agent_id: str
    session: str
    call: str
    policies: str
    reason: str
    said: str
    appeal: str
    count: int
    at: float
    moment: str
    day: str
    time: str
    outcome: Outcome = Outcome()

    @property
    def seen(self) -> int:
        """When it came last, for comparing."""
        return round(self.at * 1000)


class RefusalGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Rows of the same policies and shape."""

    key: str
    policies: str
    shape: str
    count: int
    rows: tuple[RefusalRow, ...]


ANSWERS = {"allowed": "allowed", "upheld": "upheld", "wrong": "marked as wrong"}


def make_groups(calls: Iterable[RefusedCall], held: frozenset[str]) -> tuple[RefusalGroup, ...]:
    """Refusals in the groups of the inbox; the group with the newest comes first."""
    return tuple(
        RefusalGroup(
            key=group.calls[-1].mark,
            policies=show_line(", ".join(group.policies)),
            shape=show_line(group.shape) or "a call",
            count=group.count,
            rows=tuple(make_refusal_row(call, is_held=call.mark in held) for call in group.calls),
        )
        for group in group_refusals(calls)
    )


def make_refusal_row(call: RefusedCall, *, is_held: bool = False, outcome: Outcome | None = None) -> RefusalRow:
    """One refusal; without an outcome it says what a person has answered elsewhere."""
    subject, moment = call.subject, datetime.fromtimestamp(call.last_at).astimezone()
    whole = show_text(subject.shown)[:LONGEST_TEXT] or "(the journal keeps no contents)"
    return RefusalRow(
        mark=call.mark,
        code=show_line(call.code),
        asks=subject.asks,
        held=is_held,
        open=is_open(call),
        grantable=is_grantable(call),
        answer=call.answer,
        act=show_line(join_lines(subject.shown))[:LONGEST_LINE] or f"a call of {show_line(subject.tool)}",
        whole=whole,
        tool=show_line(subject.tool),
        project=show_line(name_project(subject.root)) or "no project",
        root=show_line(subject.root),
        cwd=show_line(subject.cwd),
        agent=show_line(call.agent),
        agent_id=show_line(call.agent_id),
        session=show_line(call.session),
        call=show_line(call.call),
        policies=show_line(", ".join(call.policies)),
        reason=show_text(strip_handle(call.reason))[:LONGEST_TEXT],
        said=show_line(call.said)[:LONGEST_TEXT],
        appeal=show_line(call.appeal)[:LONGEST_TEXT],
        count=call.count,
        at=call.last_at,
        moment=moment.isoformat(timespec="seconds"),
        day=moment.strftime("%Y-%m-%d %H:%M:%S"),
        time=moment.strftime("%H:%M"),
        outcome=outcome or _tell_answer(call),
    )


def _tell_answer(call: RefusedCall) -> Outcome:
    if is_open(call):
        return Outcome()
    at = datetime.fromtimestamp(call.answered_at).strftime("%H:%M")
    return Outcome(words=f"{ANSWERS.get(call.answer, call.answer)} at {at}", tone="good")
