"""`synaptic agents`: which coding agents are installed here, whether they call the dispatcher, what each can do."""

from typing import Annotated

import msgspec
import typer

from synaptic.agents.shared.discover import CLAUDE, agent_names, find_agent
from synaptic.agents.shared.ours import Plan
from synaptic.agents.shared.support import Ability, abilities
from synaptic.cli import screen
from synaptic.cli.bootstrap import agent_names as complete_agents
from synaptic.cli.bootstrap import installation
from synaptic.cli.place import here
from synaptic.cli.verbs import verb
from synaptic.setup import agents
from synaptic.setup.agent_versions import versions
from synaptic.setup.bootstrap import UNKNOWN_TOKEN, plan_of, refusal, remembered, target
from synaptic.setup.options import Options
from synaptic.setup.settings import read_token
from synaptic.setup.wired import wired

app = verb(
    "Coding agents on this machine: found, version, told about the dispatcher, trusted, what they can do.",
    """
    synaptic agents                 every agent
    synaptic agents show codex      its files, events, abilities, and what no hook of it sees
    synaptic bootstrap --agent codex
    """,
)
# `synaptic agents` alone is the overview, not the help.
app.info.no_args_is_help = False
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


class Agent(msgspec.Struct, frozen=True, kw_only=True):
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


class Details(msgspec.Struct, frozen=True, kw_only=True):
    """Everything about one agent."""

    agent: Agent
    files: tuple[str, ...]
    events: tuple[str, ...]
    abilities: tuple[Ability, ...]
    holes: tuple[str, ...]
    note: str
    refusal: str
    """Why it cannot be told; "" when it can."""


@app.callback(invoke_without_command=True)
def overview(
    context: typer.Context,
    ask: Annotated[bool, typer.Option("--versions/--no-versions", help="Ask programs for their version.")] = True,
    as_json: Json = False,
) -> None:
    """Coding agents on this machine: found, version, told about the dispatcher, trusted, what they can do."""
    if context.invoked_subcommand is not None:
        return
    every = _every(agent_names(), ask)
    if as_json:
        screen.document({"ok": True, "agents": every})
        return
    head = ("agent", "found", "version", "wired", "trusted", "can")
    screen.table(head, (_row(one) for one in every))
    screen.say("\nsynaptic agents show NAME says more; synaptic bootstrap --agent NAME wires one.")


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="An agent.", autocompletion=complete_agents)],
    as_json: Json = False,
) -> None:
    """One agent: files, events, what it honours and what happens instead, what no hook of it sees."""
    (agent,) = agents.check_names([name])
    details = _details(agent)
    if as_json:
        screen.document({"ok": True, **msgspec.to_builtins(details)})
    else:
        _tell(details)


def _every(names: tuple[str, ...], ask: bool) -> list[Agent]:
    options = remembered(installation(here()))
    found = {name: agents.find_here(options, find_agent(name)) for name in names}
    known = versions({name: one.program for name, one in found.items() if one.program}) if ask else {}
    told = wired(options.home)
    plan = _plan(options)
    return [
        Agent(
            agent=name,
            title=find_agent(name).title,
            found=one.program or one.folder,
            version=known.get(name, ""),
            wired=name in told,
            trusted=_trusted(options, name, plan) if name in told else None,
            can=tuple(ability.aspect for ability in abilities(find_agent(name)) if ability.can),
        )
        for name, one in found.items()
    ]


def _trusted(options: Options, name: str, plan: Plan) -> bool | None:
    agent = find_agent(name)
    return agents.is_trusted(options, agent, plan) if agent.agreement is not None else None


def _plan(options: Options) -> Plan:
    # Only looked at, never written: a placeholder does where no token was made yet.
    return plan_of(options, read_token(options.home) or UNKNOWN_TOKEN)


def _row(one: Agent) -> tuple[str, ...]:
    trusted = "" if one.trusted is None else _word(one.trusted)
    return (one.agent, one.found or "no", one.version, _word(one.wired), trusted, ", ".join(one.can))


def _word(yes: bool) -> str:
    return "yes" if yes else "no"


def _details(name: str) -> Details:
    options, known = remembered(installation(here())), find_agent(name)
    told = [file.path for file in known.wire(options.environment, _plan(options))]
    return Details(
        agent=_every((name,), True)[0],
        files=tuple(map(str, [target(options)] if name == CLAUDE else told)),
        events=known.events,
        abilities=abilities(known),
        holes=known.unseen,
        note=known.note,
        refusal=refusal(options, name),
    )


def _tell(details: Details) -> None:
    one = details.agent
    screen.say(f"{one.title} {one.version}".rstrip() + (f": {one.found}" if one.found else ": not found here"))
    screen.say(f"wired: {_word(one.wired)}" + ("" if one.trusted is None else f", trusted: {_word(one.trusted)}"))
    for label, lines in (("files", details.files), ("events", (", ".join(details.events),))):
        screen.say(f"{label}:")
        _lines(lines)
    screen.say("honours:")
    _lines(tuple(f"{one.aspect}: {'yes' if one.can else f'no; {one.instead}'}" for one in details.abilities))
    if details.holes:
        screen.say("what no hook sees or can do:")
        _lines(details.holes)
    if details.note:
        screen.say(f"note: {details.note}")
    if details.refusal:
        screen.say(f"cannot be wired: {details.refusal}")


def _lines(lines: tuple[str, ...]) -> None:
    for line in lines:
        screen.say(f"  {line}")
