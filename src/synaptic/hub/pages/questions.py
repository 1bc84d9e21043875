"""Questions that wait on hosts for a person. A person's own machine signs the answer."""

import time
from collections import Counter

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from synaptic.fleet.roster import describe_age
from synaptic.hub.pages.page import read_hub, render_page
from synaptic.hub.pages.rows import read_code
from synaptic.hub.server.queries.filter import MOST_ROWS, HubFilter
from synaptic.hub.server.queries.questions import QuestionRow, list_questions
from synaptic.work.event_words import drop_handle, name_project, show_line, show_text

COMMAND = "synaptic inbox --hub"
LONGEST_TEXT = 2000


class ShownQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """One question."""

    host: str
    code: str
    """For the commands to type; "" for what is none."""
    which: str
    """What has to stand behind them where several hosts have this code."""
    age: str
    policies: str
    tool: str
    project: str
    root: str
    agent: str
    is_held: bool
    is_grantable: bool
    shown: str
    reason: str
    answer: str
    """What somebody has said already, on its way to the host."""


async def show_questions(request: Request) -> Response:
    """The page: calls that wait now come first."""
    return await render_page(request, "questions.html", page="questions", **await _read(request))


async def show_list(request: Request) -> Response:
    """The part that is looked at again every few seconds."""
    return await render_page(request, "parts/hub_questions.html", **await _read(request))


def make_question(one: QuestionRow, now: float, *, is_shared: bool = False) -> ShownQuestion:
    """A question for a page."""
    asked = one.question
    return ShownQuestion(
        host=show_line(one.host),
        code=read_code(asked.code),
        which=f" --host {show_line(one.host)}" if is_shared else "",
        age=describe_age(now - asked.at),
        policies=show_line(", ".join(asked.policies)),
        tool=show_line(asked.tool),
        project=show_line(name_project(asked.project)) or "-",
        root=show_line(asked.project),
        agent=show_line(asked.agent),
        is_held=asked.is_held,
        is_grantable=asked.is_grantable,
        shown=show_text(asked.shown[:LONGEST_TEXT]),
        reason=show_line(drop_handle(asked.reason))[:LONGEST_TEXT],
        answer=f"{show_line(one.person)} said {show_line(one.says)}" if one.says else "",
    )


async def _read(request: Request) -> dict[str, object]:
    async with read_hub(request) as connection:
        found = await list_questions(connection, HubFilter(limit=MOST_ROWS))
    now = time.time()
    found.sort(key=lambda one: (bool(one.says), not one.question.is_held, one.question.at))
    codes = Counter(one.question.code for one in found)
    rows = [make_question(one, now, is_shared=codes[one.question.code] > 1) for one in found]
    held = sum(one.is_held and not one.answer for one in rows)
    return {"questions": rows, "held": held, "is_cut": len(found) == MOST_ROWS, "command": COMMAND}


ROUTES = [
    Route("/questions", show_questions, methods=["GET"]),
    Route("/questions/list", show_list, methods=["GET"]),
]
