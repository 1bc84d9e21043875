"""`synaptic agents`: which coding agents are installed here, whether they call the dispatcher, what each can do."""

from typing import Annotated

import msgspec

from synaptic.agents.shared.discover import CLAUDE_NAME, find_agent, list_agent_names
from synaptic.agents.shared.ours import EntryPlan
from synaptic.agents.shared.support import AspectSupport, assess_agent
from synaptic.agents.shared.wired import list_wired_agents
from synaptic.cli import screen, typer
from synaptic.cli.bootstrap import read_installation
from synaptic.cli.completion import complete_agent_names, complete_driven_agents
from synaptic.cli.place import find_place
from synaptic.cli.verbs import Json, make_verb_app
from synaptic.setup import agents
from synaptic.setup.agent_versions import find_versions
from synaptic.setup.bootstrap import (
    UNKNOWN_TOKEN,
    choose_settings_file,
    explain_agent_refusal,
    make_plan,
    recall_choices,
)
from synaptic.setup.options import SetupOptions
from synaptic.setup.settings import read_token

PATIENCE = 120.0
"""Seconds after which a client counts as hanging: ten times what most need, on a machine that has other work."""

app = make_verb_app(
    "Coding agents on this machine: found, version, told about the dispatcher, trusted, what they can do.",
    """
    synaptic agents                 every agent
    synaptic agents show codex      its files, events, abilities, and what no hook of it sees
    synaptic agents verify claude   after an upgrade: whether it still does what it is told
    synaptic bootstrap --agent codex
    """,
)


class AgentOverview(msgspec.Struct, frozen=True, kw_only=True):
    """One agent, as far as this machine knows it."""

    agent: str
    title: str
    found: str
    """The program, or else the folder of settings; "" when neither is there."""
    version: str
    wired: bool
    trusted: bool | None
    """None: it asks nobody, or is not told."""
    can: tuple[str, ...]


class AgentDetails(msgspec.Struct, frozen=True, kw_only=True):
    """Everything about one agent."""

    agent: AgentOverview
    files: tuple[str, ...]
    events: tuple[str, ...]
    abilities: tuple[AspectSupport, ...]
    holes: tuple[str, ...]
    note: str
    refusal: str
    """Why it cannot be told; "" when it can."""


@app.callback(invoke_without_command=True, no_args_is_help=False)
def overview(
    context: typer.Context,
    ask: Annotated[bool, typer.Option("--versions/--no-versions", help="Ask programs for their version.")] = True,
    as_json: Json = False,
) -> None:
    """Coding agents on this machine: found, version, told about the dispatcher, trusted, what they can do."""
    if context.invoked_subcommand is not None:
        return
    every = _list_agents(list_agent_names(), ask)
    if as_json:
        screen.print_json({"ok": True, "agents": every})
        return
    head = ("AGENT", "FOUND", "VERSION", "WIRED", "TRUSTED", "CAN")
    screen.print_table(head, (_make_row(one) for one in every))
    screen.say("\nsynaptic agents show NAME says more; synaptic bootstrap --agent NAME wires one.")


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="An agent.", autocompletion=complete_agent_names)],
    as_json: Json = False,
) -> None:
    """One agent: files, events, what it honours and what happens instead, what no hook of it sees."""
    (agent,) = agents.check_agent_names([name])
    details = _collect_details(agent)
    if as_json:
        screen.print_json({"ok": True, **msgspec.to_builtins(details)})
    else:
        _print_details(details)


@app.command()
def verify(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...", help="Agents; without it all on PATH.", autocompletion=complete_driven_agents
        ),
    ] = None,
    timeout: Annotated[
        float, typer.Option(min=1, max=3600, metavar="SECONDS", help="For one client, until it counts as hanging.")
    ] = PATIENCE,
    as_json: Json = False,
) -> None:
    """Try your own client offline: does it let calls run, stop, change, and reach the model as it is told?

    A scripted model on this machine makes six harmless calls in a throw-away home and project. Nobody's account is
    used, and nothing of yours is read or written but a line with the result. The exit code is 1 unless all are guarded.
    """
    # Everything that drives clients is imported when it is needed: `agents` alone lists them.
    from synaptic.cli import agents_verify  # noqa: PLC0415

    report = agents_verify.verify_agents(names or (), timeout)
    if as_json:
        screen.print_json(agents_verify.to_json(report))
    else:
        agents_verify.print_verification(report)
    if not report.is_good:
        raise typer.Exit(1)


def _list_agents(names: tuple[str, ...], ask: bool) -> list[AgentOverview]:
    options = recall_choices(read_installation(find_place()))
    found = {name: agents.find_agent_here(options, find_agent(name)) for name in names}
    known = find_versions({name: one.program for name, one in found.items() if one.program}) if ask else {}
    told = list_wired_agents(options.home)
    plan = _make_plan(options)
    return [
        AgentOverview(
            agent=name,
            title=find_agent(name).title,
            found=one.program or one.folder,
            version=known.get(name, ""),
            wired=name in told,
            trusted=_find_trust(options, name, plan) if name in told else None,
            can=tuple(ability.aspect for ability in assess_agent(find_agent(name)) if ability.can),
        )
        for name, one in found.items()
    ]


def _find_trust(options: SetupOptions, name: str, plan: EntryPlan) -> bool | None:
    agent = find_agent(name)
    return agents.is_agent_trusted(options, agent, plan) if agent.agreement is not None else None


def _make_plan(options: SetupOptions) -> EntryPlan:
    # Only looked at, never written: a placeholder does where no token was made yet.
    return make_plan(options, read_token(options.home) or UNKNOWN_TOKEN)


def _make_row(one: AgentOverview) -> tuple[str, ...]:
    trusted = "" if one.trusted is None else _format_bool(one.trusted)
    return (one.agent, one.found or "no", one.version, _format_bool(one.wired), trusted, ", ".join(one.can))


def _format_bool(yes: bool) -> str:
    return "yes" if yes else "no"


def _collect_details(name: str) -> AgentDetails:
    options, known = recall_choices(read_installation(find_place())), find_agent(name)
    told = [file.path for file in known.list_files(options.environment, _make_plan(options))]
    return AgentDetails(
        agent=_list_agents((name,), True)[0],
        files=tuple(map(str, [choose_settings_file(options)] if name == CLAUDE_NAME else told)),
        events=known.events,
        abilities=assess_agent(known),
        holes=known.unseen,
        note=known.note,
        refusal=explain_agent_refusal(options, name),
    )


def _print_details(details: AgentDetails) -> None:
    one = details.agent
    screen.say(f"{one.title} {one.version}".rstrip() + (f": {one.found}" if one.found else ": not found here"))
    screen.say(
        f"wired: {_format_bool(one.wired)}" + ("" if one.trusted is None else f", trusted: {_format_bool(one.trusted)}")
    )
    for label, lines in (("files", details.files), ("events", (", ".join(details.events),))):
        screen.say(f"{label}:")
        _print_lines(lines)
    screen.say("honours:")
    _print_lines(tuple(f"{one.aspect}: {'yes' if one.can else f'no; {one.instead}'}" for one in details.abilities))
    if details.holes:
        screen.say("what no hook sees or can do:")
        _print_lines(details.holes)
    if details.note:
        screen.say(f"note: {details.note}")
    if details.refusal:
        screen.say(f"cannot be wired: {details.refusal}")


def _print_lines(lines: tuple[str, ...]) -> None:
    for line in lines:
        screen.say(f"  {line}")
