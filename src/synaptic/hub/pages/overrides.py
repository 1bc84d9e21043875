"""Overrides: the exceptions that people have made on their hosts, and how often each was used."""

import time

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from synaptic.fleet.roster import describe_age
from synaptic.hub.pages.page import read_hub, render_page
from synaptic.hub.pages.rows import show_moment
from synaptic.hub.pages.wanted import SPANS, read_days
from synaptic.hub.server.queries.filter import read_filter
from synaptic.hub.server.queries.overrides import OverrideRow, list_overrides
from synaptic.model.text import join_lines
from synaptic.work.event_words import name_project, show_line

ROWS = 200
FIELDS = ("q", "host", "policy")


class ShownOverride(msgspec.Struct, frozen=True, kw_only=True):
    """One exception."""

    at: str
    host: str
    who: str
    policy: str
    scope: str
    project: str
    root: str
    shown: str
    uses: int
    last: str
    state: str
    is_over: bool


async def show_overrides(request: Request) -> Response:
    """The page."""
    days, since = read_days(request.query_params, "30")
    given = {name: request.query_params.get(name, "").strip() for name in FIELDS}
    wanted = read_filter({**given, "since": f"{since}", "limit": f"{ROWS}"})
    async with read_hub(request) as connection:
        found = await list_overrides(connection, wanted)
    now = time.time()
    return await render_page(
        request, "overrides.html", page="overrides", days=days, spans=SPANS, wanted=wanted, most=ROWS,
        overrides=[make_override(one, now) for one in found],
    )  # fmt: skip


def make_override(one: OverrideRow, now: float) -> ShownOverride:
    """An exception for a page."""
    is_used_up = one.scope == "once" and one.uses > 0
    is_over = bool(one.revoked) or 0 < one.expires < now or is_used_up
    ends = f"until {show_moment(one.expires)}" if one.expires and show_moment(one.expires) else "until taken back"
    state = "taken back" if one.revoked else "used up" if is_used_up else "over" if is_over else ends
    return ShownOverride(
        at=show_moment(one.at), host=show_line(one.host), who=show_line(one.granted_by), policy=show_line(one.policy),
        scope=show_line(one.scope), project=show_line(name_project(one.project)) or show_line(one.project) or "-",
        root=show_line(one.project), shown=show_line(join_lines(one.shown))[:500], uses=one.uses,
        last=f"{describe_age(now - one.last_used)} ago" if one.last_used > 0 else "", state=state, is_over=is_over,
    )  # fmt: skip


ROUTES = [Route("/overrides", show_overrides, methods=["GET"])]
