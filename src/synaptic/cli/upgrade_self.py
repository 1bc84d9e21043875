"""`synaptic upgrade --self`: the program itself, by whoever installed it; nothing runs before a person says yes."""

import subprocess  # noqa: TID251  the installer is run exactly as a person would type it

import synaptic
from synaptic.cli import screen, typer
from synaptic.cli.place import CommandPlace
from synaptic.model.errors import SynapticError
from synaptic.setup.origin import Command, Origin, find_origin, format_command


def upgrade_program(place: CommandPlace, *, dry_run: bool, as_json: bool) -> None:
    """Show the commands that upgrade this installation, and after a yes at a terminal run them."""
    origin = find_origin()
    commands = list_commands(place, origin)
    if as_json:
        lines = [format_command(command) for command in commands]
        screen.print_json({"ok": True, "version": synaptic.__version__, "by": origin.by, "commands": lines})
        return
    screen.say(f"synaptic {synaptic.__version__}, installed by {_name_installer(origin)}: {origin.place}")
    for command in commands:
        screen.say_exactly(f"  {format_command(command)}")
    if dry_run or not screen.is_dialogue():
        screen.say("Nothing was run: type these commands. The daemon follows by itself.")
        return
    if not typer.confirm("Run this now?"):
        raise typer.Exit(1)
    for command in commands:
        run_command(command)


def list_commands(place: CommandPlace, origin: Origin) -> tuple[Command, ...]:
    """The installer's commands, and what brings entries and dispatcher up to date after it."""
    if origin.by == "clone":
        return origin.upgrade  # `make up` does that, too
    return (*origin.upgrade, (str(place.home.launcher), "up"))


def run_command(command: Command) -> None:
    """Run one command in front of the user. Raises SynapticError when it fails: those after it are not run."""
    try:
        code = subprocess.run(command, check=False).returncode
    except OSError as error:
        raise SynapticError(f"cannot be run: {error.strerror}", where=command[0], hint="install it") from error
    if code:
        raise SynapticError(
            f"ended with exit code {code}; what was installed before stays", where=format_command(command)
        )


def _name_installer(origin: Origin) -> str:
    return {"clone": "make, from a clone", "plugin": "Claude Code, as a plugin"}.get(origin.by, origin.by)
