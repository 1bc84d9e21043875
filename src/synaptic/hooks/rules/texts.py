"""The new texts that a call writes: of editing tools, and of here-documents and `echo` that go to a file."""

from collections.abc import Iterator, Mapping

from synaptic.model.tool import Tool
from synaptic.shell.read.script import Command, Script
from synaptic.shell.reading import CommandReading

TEXT_KEYS = ("content", "new_string", "new_source", "new_str", "file_text", "patch", "text", "code_edit")
PRINTERS = frozenset({"echo", "printf"})
MAX_SEARCHED = 4 << 20
"""Characters of new text; nobody can say about more what is in it."""


class UnsearchedTextError(ValueError):
    """There is more new text than is searched."""


def find_new_texts(tool: Tool, command: CommandReading | None) -> tuple[str, ...]:
    """What is written, as far as it is known. Raises UnsearchedTextError for more than is looked at."""
    found = [*_iter_of_tool(tool)]
    if command is not None:
        found += _iter_of_script(command.script)
    if sum(map(len, found)) > MAX_SEARCHED:
        raise UnsearchedTextError(f"more than {MAX_SEARCHED} characters are written at once")
    return tuple(found)


def _iter_of_tool(tool: Tool) -> Iterator[str]:
    if not tool.may_write:
        return
    edits = tool.input.get("edits")
    several = edits if isinstance(edits, list | tuple) else ()
    for given in (tool.input, *(edit for edit in several if isinstance(edit, Mapping))):
        for key in TEXT_KEYS:
            text = given.get(key)
            if isinstance(text, str) and text:
                yield _keep_added(text) if key == "patch" else text


def _keep_added(patch: str) -> str:
    """What a patch adds: the lines that it takes away were there before."""
    return "\n".join(line[1:] for line in patch.split("\n") if line[:1] == "+")


def _iter_of_script(found: Script) -> Iterator[str]:
    """What printers print and what is fed to commands, where the script writes a file at all."""
    if not found.writes and not any(command.name == "tee" for command in found.commands):
        return
    for command in found.commands:
        yield from _list_printed(command)


def _list_printed(command: Command) -> tuple[str, ...]:
    fed = (command.stdin,) if command.stdin else ()
    return (*fed, " ".join(command.args)) if command.name in PRINTERS else fed
