"""Where the code comes from that an interpreter is given."""

import re

from synaptic.shell.book.arguments import Arguments
from synaptic.shell.book.entries import ProgramEntry, find_program
from synaptic.shell.effects.addresses import SHELL_SOCKET
from synaptic.shell.effects.flow import DataFlow
from synaptic.shell.read.script import Command, Script, Word

INPUT_NAMES = frozenset({"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})
INPUT_OPERATORS = frozenset({"<", "<<", "<<<", "<<-"})
DESCRIPTOR = re.compile(r"/(?:proc/[^/]+|dev)/fd/.*")
LOUD_WRAPPERS = frozenset({"sudo", "doas", "env", "nohup"})
SCRIPT_ON_INPUT = "uv run"
"""What runs the program `-`: the Python code on its input."""
OPEN_STARTS = ("$", "`", "<", "{}")
"""How a text begins that somebody else decides from its first word on."""


def find_code_sources(found: Script, flow: DataFlow, command: Command) -> list[Command]:
    """The commands whose output this one runs as code."""
    name, words = _lowercase_program(command)
    program = find_program(name)
    if program.evaluates:
        return _find_evaluated(found, flow, command)
    if name == "-":
        return _find_input(found, flow, command) if SCRIPT_ON_INPUT in command.via else []
    if not (program.shell or program.language):
        return []
    if words and (verb := program.find_verb(words[0].text)):
        program, words = verb, words[1:]
    given = program.read(words)
    if codes := _find_code_words(program, given):
        return _find_option_code(flow, command, codes)
    if given.has_role("module"):
        return []
    script = given.get_by_role("script") or given.operands
    if script and script[0].text not in INPUT_NAMES and not (program.shell and given.has("s")):
        return _find_script_sources(found, flow, command, script[0])
    return _find_input(found, flow, command)


def _find_code_words(program: ProgramEntry, given: Arguments) -> tuple[Word, ...]:
    """The code that is given with an option or a verb, and the words behind it."""
    if given.has("command") or given.has_role("rest") or program.roles.first[:1] == ("code",):
        return given.operands
    codes = given.get_by_role("code", "print")
    return (*codes, *given.operands) if codes else ()


def _find_evaluated(found: Script, flow: DataFlow, command: Command) -> list[Command]:
    name, words = command.name.lower(), command.argv[1:]
    codes = [one for word in words for one in _find_word_sources(flow, word)]
    if name in ("iex", "invoke-expression"):
        return codes + flow.find_origins(command)
    if name == "eval" or not words:
        return codes
    if words[0].text in INPUT_NAMES:
        return codes + _find_input(found, flow, command)
    return codes + (_find_script_sources(found, flow, command, words[0]) if DESCRIPTOR.fullmatch(words[0].text) else [])


def _find_option_code(flow: DataFlow, command: Command, words: tuple[Word, ...]) -> list[Command]:
    """The commands behind the code in an option, which is the first of these words."""
    # `xargs sh -c`: what is appended to the code comes from the pipe.
    if "xargs" in command.via and any(not word.known for word in words):
        return _filter_served(words[0], flow.find_origins(command))
    return [one for word in words[:1] for one in _find_word_sources(flow, word)]


def _find_input(found: Script, flow: DataFlow, command: Command) -> list[Command]:
    """The commands behind the input: its own redirections, or what comes through pipes."""
    if any(SHELL_SOCKET.match(redirect.target.text) for redirect in command.redirects if redirect.operator == "<"):
        return [command]
    own = [one.target for one in command.redirects if one.operator in INPUT_OPERATORS and one.descriptor in ("", "0")]
    if own and own[-1].text not in INPUT_NAMES:
        return _find_word_sources(flow, own[-1])
    # `<&3`: the descriptor may have been opened on any earlier command's output.
    duplicated = any(redirect.operator == "<&" for redirect in command.redirects)
    return [*flow.find_origins(command), *(found.commands[: command.index] if duplicated else ())]


def _find_script_sources(found: Script, flow: DataFlow, command: Command, word: Word) -> list[Command]:
    """The commands behind a script that is a substitution or an open descriptor."""
    if DESCRIPTOR.fullmatch(word.text):
        return list(found.commands[: command.index])
    return flow.find_sources(word)


def _find_word_sources(flow: DataFlow, word: Word) -> list[Command]:
    return _filter_served(word, flow.find_sources(word))


def _filter_served(word: Word, sources: list[Command]) -> list[Command]:
    """What the user's own services answer is data inside a command line, and code when it is all of it."""
    if word.text.startswith(OPEN_STARTS):
        return sources
    return [one for one in sources if find_program(one.name).serves is None]


def _lowercase_program(command: Command) -> tuple[str, tuple[Word, ...]]:
    """The program in lower case: where the file system ignores case, `SUDO BASH` runs."""
    name, words = command.name.lower(), command.argv[1:]
    while name != command.name and name in LOUD_WRAPPERS and words:
        name, words = words[0].text.lower(), words[1:]
    return name, words
