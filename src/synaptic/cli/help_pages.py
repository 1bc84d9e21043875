"""What a help page shows: arguments with a line each, options, and commands in groups."""

from pathlib import Path
from typing import Any

import click
from click import Context, HelpFormatter


class HelpedArgument(click.Argument):
    """An argument that says what it is for."""

    def __init__(self, decls: list[str], help: str = "", **settings: Any) -> None:
        super().__init__(decls, **settings)
        self.help = help

    def make_metavar(self, ctx: Context) -> str:
        """Its name: in brackets where it may be left out, with dots where there may be many."""
        name = self.metavar or str(self.name).upper()
        many = "..." if self.nargs == -1 and not name.endswith("...") else ""
        return f"{name}{many}" if self.required or name.startswith("[") else f"[{name}]{many}"

    def get_help_record(self, ctx: Context) -> tuple[str, str]:
        """Its name, and its line; whether it has to be there, or what counts without it."""
        plain = f"[default: {self.default}]" if isinstance(self.default, str | Path) and str(self.default) else ""
        needed = "[required]" if self.required else plain
        return self.make_metavar(ctx), "  ".join(filter(None, (self.help, needed)))


class HelpedCommand(click.Command):
    """A command whose help has its arguments in a list of their own."""

    def format_arguments(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Nothing: newer versions of click have such a list, older ones do not, and ours is the same in both."""

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        _write_parameters(self, ctx, formatter)


class HelpedGroup(click.Group):
    """A group whose help begins like that of a command; its commands stand in the order they were written in."""

    def format_arguments(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Nothing, as in a command."""

    def list_commands(self, ctx: Context) -> list[str]:
        return list(self.commands)

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        _write_parameters(self, ctx, formatter)
        self.format_commands(ctx, formatter)


def _write_parameters(command: click.Command, ctx: Context, formatter: HelpFormatter) -> None:
    parameters = command.get_params(ctx)
    for title, is_argument in (("Arguments", True), ("Options", False)):
        shown = (one for one in parameters if isinstance(one, HelpedArgument) is is_argument)
        if rows := [record for one in shown if (record := one.get_help_record(ctx)) is not None]:
            with formatter.section(title):
                formatter.write_dl(rows)
