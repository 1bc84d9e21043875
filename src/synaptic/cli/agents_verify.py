"""What `synaptic agents verify` does and shows: which clients there are, the table, and the verdict in words."""

import os
from collections.abc import Iterator, Sequence

import msgspec

from synaptic.agents.shared.discover import find_agent, list_agent_names
from synaptic.cli import progress, screen
from synaptic.cli.bootstrap import read_installation
from synaptic.cli.place import find_place
from synaptic.model.errors import SynapticError
from synaptic.setup.agents import check_agent_names, find_agent_here
from synaptic.setup.options import SetupOptions
from synaptic.setup.verified import GOOD, remember_verification
from synaptic.verification.cases import CASES
from synaptic.verification.client_session import ClientPlan
from synaptic.verification.driver import list_driven_agents
from synaptic.verification.verify import VerifiedClient, verify_clients

UNDRIVEN = "takes no model but its maker's, so nothing can be tried offline"
MISSING = "not installed: there is no `{}` on PATH"
MOST_WORDS = 600
"""Letters of a verdict that are shown: a client's last words may be long."""


class LeftOut(msgspec.Struct, frozen=True):
    """An agent that was not verified."""

    agent: str
    why: str
    is_asked_for: bool
    """Somebody has named it, so that leaving it out is a failure."""


class VerifyReport(msgspec.Struct, frozen=True):
    """What came of all of them."""

    clients: Sequence[VerifiedClient]
    left_out: Sequence[LeftOut]

    @property
    def is_good(self) -> bool:
        """Whether everything that was asked for is guarded, and at least one client is."""
        good = all(one.standing == GOOD for one in self.clients)
        return good and bool(self.clients) and not any(one.is_asked_for for one in self.left_out)


def verify_agents(names: Sequence[str], patience: float) -> VerifyReport:
    """Verify the named agents, or all on PATH, and remember what was found. Raises SettingsError for unknown names."""
    options = read_installation(find_place())
    wanted = check_agent_names(names) if names else list_agent_names()
    programs = {name: find_agent_here(options, find_agent(name)).program for name in wanted}
    left_out = [one for name, path in programs.items() if (one := _leave_out(name, path, bool(names)))]
    skipped = {one.agent for one in left_out}
    plans = [_make_plan(name, path, patience) for name, path in programs.items() if name not in skipped]
    with progress.show_progress(f"verifying {', '.join(plan.agent for plan in plans) or 'nothing'}"):
        clients = verify_clients(plans)
    _remember(options, clients)
    return VerifyReport(clients, left_out)


def _leave_out(name: str, program: str, is_asked_for: bool) -> LeftOut | None:
    if not program:
        return LeftOut(name, MISSING.format("` or `".join(find_agent(name).programs)), is_asked_for)
    return None if name in list_driven_agents() else LeftOut(name, UNDRIVEN, is_asked_for)


def _make_plan(name: str, program: str, patience: float) -> ClientPlan:
    return ClientPlan(agent=name, launch=(program,), search_path=os.environ.get("PATH", os.defpath), patience=patience)


def _remember(options: SetupOptions, clients: Sequence[VerifiedClient]) -> None:
    """What was found is told even where it cannot be kept."""
    try:
        for one in clients:
            remember_verification(options.home, one.to_memory())
    except (SynapticError, OSError) as error:
        screen.warn(f"what was found could not be remembered: {error}")


def print_verification(report: VerifyReport) -> None:
    """Print the table, then what it means, a line for each client."""
    if report.clients:
        head = ("AGENT", "VERSION", *(case.name.upper() for case in CASES), "SECONDS")
        screen.print_table(head, map(_make_row, report.clients))
        screen.say()
    for one in report.clients:
        words = f": {one.words[:MOST_WORDS]}" if one.words else ""
        screen.say_under(f"{find_agent(one.agent).title}  ", f"{one.standing}{words}")
    for line in _describe_left_out(report):
        screen.say(line)


def _make_row(one: VerifiedClient) -> tuple[str, ...]:
    found = {result.name: result.found for result in one.results}
    cells = (found.get(case.name, "-") for case in CASES)
    return (one.agent, one.version, *cells, f"{one.seconds:.1f}")


def _describe_left_out(report: VerifyReport) -> Iterator[str]:
    for one in report.left_out:
        if one.is_asked_for or one.why == UNDRIVEN:
            yield f"{find_agent(one.agent).title}: {one.why}"
    missing = [one.agent for one in report.left_out if not one.is_asked_for and one.why != UNDRIVEN]
    if not report.clients and missing:
        yield f"no client was found on PATH: {', '.join(missing)}"


def to_json(report: VerifyReport) -> dict[str, object]:
    """The report as a document."""
    return {"ok": report.is_good, "clients": report.clients, "left_out": report.left_out}
