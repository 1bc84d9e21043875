"""`synaptic follow-ups`: actions that hooks asked for, looked at and carried out by a person."""

import os
import sys
from datetime import datetime
from typing import Annotated

from synaptic.cli import screen, suggestions, typer
from synaptic.cli.carry_out import carry_out, open_context
from synaptic.cli.place import find_place, require_root
from synaptic.cli.verbs import Json, make_verb_app
from synaptic.model.errors import SynapticError
from synaptic.runners import wrapped
from synaptic.store import follow_ups
from synaptic.store.follow_ups import FollowUp
from synaptic.work.abilities import DropFollowUp, ListFollowUps, find_follow_up

FollowUpNumber = Annotated[
    int, typer.Argument(metavar="ID", help="Its number in the list.", autocompletion=suggestions.complete_follow_ups)
]

app = make_verb_app(
    "Actions that hooks asked for: files to open, tasks to make, commands to run. None happens by itself.",
    """
    synaptic follow-ups list
    synaptic follow-ups run 3            opens the file; a command is shown and asked about first
    synaptic follow-ups drop 3
    """,
)


@app.command("list")
def list_waiting(
    every: Annotated[bool, typer.Option("--all", help="Also what is done or dropped.")] = False,
    as_json: Json = False,
) -> None:
    """What waits in this project, oldest first."""
    root = find_place().root
    found = carry_out(ListFollowUps(root=root, all=every))
    if as_json:
        screen.print_json({"root": root, "follow_ups": found})
        return
    if not found:
        screen.say("nothing waits")
        return
    screen.print_table(("ID", "WHEN", "KIND", "WHAT", "HOOK", "STATE"), (_make_row(one) for one in found))


@app.command()
def run(
    number: FollowUpNumber,
    yes: Annotated[bool, typer.Option("--yes", help="Run a command without being asked. For people only.")] = False,
) -> None:
    """Carry one out. A command is shown first and runs only after a yes; an agent may never run one."""
    root = require_root(find_place())
    with open_context() as context:
        action = find_follow_up(context, root, number)
        code = _carry_out_action(action, root, yes)
        follow_ups.end_follow_up(context.store, root, number, "failed" if code else "done")
    raise typer.Exit(code)


@app.command()
def drop(number: FollowUpNumber, as_json: Json = False) -> None:
    """Forget one."""
    carry_out(DropFollowUp(root=find_place().root, number=number))
    if as_json:
        screen.print_json({"ok": True, "dropped": number})
    else:
        screen.say(f"dropped {number}")


def _carry_out_action(action: FollowUp, root: str, yes: bool) -> int:
    if action.kind == "run_command":
        return _run_command(action, root, yes)
    if action.kind == "open_file":
        return _open_file(action, root)
    screen.say(describe_action(action))
    return 0


def _run_command(action: FollowUp, root: str, yes: bool) -> int:
    command = str(action.payload.get("command") or "")
    if not command:
        raise SynapticError("the action names no `command`", where=f"follow-up {action.id}", hint="drop it")
    screen.say_exactly(f"{action.hook or 'a hook'} asks to run, in {root}:\n  {command}")
    if not yes:
        if not sys.stdin.isatty():
            raise SynapticError("a command runs only after a yes", hint="type it in a terminal, or add --yes")
        typer.confirm("Run it?", abort=True)
    ended = wrapped.run_wrapped(("/bin/sh", "-c", command), root)
    return ended.exit


def _open_file(action: FollowUp, root: str) -> int:
    path = os.path.normpath(f"{root}/{action.payload.get('path', '')}")
    line = action.payload.get("line")
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    # The path comes from a hook: `../` must not lead out of the project.
    if not path.startswith(f"{root}/") or not os.path.isfile(path):  # noqa: PTH113
        raise SynapticError("there is no such file in the project", where=path, hint="drop it")
    if not editor or not sys.stdout.isatty():
        screen.say_exactly(f"{path}:{line}" if line else path)
        return 0
    at = (f"+{line}",) if isinstance(line, int) else ()
    return wrapped.run_wrapped((*editor.split(), *at, path), root).exit


def describe_action(action: FollowUp) -> str:
    """Describe an action in a few words."""
    known = next((str(action.payload[key]) for key in ("path", "command", "title") if action.payload.get(key)), "")
    line = f":{action.payload['line']}" if action.kind == "open_file" and action.payload.get("line") else ""
    return f"{known}{line}" if known else str(action.payload)


def _make_row(one: FollowUp) -> tuple[str, ...]:
    when = datetime.fromtimestamp(one.at).strftime("%m-%d %H:%M")
    return (str(one.id), when, one.kind, describe_action(one), one.hook, one.state)
