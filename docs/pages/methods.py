"""Every method of efforts, tasks, agents, state and abilities: its arguments, as the command line gives them too."""

import inspect
from collections.abc import Iterator
from typing import Any

import msgspec

from docs.pages.table import HEADER, code, table, type_name
from synaptic.hooks.schema import read_field_docs
from synaptic.work.command import Command, find_commands

PATH = "docs/reference/methods.md"
INTRO = """\
# Methods over the socket

One command each: `synaptic rpc effort.show '{"effortId": 1}'`, or on the daemon's socket a line
`{"cmd": "effort.show", "args": {"effortId": 1}}`. The command line carries out the same commands without the daemon. A
required argument that is missing, or one of another type, is a `VALIDATION_ERROR` that names it; arguments that nobody
knows are ignored.
"""


def pages() -> Iterator[tuple[str, str]]:
    """The one page."""
    yield PATH, HEADER + INTRO + "".join(_section(name, command) for name, command in find_commands().items())


def _section(name: str, command: type[Command[Any]]) -> str:
    people = f"\n\nOnly for people: an agent may not {command.people_only}." if command.people_only else ""
    rows = [_row(field, _described(command)) for field in msgspec.structs.fields(command)]
    return f"\n## {name}\n\n{inspect.getdoc(command)}{people}\n\n{table(('argument', 'type', ''), rows)}"


def _row(field: msgspec.structs.FieldInfo, words: dict[str, str]) -> tuple[str, str, str]:
    required = "required; " if field.required else ""
    return code(field.encode_name), code(_type(field.type)), f"{required}{words[field.name]}"


def _type(hint: Any) -> str:
    """The type without the limits that are checked besides."""
    kinds = [
        getattr(kind, "__origin__", kind) for kind in getattr(hint, "__args__", ()) if hasattr(kind, "__metadata__")
    ]
    return f"{type_name(kinds[0])} | None" if kinds else type_name(hint)


def _described(command: type[Command[Any]]) -> dict[str, str]:
    ours = [base for base in reversed(command.__mro__) if base.__module__.startswith("synaptic.")]
    return {name: text for base in ours for name, text in read_field_docs(base).items()}
