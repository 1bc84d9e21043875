"""Policies and rules: which are on, what they did, and how each is set; a person may let one count less or more."""

import time
from typing import Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from synaptic.fleet.roster import describe_age
from synaptic.model.errors import LayerError, SynapticError
from synaptic.model.hook import MODES
from synaptic.store.hook_days import read_hook_days
from synaptic.store.journal_filter import read_numbered_entries
from synaptic.store.reader import JournalReader
from synaptic.store.report_counts import list_decided_events
from synaptic.store.shadow import list_shadow_events
from synaptic.web.acting import ask_daemon, is_pin_wanted, read_form
from synaptic.web.page import get_console, render_page, render_trouble
from synaptic.web.policy_counts import MOST_DECISIONS
from synaptic.web.policy_details import PLOT_DAYS, describe_policy, plot_days, split_code
from synaptic.web.policy_list import ListedPolicy, list_policies
from synaptic.web.rows import EventRow, make_row
from synaptic.work.event_words import name_project, show_line
from synaptic.work.policy_modes import ChangedModes, SetPolicyModes
from synaptic.work.policy_standing import describe_would

EXAMPLES = 8
MOST_SEARCHED = 5_000
"""Of so many events about which anything was said, from the newest back, examples are found."""
WORDS: dict[str, str] = {"enforce": "enforced", "advise": "advises", "shadow": "shadow", "off": "off"}
MEANS: dict[str, str] = {
    "enforce": "what it says counts",
    "advise": "what it would refuse or change is told, and the call goes on",
    "shadow": "it is asked after the answer; what it would have said is only kept",
    "off": "it is not asked",
}
SHOWN = ("on", "fired", "all")


def format_millis(millis: float | None) -> str:
    """A duration in few letters."""
    return "" if millis is None else f"{millis:.1f} ms" if millis >= 1 else f"{millis * 1000:.0f} µs"


SAID = {
    "words": WORDS,
    "means": MEANS,
    "age": describe_age,
    "would": describe_would,
    "millis": format_millis,
    "split": split_code,
    "clean": show_line,
}
"""What templates say things with."""


class ProjectChoice(msgspec.Struct, frozen=True):
    """A project that can be chosen."""

    root: str
    name: str


class PolicyWish(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody has chosen on the page."""

    show: str
    root: str
    grep: str

    def takes(self, one: ListedPolicy) -> bool:
        """Whether a policy is shown."""
        has_text = self.grep in f"{one.id} {one.about}".lower()
        return has_text and (self.show == "all" or one.figures.has_fired or (self.show == "on" and one.is_on))


def show_policies(request: Request) -> Response:
    """The page: all that judges calls, by group."""
    projects = list_projects(request)
    wish = read_wish(request, projects)
    console = get_console(request)
    catalog = console.catalogs.get(wish.root)
    found = list_policies(catalog, console.counted.get())
    groups: dict[str, list[ListedPolicy]] = {}
    for one in filter(wish.takes, found):
        groups.setdefault(one.group, []).append(one)
    return render_page(
        request, "policies.html", page="policies", wish=wish, groups=groups, projects=projects,
        on=sum(one.is_on for one in found), every=len(found), problems=tuple(map(show_line, catalog.problems)),
        now=time.time(), most=MOST_DECISIONS if console.counted.get().is_cut else 0, **SAID,
    )  # fmt: skip


def show_policy(request: Request) -> Response:
    """One of them in full."""
    name = request.path_params["name"]
    root = read_root(request, list_projects(request))
    found = _find(request, name, root)
    if found is None:
        return render_trouble(request, LayerError("NOT_FOUND", "there is no such policy here", hint="/policies"), 404)
    return render_page(request, "policy.html", page="policies", **_describe(request, found, root), pin="", told="")


async def set_mode(request: Request) -> Response:
    """Let it count, advise, or only be watched: the daemon looks at who asks."""
    name, fields = request.path_params["name"], await read_form(request)
    mode, pin, trouble, told = fields.get("mode", ""), "", None, ""
    try:
        command = _make_command(name, mode, fields.get("pin", ""))
        done = await ask_daemon(request, command, ChangedModes)
        told = f"written to {done.file}" if done.changed else "it was so already"
    except SynapticError as error:
        trouble, pin = error, mode if is_pin_wanted(error) else ""
    return await run_in_threadpool(_render_mode, request, name, pin=pin, trouble=trouble, told=told)


def list_projects(request: Request) -> tuple[ProjectChoice, ...]:
    """Projects in which something was asked lately."""
    roots = get_console(request).counted.get().roots
    return tuple(ProjectChoice(root, show_line(name_project(root))) for root in roots)


def read_root(request: Request, projects: tuple[ProjectChoice, ...]) -> str:
    """The project of an address, if it is one that is known: nobody's word opens another folder."""
    wanted = request.query_params.get("project", "")
    return wanted if wanted in {one.root for one in projects} else ""


def read_wish(request: Request, projects: tuple[ProjectChoice, ...]) -> PolicyWish:
    """What an address asks for."""
    show = request.query_params.get("show", "")
    grep = request.query_params.get("grep", "").strip().lower()[:100]
    return PolicyWish(show=show if show in SHOWN else SHOWN[0], root=read_root(request, projects), grep=grep)


def list_examples(reader: JournalReader, one: ListedPolicy) -> tuple[EventRow, ...]:
    """The newest events that it stopped, or would have stopped."""
    if not one.figures.has_fired and not one.figures.last:
        return ()
    numbers = set(list_decided_events(reader, one.id, EXAMPLES, MOST_SEARCHED))
    if one.figures.would:
        numbers |= {*list_shadow_events(reader, one.id, EXAMPLES)}
    found = read_numbered_entries(reader, sorted(numbers))
    return tuple(make_row(found[number]) for number in sorted(found, reverse=True)[:EXAMPLES])


def _find(request: Request, name: str, root: str) -> ListedPolicy | None:
    console = get_console(request)
    listed = list_policies(console.catalogs.get(root), console.counted.get())
    return next((one for one in listed if one.id == name), None)


def _describe(request: Request, found: ListedPolicy, root: str) -> dict[str, Any]:
    console = get_console(request)
    days = read_hook_days(console.reader, PLOT_DAYS, hook=found.id)
    return {
        "one": found,
        "details": describe_policy(console.catalogs.get(root), found.id),
        "days": plot_days(days, found.id),
        "examples": list_examples(console.reader, found),
        "root": root,
        "now": time.time(),
        "trouble": None,
        **SAID,
    }


def _make_command(name: str, mode: str, pin: str) -> SetPolicyModes:
    if (wanted := next((known for known in MODES if known == mode), None)) is None:
        raise LayerError("VALIDATION_ERROR", f"a policy has no such mode; known: {', '.join(MODES)}")
    return SetPolicyModes(names=(name,), mode=wanted, pin=pin)


def _render_mode(request: Request, name: str, **values: Any) -> Response:
    found = _find(request, name, "")
    if found is None:
        return render_trouble(request, LayerError("NOT_FOUND", "there is no such policy here"), 404)
    details = describe_policy(get_console(request).catalogs.get(), name)
    return render_page(request, "parts/policy_mode.html", one=found, details=details, **SAID, **values)


ROUTES = [
    Route("/policies", show_policies),
    Route("/policy/{name:path}/mode", set_mode, methods=["POST"]),
    Route("/policy/{name:path}", show_policy),
]
