"""The fleet: who works on what, efforts with their phases and windows, tasks and projects."""

import time

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from synaptic.fleet import roster
from synaptic.fleet.follow import mark_lost
from synaptic.model.layers import Status
from synaptic.store.effort_windows import list_projects
from synaptic.store.efforts import list_newest_efforts
from synaptic.store.fleet import FleetMember, list_members
from synaptic.store.tasks import list_tasks
from synaptic.web.effort_rows import format_moment, make_effort_row
from synaptic.web.page import get_console, render_page
from synaptic.web.rows import choose_hue
from synaptic.work.event_words import name_project, show_line

MOST_AGENTS, MOST_EFFORTS, MOST_TASKS, MOST_PROJECTS = 200, 30, 100, 50


class AgentRow(msgspec.Struct, frozen=True, kw_only=True):
    """One agent of the fleet."""

    name: str
    kind: str
    session: str
    hue: int
    status: Status
    note: str
    parent: str
    root: str
    project: str
    work: str
    phase: str
    beat: str
    usage: str
    since: str


class NamedRow(msgspec.Struct, frozen=True, kw_only=True):
    """A task or a project."""

    name: str
    place: str
    root: str
    words: str
    numbers: tuple[int, ...]
    last: str


def show_fleet(request: Request) -> Response:
    """The page; with `all` also agents that are gone for long."""
    console = get_console(request)
    reader, now, everybody = console.reader, time.time(), "all" in request.query_params
    members = [mark_lost(console.home, one) for one in list_members(reader)]
    chosen = roster.order_members(members if everybody else roster.keep_present(members, now))[:MOST_AGENTS]
    return render_page(
        request,
        "fleet.html",
        page="fleet",
        everybody=everybody,
        gone=len(members) - len(chosen),
        agents=[make_agent_row(one, now) for one in chosen],
        efforts=[make_effort_row(reader, one) for one in list_newest_efforts(reader, MOST_EFFORTS)],
        tasks=[
            NamedRow(
                name=show_line(one.title) or show_line(name_project(one.folder)),
                place=show_line(one.folder.removeprefix(f"{one.project}/")),
                root=show_line(one.project),
                words=show_line(", ".join(one.keywords)),
                numbers=(one.efforts, one.active),
                last=format_moment(one.last_activity or one.created_at),
            )
            for one in list_tasks(reader)[:MOST_TASKS]
        ],
        projects=[
            NamedRow(
                name=show_line(name_project(one.root)),
                place=show_line(one.root),
                root=show_line(one.root),
                words="",
                numbers=(one.tasks, one.efforts, one.active),
                last=format_moment(one.last),
            )
            for one in list_projects(reader, MOST_PROJECTS)
        ],
    )


def make_agent_row(one: FleetMember, now: float) -> AgentRow:
    """An agent, in the words of `synaptic fleet`."""
    head = dict(zip(roster.ROSTER_HEAD, roster.make_row(one, now), strict=True))
    return AgentRow(
        name=show_line(one.label) or show_line(one.agent),
        kind=show_line(one.kind),
        session=show_line(one.host),
        hue=choose_hue(one.host or one.agent),
        status=one.status,
        note=show_line(one.note),
        parent=show_line(one.parent),
        root=show_line(one.project),
        project=show_line(head["PROJECT"]),
        work=show_line(head["TASK"]),
        phase=show_line(head["PHASE"]),
        beat=head["HEARTBEAT"],
        usage=head["CONTEXT"],
        since=head["SINCE"],
    )


ROUTES = [Route("/fleet", show_fleet)]
