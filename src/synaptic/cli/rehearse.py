"""`synaptic try`: any event through everything that is registered, with nothing written."""

import asyncio
import os
import sys
import time
from pathlib import Path
from typing import Annotated

import msgspec

from synaptic.agents.shared.discover import find_adapter
from synaptic.cli import completion, progress, screen, suggestions, typer
from synaptic.cli.check import parse_tool_input
from synaptic.cli.event import make_rehearsal_story
from synaptic.cli.place import find_place
from synaptic.cli.verbs import format_examples, make_verb_app
from synaptic.daemon.client import new_call_id
from synaptic.engine.commit import DecidedEvent
from synaptic.engine.walk import open_engine
from synaptic.hooks.nearest import find_nearest
from synaptic.model.call import Request
from synaptic.model.errors import SynapticError
from synaptic.model.event import EVENTS
from synaptic.model.home import Home
from synaptic.pipeline.explain import explain_event

app = make_verb_app()

EXAMPLES = """
synaptic try PreToolUse --tool Bash --input '{"command": "git push -f"}'
synaptic try SessionStart
synaptic try PostToolUse --payload event.json     the whole event as the agent sends it; `-` is stdin
"""


@app.command("try", epilog=format_examples(EXAMPLES))
def rehearse(
    event: Annotated[
        str, typer.Argument(help="The event's name, such as PreToolUse.", autocompletion=completion.complete_events)
    ],
    tool: Annotated[str, typer.Option(help="The tool of a tool event.")] = "",
    given: Annotated[str, typer.Option("--input", metavar="JSON", help="The tool's input.")] = "",
    payload: Annotated[
        str,
        typer.Option(
            metavar="FILE|-", help="The whole event from a file, or stdin.", autocompletion=suggestions.complete_files
        ),
    ] = "",
    agent: Annotated[
        str, typer.Option(help="The agent that would send it.", autocompletion=completion.complete_agent_names)
    ] = "claude",
    as_json: Annotated[bool, typer.Option("--json", help="Print decision, trace and answer as JSON.")] = False,
) -> None:
    """Run an event through every hook, scripts included, and tell what would have happened.

    State is as it is, and nothing is written to it. Your scripts do run: what they do themselves is done.
    """
    if payload and (tool or given):
        raise typer.BadParameter("give --payload, or --tool and --input")
    _refuse_misspelt_event(event, agent)
    place = find_place()
    stdin = _read_payload(payload) if payload else _build_payload(event, tool, given, place.utf8_cwd)
    # The folder in the event counts, not the project of a session around us.
    env = {name: value for name, value in os.environ.items() if name != "CLAUDE_PROJECT_DIR"}
    request = Request(agent=agent, event=event, stdin=stdin, id=new_call_id(), env=env)
    started = time.perf_counter_ns()
    with progress.show_progress("asking every hook"):
        decided = asyncio.run(_rehearse_event(place.home, request))
    micros = (time.perf_counter_ns() - started) // 1000
    if as_json:
        screen.print_json(_event_to_json(decided))
        return
    _print_story(decided, micros)


def _refuse_misspelt_event(event: str, agent: str) -> None:
    """Raise SynapticError for an event that resembles a known one; any other may be of a newer agent."""
    name = find_adapter(agent).to_canonical(event)
    if name not in EVENTS and (close := find_nearest(name, EVENTS)):
        raise SynapticError(f"there is no event `{event}`", hint=f"did you mean `{close}`?")


async def _rehearse_event(home: Home, request: Request) -> DecidedEvent:
    engine = open_engine(home)
    try:
        return await engine.rehearse(request)
    finally:
        await engine.close()


def _build_payload(event: str, tool: str, given: str, cwd: str) -> bytes:
    fields: dict[str, object] = {"hook_event_name": event, "session_id": "synaptic-try", "cwd": cwd}
    if tool or given:
        fields |= {"tool_name": tool, "tool_input": parse_tool_input(given)}
    return msgspec.json.encode(fields)


def _read_payload(payload: str) -> bytes:
    if payload == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(payload).read_bytes()
    except OSError as error:
        raise SynapticError(f"cannot be read: {error.strerror}", where=payload) from error


def _print_story(decided: DecidedEvent, micros: int) -> None:
    first, *rest = explain_event(make_rehearsal_story(decided, micros))
    screen.say(first.replace("Event 0", "Rehearsal, nothing is written", 1))
    for line in rest:
        screen.say(line)


def _event_to_json(decided: DecidedEvent) -> dict[str, object]:
    answer = decided.answer
    told = {"stdout": answer.stdout.decode("utf-8", "replace"), "stderr": answer.stderr.decode("utf-8", "replace")}
    return {
        "event": decided.call.event.hook_event_name,
        "root": decided.call.root,
        "decision": msgspec.to_builtins(decided.decision, enc_hook=str),
        "answer": {**told, "exit": answer.exit},
    }
