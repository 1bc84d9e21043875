"""Files in a script that come from another machine."""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from posixpath import basename, join, normpath

from synaptic.shell.book.arguments import Arguments
from synaptic.shell.book.entries import ProgramEntry, find_program
from synaptic.shell.effects.addresses import fetches_data, find_addresses, is_remote
from synaptic.shell.effects.commands import find_acts
from synaptic.shell.effects.flow import DataFlow, classify_interpreter
from synaptic.shell.read.script import Command, Script

OUTPUT_STARTS = ("$(", "`", "<(")
"""How a word begins that is another command's output from its first letter on."""
STANDARD_STREAMS = frozenset({"-", "/dev/stdout", "/dev/stderr", "/dev/null", "/dev/tty"})
FOLDER_OPTIONS = ("output-dir", "directory-prefix", "dir")
"""Options that name a folder for what is fetched, not a file."""


def iter_downloads(found: Script) -> Iterator[tuple[Command, AbstractSet[str]]]:
    """Each command with the downloaded files that exist when it starts. The set grows: use it before the next step."""
    known: set[str] = set()
    flow = DataFlow(found)
    for command in found.commands:
        yield command, known
        made = (*_find_downloads(command), *_find_passed_on(command, flow))
        known.update(make_file_key(text, command) for text in made if text not in STANDARD_STREAMS)
        if (command.name == "dd" or find_program(command.name).copies) and command.argv[1:]:
            known.update(_find_copies(command, known))


def make_file_key(text: str, command: Command) -> str:
    """A path as one key, wherever it is named from."""
    # An unknown folder gets a name that no real path has: unknown ones count as the same, and as no known one.
    return normpath(join(command.cwd or "/?", text))


def _find_downloads(command: Command) -> Iterator[str]:
    program = find_program(command.name)
    if program.fetches and fetches_data(command):
        yield from _find_fetched_files(command, program)
    elif program.copies_remote:
        words = [word.text for word in command.argv[1:] if word.text[:1] != "-"]
        if any(is_remote(text) for text in words[:-1]) and not is_remote(words[-1]):
            yield words[-1]
            yield from (join(words[-1], basename(text.partition(":")[2])) for text in words[:-1])


def _find_passed_on(command: Command, flow: DataFlow) -> Iterator[str]:
    """The files into which it puts what another command has fetched."""
    if not find_program(command.name).passes or not (files := list(_find_output_files(command))):
        return
    # `echo "version $(curl ...)" > notes` quotes what was fetched as data. Only text that is fetched from its first
    # letter on can be a program when it is run.
    data = {place for word in command.argv[1:] if not word.text.startswith(OUTPUT_STARTS) for place in word.outputs}
    before = [one for one in flow.find_origins(command) if one.index not in data]
    # A script in between makes something new of what it is given, such as one field of a JSON answer.
    if any(map(fetches_data, before)) and not any(classify_interpreter(one.name) == "language" for one in before):
        yield from files


def _find_output_files(command: Command) -> Iterator[str]:
    for redirect in command.redirects:
        if redirect.is_write and redirect.descriptor in ("", "1"):
            yield redirect.target.text
    yield from (word.text for kind, word in find_acts(command) if kind == "write")


def _find_fetched_files(command: Command, program: ProgramEntry) -> Iterator[str]:
    yield from (redirect.target.text for redirect in command.redirects if redirect.is_write)
    given = program.read(command.argv[1:])
    folder = next((word.text for word in reversed(given.get_values(*FOLDER_OPTIONS))), "")
    named = [flag.text for flag in given.flags if flag.role == "write" and flag.name not in FOLDER_OPTIONS]
    yield from (join(folder if given.has("dir") else "", text) for text in named)
    if not named and _keeps_remote_name(program, given):
        yield from (join(folder, basename(text.partition("?")[0])) for text in find_addresses(command))


def _keeps_remote_name(program: ProgramEntry, given: Arguments) -> bool:
    """Whether what is fetched goes to a file that is named as its address is."""
    return program.unnamed or given.has_role("unnamed")


def _find_copies(command: Command, known: set[str]) -> Iterator[str]:
    given = find_program(command.name).read(command.argv[1:])
    words = given.operands if command.name != "dd" else (*given.get_values("if"), *given.get_values("of"))
    for word in words[:-1]:
        if make_file_key(word.text, command) in known:
            yield make_file_key(words[-1].text, command)
            yield make_file_key(join(words[-1].text, basename(word.text)), command)
