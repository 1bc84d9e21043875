"""Which verbs there are. One is imported when it is asked for, so that no verb pays for the others."""

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

MODULES = {
    "up": "up",
    "down": "down",
    "bootstrap": "bootstrap",
    "daemon": "daemon",
    "list": "list",
    "explain": "explain",
    "tail": "tail",
    "check": "check",
    "try": "rehearse",
    "trust": "trust",
    "config": "config",
    "policy": "policy",
    "import": "take_over",
    "hook": "hook",
    "doctor": "doctor",
    "prune": "prune",
    "rpc": "rpc",
}
"""Verb to file. Each file keeps its Typer app in `app`."""


class Verbs(TyperGroup):
    """The verbs as a group that knows their names at once and their contents on demand."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = dict.fromkeys(MODULES)  # type: ignore[assignment]  # names only: get_command loads the rest

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The verb, imported now; None for a word that is none."""
        if cmd_name not in MODULES:
            return None
        module = import_module(f"synaptic.cli.{MODULES[cmd_name]}")
        command = typer.main.get_command(module.app)
        command.name = cmd_name
        return command


def verb(summary: str = "", examples: str = "") -> typer.Typer:
    """The Typer app of one verb file: plain help, with examples as they are written."""
    return typer.Typer(
        help=summary or None,
        epilog=shown(examples) or None,
        add_completion=False,
        rich_markup_mode=None,
        no_args_is_help=True,
    )


def shown(examples: str) -> str:
    """Examples for the end of a help page, kept line by line."""
    lines = "\n".join(f"  {line.strip()}" for line in examples.strip().splitlines())
    return f"\b\nExamples:\n{lines}" if lines else ""
