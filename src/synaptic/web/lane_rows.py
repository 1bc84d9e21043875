"""Lanes as rows of a page."""

from datetime import datetime

import msgspec

from synaptic.fleet.lanes import Lane
from synaptic.model.layers import Status
from synaptic.store.record import JournalEntry
from synaptic.web.rows import choose_hue
from synaptic.work.event_words import Tone, describe_act, list_verdicts, name_project, show_line

LONGEST_ACT = 300
STATUS_WORDS: dict[Status, str] = {
    "error": "in error", "attention": "needs you", "working": "working", "checked": "seen", "done": "done",
}  # fmt: skip


class LaneRow(msgspec.Struct, frozen=True, kw_only=True):
    """One lane."""

    id: str
    session: str
    hue: int
    who: str
    agent: str
    project: str
    root: str
    status: Status
    word: str
    note: str
    step: int
    act: str
    verdict: str
    tone: Tone
    at: float
    time: str
    moment: str
    usage: int | None
    """Of a hundred."""
    beat: str
    beat_at: float
    beat_time: str
    is_over_limit: bool
    work: str
    phase: str
    effort: int
    calls: int | None
    denied: int | None


def make_lane_row(lane: Lane) -> LaneRow:
    """A lane for a page."""
    verdicts = list_verdicts(lane.step) if lane.step else []
    task = show_line(name_project(lane.work.task))
    return LaneRow(
        id=name_element("s", lane.key),
        session=show_line(lane.session),
        hue=choose_hue(lane.session or lane.key),
        who=show_line(lane.name) or show_line(lane.session[:8]) or "-",
        agent=show_line(lane.agent),
        project=show_line(name_project(lane.root)) or "-",
        root=show_line(lane.root),
        status=lane.status,
        word="silent" if lane.is_silent else STATUS_WORDS[lane.status],
        note=show_line(lane.note),
        step=lane.step.id if lane.step else 0,
        act=_describe_step(lane.step),
        verdict=verdicts[0].words if verdicts else "",
        tone=verdicts[0].tone if verdicts else "plain",
        at=lane.at,
        time=_format_time(lane.at),
        moment=datetime.fromtimestamp(lane.at).astimezone().isoformat(timespec="seconds"),
        usage=None if lane.work.usage is None else round(min(max(lane.work.usage, 0.0), 1.0) * 100),
        beat=f"{lane.work.heartbeat}/{lane.work.limit}" if lane.work.limit else "",
        beat_at=lane.work.beat_at,
        beat_time=_format_time(lane.work.beat_at),
        is_over_limit=bool(lane.work.limit) and lane.work.heartbeat >= lane.work.limit,
        work=" / ".join(word for word in (task, show_line(lane.work.skill)) if word),
        phase=show_line(lane.work.phase),
        effort=lane.work.effort,
        calls=lane.calls,
        denied=lane.denied,
    )


def name_element(kind: str, key: str) -> str:
    """The name of an element for a key that agents choose: letters and digits only, and the same each time."""
    return f"{kind}-{key.encode('utf-8', 'surrogatepass').hex()[:160]}"


def _describe_step(entry: JournalEntry | None) -> str:
    if entry is None:
        return ""
    act = describe_act(entry)[:LONGEST_ACT]
    return f"{act} (sub-agent)" if entry.agent_id else act


def _format_time(at: float) -> str:
    """For readers without scripts: a page with them says how long ago it was."""
    return datetime.fromtimestamp(at).strftime("%H:%M:%S") if at else ""
