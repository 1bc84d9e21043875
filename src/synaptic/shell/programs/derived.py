"""Code that is not known and is made from texts that are: what it may be is read, and where it may destroy it is asked."""

import re
from collections.abc import Iterable, Iterator, Sequence

from synaptic.shell.book.entries import find_program
from synaptic.shell.names import split_names
from synaptic.shell.read.evaluate import Evaluation
from synaptic.shell.read.script import Command, Word
from synaptic.shell.read.state import CommandCall

DESTROYING = re.compile(
    r"(?<![\w./-])(?:(?:rm|rmdir|shred|dd|mkfs[\w.]*|wipefs|truncate|unlink|chmod|chown|mv|find)\s+[-~/$\w]"
    r"|git\s+(?:-\S+\s+)*(?:reset|clean|checkout|restore|push|branch|stash|rm)\b)"
)
"""The beginning of a command that may destroy."""
TEXT_PRINTERS = split_names("env printenv set declare typeset export alias local readonly trap type functions history fc compgen")
"""Programs that print what variables, aliases and functions hold."""
VARIABLE_NAME = re.compile(r"[A-Za-z_]\w*")
MAX_TEXTS = 40
"""Texts that are looked into."""
MAX_FOUND = 4
"""Places in one text from which on it is read as code."""
DERIVED_LABEL = "made code"


def run_derived(shell: Evaluation, call: CommandCall, words: Sequence[Word] = ()) -> None:
    """Read the texts from which unknown code is made, as far as they hold commands that may destroy."""
    texts = dict.fromkeys(_iter_texts(shell, call, words))
    for text in list(texts)[:MAX_TEXTS]:
        for number, found in enumerate(DESTROYING.finditer(text[:5_000])):
            if number == MAX_FOUND:
                break
            code = text[found.start() :]
            with shell.guard_recursion(code) as first, shell.feed_input(None), shell.isolate():
                if first:
                    shell.run_code(code, DERIVED_LABEL)


def _iter_texts(shell: Evaluation, call: CommandCall, words: Sequence[Word]) -> Iterator[str]:
    places = {place for word in words for place in word.outputs}
    commands = [shell.commands[place] for place in sorted(places)]
    if not words:
        commands += _list_before(shell, call)
    for command in commands:
        yield from _iter_command_texts(shell, command)
    for word in words:
        for name in VARIABLE_NAME.findall(word.text[:2_000]):
            held = shell.variables.get(name)
            if held is not None:
                yield from held.items or (held.text,)


def _list_before(shell: Evaluation, call: CommandCall) -> Iterable[Command]:
    """The commands before this one in its pipelines, and those whose output its input is made from."""
    numbers = dict(shell.stages)
    for command in shell.commands[: call.index]:
        if any(number in numbers and place < numbers[number] for number, place in command.stages):
            yield command
    for redirect in call.redirects:
        for place in redirect.target.outputs:
            yield shell.commands[place]


def _iter_command_texts(shell: Evaluation, command: Command) -> Iterator[str]:
    if not find_program(command.name).picks:
        yield from command.args
        yield " ".join(command.args)
    if command.stdin is not None:
        yield command.stdin
    yield from (redirect.target.text for redirect in command.redirects if redirect.operator in ("<<<", "<<"))
    yield from (word.text for _, word in command.assignments)
    for text in command.args:
        if (held := shell.files.get(shell.make_file_key(text))) is not None:
            yield held
    if command.name in TEXT_PRINTERS:
        yield from (held.text for held in shell.variables.values())
        yield from shell.aliases.values()
        yield from (function.text for function in shell.functions.values())
