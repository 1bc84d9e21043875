"""Hosts as a person looks at them: which are behind, silent, old, troubled. Pure."""

import re
from collections.abc import Sequence

import msgspec

from synaptic.fleet.roster import describe_age
from synaptic.hub.server.queries.hosts import HostRow
from synaptic.hub.wire import EPOCH_SHIFT
from synaptic.model.layers import STATUSES
from synaptic.work.event_words import name_project, show_line

SILENT_SECONDS = 300.0
BEHIND_EVENTS = 500
MOST_AGENTS = 8
MOST_PROBLEMS = 5
KINDS = {
    "trouble": "with trouble", "silent": "silent", "behind": "behind", "old": "on an older version",
    "bundle": "without the newest bundle", "revoked": "revoked",
}  # fmt: skip
"""What a host may be, worst first, and how the page calls it."""
NUMBER = re.compile(r"\d{1,9}|[a-z]{1,20}")


class ShownAgent(msgspec.Struct, frozen=True):
    """One agent of a host."""

    name: str
    status: str
    project: str
    note: str


class ShownHost(msgspec.Struct, frozen=True, kw_only=True):
    """One host."""

    id: str
    name: str
    seen: str
    behind: str
    version: str
    bundle: str
    contents: str
    is_managed: bool
    marks: frozenset[str]
    """Which of KINDS it is."""
    problems: tuple[str, ...]
    agents: tuple[ShownAgent, ...]
    more_agents: int

    @property
    def rank(self) -> int:
        """What needs somebody comes first; what was shut out last."""
        return (
            len(KINDS) + 1
            if "revoked" in self.marks
            else min((list(KINDS).index(one) for one in self.marks), default=8)
        )


class FleetNews(msgspec.Struct, frozen=True):
    """What the hosts are compared with."""

    now: float
    version: str
    """The newest that any host runs."""
    bundle: str
    """The newest that was published; "" where there is none."""

    @property
    def shown_version(self) -> str:
        return show_line(self.version)


def find_newest_version(hosts: Sequence[HostRow]) -> str:
    """Of those that are not shut out."""
    return max((one.version for one in hosts if not one.revoked_at), key=make_version_key, default="")


def make_version_key(version: str) -> tuple[tuple[int, int, str], ...]:
    """Versions in their order: numbers as numbers, and what comes before a release (`rc1`) before it."""
    parts = NUMBER.findall(version.lower()[:60])
    return (*((1, int(part), "") if part.isdigit() else (-1, 0, part) for part in parts), (0, 0, ""))


def make_host(one: HostRow, news: FleetNews) -> ShownHost:
    """A host for a page."""
    status = one.status
    agents = status.agents if status else ()
    order = sorted(agents, key=lambda agent: STATUSES.index(agent.status) if agent.status in STATUSES else 99)
    return ShownHost(
        id=show_line(one.id),
        name=show_line(one.name),
        seen=f"{describe_age(news.now - one.seen_at)} ago",
        behind=describe_lag(one.behind),
        version=show_line(one.version),
        bundle=show_line(one.bundle),
        contents=show_line(status.contents) if status else "",
        is_managed=one.is_managed,
        marks=frozenset(_list_marks(one, news)),
        problems=tuple(show_line(text)[:300] for text in list_problems(one)[:MOST_PROBLEMS]),
        agents=tuple(
            ShownAgent(
                show_line(agent.label) or show_line(agent.kind) or show_line(agent.id),
                agent.status if agent.status in STATUSES else "",
                show_line(name_project(agent.project)),
                show_line(agent.note)[:120],
            )
            for agent in order[:MOST_AGENTS]
        ),
        more_agents=max(len(order) - MOST_AGENTS, 0),
    )


def list_problems(one: HostRow) -> list[str]:
    """What it says is wrong."""
    if not one.status:
        return []
    told = [f"bundle: {one.status.bundle_trouble}"] if one.status.bundle_trouble else []
    return [*told, *one.status.problems]


def describe_lag(behind: int) -> str:
    """About how many events the hub lacks; a journal that began anew has numbers far beyond."""
    if behind >= 1 << EPOCH_SHIFT:
        return "a new journal"
    return f"{behind:,}" if behind else ""


def _list_marks(one: HostRow, news: FleetNews) -> list[str]:
    if one.revoked_at:
        return ["revoked"]
    found = ["trouble"] if list_problems(one) else []
    found += ["silent"] if news.now - one.seen_at > SILENT_SECONDS else []
    found += ["behind"] if one.behind >= BEHIND_EVENTS else []
    found += ["old"] if one.version and make_version_key(one.version) < make_version_key(news.version) else []
    return found + (["bundle"] if news.bundle and one.status and one.bundle != news.bundle else [])
