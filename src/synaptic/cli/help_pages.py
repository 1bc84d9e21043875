"""What a help page shows: arguments with a line each, options, and commands in groups."""

import re
from pathlib import Path
from typing import Any

import click
from click import Context, HelpFormatter

LONGEST_SENTENCE = 400
COMMENT = re.compile(r"(?<=\S) {2,}(?=\S)")
"""What stands between an example and the words about it."""


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

    def format_epilog(self, ctx: Context, formatter: HelpFormatter) -> None:
        _write_epilog(self.epilog or "", formatter)

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

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Each with the whole first sentence of its page: click cuts what does not fit one line."""
        known = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        if rows := [(name, one.get_short_help_str(LONGEST_SENTENCE)) for name, one in known if one is not None]:
            with formatter.section("Commands"):
                formatter.write_dl(rows)

    def format_epilog(self, ctx: Context, formatter: HelpFormatter) -> None:
        _write_epilog(self.epilog or "", formatter)


def _write_parameters(command: click.Command, ctx: Context, formatter: HelpFormatter) -> None:
    parameters = command.get_params(ctx)
    for title, is_argument in (("Arguments", True), ("Options", False)):
        shown = (one for one in parameters if isinstance(one, HelpedArgument) is is_argument)
        if rows := [record for one in shown if (record := one.get_help_record(ctx)) is not None]:
            with formatter.section(title):
                formatter.write_dl(rows)


def _write_epilog(epilog: str, formatter: HelpFormatter) -> None:
    """Examples as they are written; the words about one stand below it where they do not fit beside it."""
    if not epilog:
        return
    formatter.write_paragraph()
    with formatter.indentation():
        if not epilog.startswith("\b\n"):
            formatter.write_text(epilog)
            return
        indent, room = " " * formatter.current_indent, formatter.width - formatter.current_indent
        for line in epilog.removeprefix("\b\n").split("\n"):
            command, *about = [line] if len(line) <= room else COMMENT.split(line, maxsplit=1)
            formatter.write(f"{indent}{command}\n")
            for part in about:
                formatter.write(f"{indent}      {part}\n")
