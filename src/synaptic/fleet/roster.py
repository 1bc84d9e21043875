"""Select, order and format the agents of the fleet for display. Pure functions: nothing is read here."""

import os
from collections.abc import Iterable, Mapping

import msgspec

from synaptic.model.layers import STATUSES, Status, pick_foremost_status
from synaptic.store.fleet import FleetMember

ROSTER_HEAD = ("AGENT", "LABEL", "STATUS", "PROJECT", "TASK", "PHASE", "HEARTBEAT", "CONTEXT", "SINCE", "NOTE")
FORGET_SECONDS = 86_400.0
"""Seconds without a sign of life after which an agent is shown on request only."""
AGE_UNITS = ((86_400, "d"), (3_600, "h"), (60, "m"))


class MemberChange(msgspec.Struct, frozen=True):
    """An agent before and after; None for one that was not there, or is no more."""

    agent: str
    before: FleetMember | None
    after: FleetMember | None

    @property
    def new_status(self) -> Status | None:
        """The status that it has now and did not have before."""
        if self.after is None or (self.before is not None and self.before.status == self.after.status):
            return None
        return self.after.status


def keep_present(members: Iterable[FleetMember], now: float) -> tuple[FleetMember, ...]:
    """Keep agents that are around: heard of within a day, with a name, an open window or something to do."""
    return tuple(one for one in members if now - one.seen < FORGET_SECONDS and _is_present(one))


def order_members(members: Iterable[FleetMember]) -> tuple[FleetMember, ...]:
    """Order agents so that those that need a person come first."""
    return tuple(sorted(members, key=lambda one: (STATUSES.index(one.status), one.project, one.agent)))


def find_window_statuses(placed: Iterable[tuple[str, Status]]) -> Mapping[str, Status]:
    """The foremost status of every window, from the statuses of its panes."""
    found: dict[str, tuple[Status, ...]] = {}
    for window, status in placed:
        found[window] = (*found.get(window, ()), status)
    return {window: pick_foremost_status(statuses) for window, statuses in found.items()}


def find_changes(before: Iterable[FleetMember], after: Iterable[FleetMember]) -> tuple[MemberChange, ...]:
    """Find what is different: one change per agent, in the order in which they are shown."""
    was = {one.agent: one for one in before}
    now = {one.agent: one for one in order_members(after)}
    names = (*now, *(name for name in was if name not in now))
    found = (MemberChange(name, was.get(name), now.get(name)) for name in names)
    return tuple(one for one in found if one.before != one.after)


def make_table(members: Iterable[FleetMember], now: float) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Head and rows, without columns that nobody has anything in."""
    rows = [make_row(member, now) for member in members]
    kept = [place for place in range(len(ROSTER_HEAD)) if any(row[place] for row in rows)]
    return tuple(ROSTER_HEAD[place] for place in kept), [tuple(row[place] for place in kept) for row in rows]


def make_row(member: FleetMember, now: float) -> tuple[str, ...]:
    """A row of the table under HEAD."""
    beat = f"{member.heartbeat}/{member.limit}" if member.session is not None else ""
    usage = f"{member.usage:.0%}" if member.usage is not None else ""
    who = (member.agent, member.label, member.status, os.path.basename(member.project))  # noqa: PTH119 a name, no file
    return (*who, _describe_work(member), member.phase, beat, usage, describe_age(now - member.since), member.note)


def describe_age(seconds: float) -> str:
    """How long ago, in its largest unit."""
    for length, unit in AGE_UNITS:
        if seconds >= length:
            return f"{int(seconds // length)}{unit}"
    return f"{max(0, int(seconds))}s"


def member_to_json(member: FleetMember) -> dict[str, object]:
    """Convert a member to what `--json` prints."""
    return {
        "agent": member.agent,
        "label": member.label,
        "kind": member.kind,
        "status": member.status,
        "note": member.note,
        "parent": member.parent,
        "pane": member.pane,
        "project": member.project,
        "task": member.task,
        "skill": member.skill,
        "phase": member.phase,
        "heartbeat": member.heartbeat,
        "limit": member.limit,
        "context": member.usage,
        "since": member.since,
        "supervised": member.supervised,
    }


def _is_present(member: FleetMember) -> bool:
    return member.named or member.session is not None or member.status != "done"


def _describe_work(member: FleetMember) -> str:
    task = os.path.basename(member.task)  # noqa: PTH119
    return "/".join(word for word in (task, member.skill) if word)
