"""`synaptic hook`: the project's YAML hooks, registered for an orchestrator and validated."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from synaptic.cli import screen
from synaptic.cli.place import here, required_root
from synaptic.cli.registered import catalog_of
from synaptic.cli.verbs import verb
from synaptic.model.hook import Command, Hook, PythonFunction
from synaptic.registry.registration import register as registration
from synaptic.registry.sources import Sources

app = verb(
    "Register and validate the hooks of this project.",
    """
    synaptic hook register              JSON by event, as an orchestrator reads it
    SYNAPTIC_ENV=dev synaptic hook register
    synaptic hook validate              exit code 1 with every fault, before a session finds it
    """,
)


@app.command()
def register(
    extended: Annotated[bool, typer.Option("--extended", help="Add match, blocking and priority.")] = False,
) -> None:
    """Print the YAML hooks that are switched on, grouped by event; faults go to stderr."""
    place = here()
    config = catalog_of(place).config
    found = registration(Sources(place.home, required_root(place)), config, extended=extended)
    print(found.json())
    for problem in found.problems:
        screen.warn(problem)


@app.command()
def validate(as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False) -> None:
    """Check every declaration of this project and of the user: it parses, and what it runs is there and runs."""
    catalog = catalog_of(here())
    faults = (*catalog.problems, *(f"{hook.source}: {fault}" for hook in catalog.hooks for fault in faults_of(hook)))
    if as_json:
        screen.document({"ok": not faults, "hooks": len(catalog.hooks), "problems": faults})
    else:
        for fault in faults:
            screen.warn(fault)
        if not faults:
            screen.say(f"{len(catalog.hooks)} hooks are valid")
    if faults:
        raise typer.Exit(1)


def faults_of(hook: Hook) -> Iterator[str]:
    """Why what a hook runs cannot run: missing, not executable, its interpreter missing."""
    match hook.handler:
        case Command(argv=(first, *_)) if "/" not in first:
            if shutil.which(first) is None:
                yield f"{hook.id}: there is no program `{first}` on PATH"
        case Command(argv=(first, *_)):
            yield from _script_faults(hook.id, Path(first))
        case PythonFunction(file=file):
            if not Path(file).is_file():
                yield f"{hook.id}: the file {file} is missing"


def _script_faults(name: str, script: Path) -> Iterator[str]:
    if not script.is_file():
        yield f"{name}: the script {script} is missing"
    elif not os.access(script, os.X_OK):
        yield f"{name}: the script {script} is not executable (type: chmod +x {script})"
    elif interpreter := missing_interpreter(script):
        yield f"{name}: the script {script} asks for {interpreter}, which is not there"


def missing_interpreter(script: Path) -> str:
    """The program of its first line, when it cannot be found; `env` is looked through."""
    try:
        with script.open("rb") as file:
            first = file.readline(512)
    except OSError:
        return ""
    words = first[2:].decode("utf-8", "replace").split() if first.startswith(b"#!") else []
    if not words:
        return ""
    if Path(words[0]).name != "env":
        return "" if os.access(words[0], os.X_OK) else words[0]
    program = next((word for word in words[1:] if not word.startswith("-") and "=" not in word), "")
    return program if program and shutil.which(program) is None else ""
