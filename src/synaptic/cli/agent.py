"""`synaptic agent`: who works, by name."""

import time
from typing import Annotated

import typer

from synaptic.cli import completion, screen
from synaptic.cli.place import here, opened
from synaptic.cli.state import durable
from synaptic.cli.verbs import verb
from synaptic.model.layers import STATUSES, Agent
from synaptic.store import agents, layers
from synaptic.store.agents import Registration
from synaptic.work.layer_views import agent_view, effort_view

app = verb(
    "Agents: who works, on which effort, and in what state. `synaptic fleet` shows them at work.",
    """
    synaptic agent list
    synaptic agent register main:worker-1 --label "Worker 1" --parent main:lead
    synaptic agent status main:worker-1 checked
    """,
)
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Name = Annotated[
    str, typer.Argument(metavar="ID", help="Its AGENT_ID, or its window's id.", autocompletion=completion.agent_ids)
]


@app.command("list")
def list_agents(as_json: Json = False) -> None:
    """Everybody who is known, by name."""
    with opened(here().home) as store:
        found = layers.agents(store)
    if as_json:
        screen.document({"agents": [agent_view(one) for one in found]})
        return
    if not found:
        screen.say("nobody is known yet")
        return
    rows = (
        (one.id, one.label, one.kind, one.status, "" if one.effort is None else str(one.effort), one.note)
        for one in found
    )
    screen.table(("ID", "LABEL", "KIND", "STATUS", "EFFORT", "NOTE"), rows)


@app.command()
def show(name: Name, as_json: Json = False) -> None:
    """An agent and what it works on."""
    with opened(here().home) as store:
        found = agents.required(store, name)
        effort = layers.effort(store, found.effort) if found.effort is not None else None
    if as_json:
        screen.document({**agent_view(found), "effort": effort_view(effort) if effort else None})
        return
    screen.say(_line(found))
    if effort:
        state = "finished" if effort.finished else effort.phase or "active"
        screen.say(f"Effort {effort.id}: {effort.skill} of {effort.task}, {state}")


@app.command()
def register(
    name: Name,
    label: Annotated[str, typer.Option(metavar="TEXT", help="What people call it.")] = "",
    kind: Annotated[str, typer.Option(metavar="NAME", help="Which program it is, such as claude.")] = "",
    parent: Annotated[str, typer.Option(metavar="ID", help="The agent that coordinates it.")] = "",
    effort: Annotated[
        int | None, typer.Option(metavar="ID", help="What it works on.", autocompletion=completion.effort_ids)
    ] = None,
    as_json: Json = False,
) -> None:
    """Make an agent known, in place of whatever was known by this name."""
    place = here()
    given = Registration(id=name, label=label, kind=kind, parent=parent, effort=effort, project=place.root)
    with opened(place.home) as store:
        _show(agents.register(durable(store), given, time.time()), as_json)


@app.command()
def status(
    name: Name,
    to: Annotated[str, typer.Argument(metavar="STATUS", help=", ".join(STATUSES))],
    note: Annotated[str, typer.Option(metavar="TEXT", help="What a person should know.")] = "",
    as_json: Json = False,
) -> None:
    """Say what an agent does."""
    with opened(here().home) as store:
        _show(agents.set_status(durable(store), name, to, note, time.time()), as_json)


def _show(found: Agent, as_json: bool) -> None:
    if as_json:
        screen.document({"ok": True, **agent_view(found)})
    else:
        screen.say(_line(found))


def _line(found: Agent) -> str:
    words = (found.label, found.kind, found.parent and f"works for {found.parent}", found.note)
    return f"{found.id}: {', '.join((found.status, *filter(None, words)))}"
