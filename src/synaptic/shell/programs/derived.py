"""Code that is not known, and the known texts it is made from: what of them may destroy is read as if it ran."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from synaptic.shell.book.entries import find_program
from synaptic.shell.names import split_names
from synaptic.shell.read.evaluate import Evaluation
from synaptic.shell.read.script import Command, Word
from synaptic.shell.read.state import CommandCall

DESTROYING = re.compile(
    r"(?<![\w./-])(?:(?:rm|rmdir|shred|dd|mkfs[\w.]*|wipefs|truncate|unlink|chmod|chown|mv|find)\s+[-~/$\w]"
    r"|git\s+(?:-\S+\s+)*(?:reset|clean|checkout|restore|push|branch|stash|rm)\b)"
    r"|rm\s+-\w*[rf]\w*\s|git\s+reset\s+--hard"
)
"""The beginning of a command that may destroy."""
PIECE_OF_DESTROYING = re.compile(r"--?hard\b|(?<![\w-])-(?:rf|fr|Rf|fR)\b|\breset\b.*\bhard\b|~/|\$HOME\b")
"""What hints at one, in a text that is changed before it runs."""
STATE_PRINTERS = split_names(
    "env printenv set declare typeset export alias local readonly trap type functions history fc compgen"
)
"""Programs that print what variables, aliases and functions hold."""
SED_TEXT = re.compile(r"(?:^|[\d;{}$/ ])[aic][ \\]\s*(.+)")
"""What `sed` adds as it stands: `1i text`."""
TEXT_LANGUAGES = frozenset({"sed", "gsed", "awk", "gawk", "mawk"})
LINE_PRINTERS = frozenset({"echo", "printf", "print"})
VARIABLE_NAME = re.compile(r"[A-Za-z_]\w*")
UNKNOWN_PROGRAMS = split_names("rm rmdir shred dd git chmod chown")
"""Programs that may stand behind a word that is not known: `$SUDO rm -rf x`."""
MAX_TEXTS = 60
"""Texts that are looked into."""
MAX_TEXT = 5_000
MAX_FOUND = 4
"""Places in one text from which on it is read as code."""
DERIVED_LABEL = "made code"
MADE_ORIGIN = "made"
"""The origin of code that is made from a text which hints at destruction."""


def run_derived_words(shell: Evaluation, words: Sequence[Word], behind: str = "") -> None:
    """Read what unknown words may hold that are run as code."""
    places = {place for word in words for place in word.outputs}
    for name in _iter_names(words) if shell.fed_by else ():
        places.update(shell.fed_by.get(name, ()))
    commands = [shell.commands[place] for place in sorted(places)]
    _read_texts(shell, chain(_iter_all_texts(shell, commands), _iter_variables(shell, words)), behind)


def run_derived_input(shell: Evaluation, call: CommandCall) -> None:
    """Read what the unknown input may hold that a command runs as code."""
    _read_texts(shell, _iter_all_texts(shell, _iter_before(shell, call)))


def run_unknown_program(shell: Evaluation, call: CommandCall) -> str | None:
    """A program that is not known: what its name is made from, and what its arguments say about it."""
    first, rest = call.words[0], call.words[1:]
    run_derived_words(shell, [first], " ".join(word.text for word in rest))
    texts = [word.text for word in rest]
    if texts and texts[0] in UNKNOWN_PROGRAMS:
        return shell.run_wrapped(call, rest, "unknown program")
    if texts[:1] == ["reset"] and "--hard" in texts:
        return shell.run_wrapped(call, [Word("git"), *rest], "unknown program")
    return None


def _read_texts(shell: Evaluation, texts: Iterable[str], behind: str = "") -> None:
    made = False
    for text in _take_first(texts):
        whole = f"{text} {behind}"[:MAX_TEXT] if behind else text[:MAX_TEXT]
        shell.budget.count_text(len(whole))
        starts = [found.start() for found in islice(DESTROYING.finditer(whole), MAX_FOUND)]
        hints = PIECE_OF_DESTROYING.search(whole) is not None
        if starts or hints:
            _read_code(shell, whole)
        for start in starts:
            _read_code(shell, _cut_code(whole, start))
        made = made or hints
    if made:
        shell.add_gap("code", "code that is made from parts", MADE_ORIGIN)


def _take_first(texts: Iterable[str]) -> list[str]:
    """The first texts that differ. All of them before one is read: what is read adds commands with texts of their own.

    No more are made than are taken: code inside code asks for them at every level, each time with more before it.
    """
    found: dict[str, None] = {}
    for text in texts:
        found[text] = None
        if len(found) >= MAX_TEXTS:
            break
    return list(found)


def _cut_code(text: str, start: int) -> str:
    """The code from there on; only to the closing quote where it stands in quotes."""
    quote = text[start - 1 : start]
    end = text.find(quote, start) if quote and quote in "\"'`" else -1
    return text[start:end] if end > 0 else text[start:]


def _read_code(shell: Evaluation, code: str) -> None:
    if code in shell.running:
        return  # most are, inside code that is made of itself
    shell.budget.count_made_code()
    with shell.guard_recursion(code), shell.feed_input(None), shell.isolate():
        shell.run_code(code, DERIVED_LABEL)


def _iter_names(words: Sequence[Word]) -> Iterator[str]:
    for word in words:
        yield from VARIABLE_NAME.findall(word.text[:2_000]) if "$" in word.text else ()


def _iter_variables(shell: Evaluation, words: Sequence[Word]) -> Iterator[str]:
    """The values of the variables that unknown words name."""
    for name in _iter_names(words):
        held = shell.variables.get(name)
        if held is not None:
            yield from held.items or (held.text,)


def _iter_before(shell: Evaluation, call: CommandCall) -> Iterator[Command]:
    """The commands before this one in its pipelines, and those whose output its input is made from."""
    numbers = dict(shell.stages)
    for command in islice(shell.commands, call.index):
        for number, place in command.stages:
            if number in numbers and place < numbers[number]:
                yield command
                break
    for redirect in call.redirects:
        for place in redirect.target.outputs:
            yield shell.commands[place]


def _iter_all_texts(shell: Evaluation, before: Iterable[Command]) -> Iterator[str]:
    commands: list[Command] = []
    for command in before:
        commands.append(command)
        yield from _iter_command_texts(shell, command)
    names = {command.name for command in commands} - LINE_PRINTERS
    if "git" in names:
        # What one call stores another prints: a message, a setting.
        for command in shell.commands:
            if command.name == "git":
                yield from command.args
    printed = [" ".join(command.args) for command in commands if command.name in LINE_PRINTERS]
    if len(printed) > 1:
        yield " ".join(printed)


def _iter_command_texts(shell: Evaluation, command: Command) -> Iterator[str]:
    program = find_program(command.name)
    # Their words are patterns or code of their own, which is not printed as it stands.
    if not (program.picks or program.language or command.name in TEXT_LANGUAGES):
        yield from command.args
        yield " ".join(command.args)
    elif command.name in TEXT_LANGUAGES:
        yield from (text for one in command.args for text in SED_TEXT.findall(one[:MAX_TEXT]))
    if command.stdin is not None:
        yield command.stdin
        if "\n" in command.stdin.rstrip("\n"):
            yield command.stdin.replace("\n", " ")
    yield from (redirect.target.text for redirect in command.redirects if redirect.operator in ("<<<", "<<"))
    yield from (word.text for _, word in command.assignments)
    for text in command.args if shell.files else ():
        if (held := shell.files.get(shell.make_file_key(text))) is not None:
            yield held
    if command.name in STATE_PRINTERS or any("/environ" in one.target.text for one in command.redirects):
        yield from (held.text for held in shell.variables.values())
        yield from shell.aliases.values()
        yield from (function.text for function in shell.functions.values())
