"""Every living session as one lane: what it did last, how it stands, how full it is, whoever needs a person first.

A session of an agent that the fleet knows stands as the fleet says; any other one as the fleet's own policies would say
of the last thing that was heard of it.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from synaptic.fleet import roster
from synaptic.fleet.sessions import HeardSession
from synaptic.model.event import Notification, PermissionRequest, Stop, StopFailure
from synaptic.model.layers import STATUSES, SetStatus, Status
from synaptic.policies.facts import Facts
from synaptic.policies.fleet.notification import Attention
from synaptic.policies.fleet.permission_request import PermissionWait
from synaptic.policies.fleet.stop import TurnEnd
from synaptic.store.fleet import FleetMember
from synaptic.store.journal_payload import read_payload
from synaptic.store.living import OpenWindow
from synaptic.store.record import JournalEntry

QUIET_SECONDS = 3600.0
"""After so long without a word a session is shown below the others."""
NEEDING: tuple[Status, ...] = STATUSES[:2]
"""In error, or waiting for attention."""
IDLE_EVENTS = ("SessionStart", "Setup")
SILENT_SECONDS = 600.0
"""After so long without a word nobody can say that a session is still at work."""


class LaneWork(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody works on, and how full their context is."""

    usage: float | None = None
    heartbeat: int = 0
    limit: int = 0
    """0 where it has no heartbeat."""
    beat_at: float = 0.0
    phase: str = ""
    skill: str = ""
    task: str = ""
    effort: int = 0


class Lane(msgspec.Struct, frozen=True, kw_only=True):
    """One session, or an agent of the fleet without one."""

    key: str
    """What tells it from the others, for as long as it lives."""
    session: str = ""
    name: str = ""
    """The agent's label or name, where it has one."""
    agent: str = ""
    """Its kind."""
    root: str = ""
    status: Status = "working"
    note: str = ""
    is_silent: bool = False
    """Whether it was at work when it was heard of last, and that is long ago."""
    at: float = 0.0
    """When it was heard of last."""
    step: JournalEntry | None = None
    """What it did last."""
    calls: int | None = None
    """None as long as they are not counted."""
    denied: int | None = None
    work: LaneWork = LaneWork()

    @property
    def needs_person(self) -> bool:
        return self.status in NEEDING


def make_lanes(
    heard: Sequence[HeardSession], members: Iterable[FleetMember], windows: Iterable[OpenWindow], now: float
) -> tuple[Lane, ...]:
    """All lanes: whoever needs a person first, then those that were heard of last."""
    present = roster.keep_present(members, now)
    by_session = {one.host: one for one in roster.order_members(present)[::-1] if one.host}
    known = {one.session: one for one in reversed(tuple(windows))}
    lanes = [_silence(_make_lane(one, by_session.get(one.session), known.get(one.session)), now) for one in heard]
    shown = {one.session for one in heard}
    lanes += [_make_memberlane(one, known.get(one.host)) for one in present if one.host not in shown]
    return tuple(sorted(lanes, key=lambda one: (_rank(one), -one.at, one.key)))


def judge_step(entry: JournalEntry) -> tuple[Status, str]:
    """How a session stands after its last event, as the fleet's policies say it, and what a person should know."""
    facts, given = Facts(agent_name=entry.session or "session"), read_payload(entry.payload)
    match entry.event:
        case "PermissionRequest":
            verdict = PermissionWait().check(PermissionRequest(tool_name=entry.tool), facts)
        case "Notification":
            texts = {name: _read_text(given, name) for name in ("message", "title", "notification_type")}
            verdict = Attention().check(Notification(**texts), facts)
        case "StopFailure":
            texts = {name: _read_text(given, name) for name in ("error", "error_details", "last_assistant_message")}
            verdict = TurnEnd().check(StopFailure(**texts), facts)
        case "Stop":
            verdict = TurnEnd().check(Stop(), facts)
        case name:
            return ("done" if name in IDLE_EVENTS else "working"), ""
    said = next((one for one in verdict.effects if isinstance(one, SetStatus)), None) if verdict else None
    return (said.status, said.note) if said else ("done", "")


def _make_lane(one: HeardSession, member: FleetMember | None, window: OpenWindow | None) -> Lane:
    status, note = (member.status, member.note) if member else judge_step(one.last) if one.last else ("working", "")
    return Lane(
        key=one.session,
        session=one.session,
        name=_name(member),
        agent=one.agent,
        root=one.root,
        status=status,
        note=note,
        at=one.at,
        step=one.step,
        calls=one.calls,
        denied=one.denied,
        work=_describe_work(member, window),
    )


def _silence(lane: Lane, now: float) -> Lane:
    if lane.status != "working" or now - lane.at < SILENT_SECONDS:
        return lane
    return msgspec.structs.replace(lane, status="done", is_silent=True)


def _make_memberlane(member: FleetMember, window: OpenWindow | None) -> Lane:
    return Lane(
        key=f"agent {member.agent}",
        session=member.host,
        name=_name(member),
        agent=member.kind,
        root=member.project,
        status=member.status,
        note=member.note,
        at=member.seen,
        work=_describe_work(member, window),
    )


def _describe_work(member: FleetMember | None, window: OpenWindow | None) -> LaneWork:
    """From its open window, else from what the fleet knows of its agent."""
    if window is not None:
        return LaneWork(
            usage=window.usage, heartbeat=window.heartbeat, limit=window.limit, beat_at=window.beat_at,
            phase=window.phase, skill=window.skill, task=window.task, effort=window.effort,
        )  # fmt: skip
    if member is None:
        return LaneWork()
    limit = member.limit if member.session is not None else 0
    return LaneWork(
        usage=member.usage, heartbeat=member.heartbeat, limit=limit, beat_at=member.seen if limit else 0.0,
        phase=member.phase, skill=member.skill, task=member.task,
    )  # fmt: skip


def _name(member: FleetMember | None) -> str:
    return (member.label or (member.agent if member.named else "")) if member else ""


def _rank(lane: Lane) -> int:
    return STATUSES.index(lane.status) if lane.needs_person else len(NEEDING)


def _read_text(given: Mapping[str, object], name: str) -> str:
    found = given.get(name, "")
    return found if isinstance(found, str) else ""
