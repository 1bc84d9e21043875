"""`synaptic agent`: who works, by name."""

from typing import Annotated

from synaptic.cli import completion, screen, suggestions, typer
from synaptic.cli.carry_out import carry_out
from synaptic.cli.place import find_place
from synaptic.cli.verbs import Json, make_verb_app
from synaptic.model.layers import STATUSES, Agent
from synaptic.work.agents import ListAgents, RegisterAgent, SetAgentStatus, ShowAgent
from synaptic.work.views import agent_to_view

app = make_verb_app(
    "Agents: who works, on which effort, and in what state. `synaptic fleet` shows them at work.",
    """
    synaptic agent list
    synaptic agent register main:worker-1 --label "Worker 1" --parent main:lead
    synaptic agent status main:worker-1 checked
    """,
)
AgentName = Annotated[
    str,
    typer.Argument(
        metavar="ID", help="Its AGENT_ID, or its window's id.", autocompletion=completion.complete_agent_ids
    ),
]


@app.command("list")
def list_agents(as_json: Json = False) -> None:
    """Everybody who is known, by name."""
    command = ListAgents()
    found = carry_out(command)
    if as_json:
        screen.print_json({"agents": command.answer(found)})
        return
    if not found:
        screen.say("nobody is known yet")
        return
    rows = (
        (one.id, one.label, one.kind, one.status, "" if one.effort is None else str(one.effort), one.note)
        for one in found
    )
    screen.print_table(("ID", "LABEL", "KIND", "STATUS", "EFFORT", "NOTE"), rows)


@app.command()
def show(name: AgentName, as_json: Json = False) -> None:
    """An agent and what it works on."""
    command = ShowAgent(agent_id=name)
    found = carry_out(command)
    if as_json:
        screen.print_json(command.answer(found))
        return
    screen.say(_describe_agent(found.agent))
    if effort := found.effort:
        state = "finished" if effort.finished else effort.phase or "active"
        screen.say(f"Effort {effort.id}: {effort.skill} of {effort.task}, {state}")


@app.command()
def register(
    name: AgentName,
    label: Annotated[str, typer.Option(metavar="TEXT", help="What people call it.")] = "",
    kind: Annotated[str, typer.Option(metavar="NAME", help="Which program it is, such as claude.")] = "",
    parent: Annotated[
        str,
        typer.Option(metavar="ID", help="The agent that coordinates it.", autocompletion=completion.complete_agent_ids),
    ] = "",
    effort: Annotated[
        int | None, typer.Option(metavar="ID", help="What it works on.", autocompletion=completion.complete_effort_ids)
    ] = None,
    as_json: Json = False,
) -> None:
    """Make an agent known, in place of whatever was known by this name."""
    root = find_place().root
    command = RegisterAgent(id=name, label=label, kind=kind, parent=parent, effort=effort, project=root)
    _print_agent(carry_out(command), as_json)


@app.command()
def status(
    name: AgentName,
    to: Annotated[
        str,
        typer.Argument(
            metavar="STATUS", help=", ".join(STATUSES), autocompletion=suggestions.complete_words(*STATUSES)
        ),
    ],
    note: Annotated[str, typer.Option(metavar="TEXT", help="What a person should know.")] = "",
    as_json: Json = False,
) -> None:
    """Say what an agent does."""
    _print_agent(carry_out(SetAgentStatus(agent_id=name, status=to, note=note)), as_json)


def _print_agent(found: Agent, as_json: bool) -> None:
    if as_json:
        screen.print_json({"ok": True, **agent_to_view(found)})
    else:
        screen.say(_describe_agent(found))


def _describe_agent(found: Agent) -> str:
    words = (found.label, found.kind, found.parent and f"works for {found.parent}", found.note)
    return f"{found.id}: {', '.join((found.status, *filter(None, words)))}"
