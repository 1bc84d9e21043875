"""Where the code comes from that an interpreter is given."""

import re

from synaptic.shell.book.arguments import Arguments
from synaptic.shell.book.entries import Program, find_program
from synaptic.shell.effects.addresses import SOCKET
from synaptic.shell.effects.flow import Flow
from synaptic.shell.read.script import Command, Script, Word

INPUT = frozenset({"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})
INPUTS = frozenset({"<", "<<", "<<<", "<<-"})
DESCRIPTOR = re.compile(r"/(?:proc/[^/]+|dev)/fd/.*")
LOUD = frozenset({"sudo", "doas", "env", "nohup"})
SCRIPT_ON_INPUT = "uv run"
"""What runs the program `-`: the Python code on its input."""
OPENED = ("$", "`", "<", "{}")
"""How a text begins that somebody else decides from its first word on."""


def feeding(found: Script, flow: Flow, command: Command) -> list[Command]:
    """The commands whose output this one runs as code."""
    name, words = _loud(command)
    program = find_program(name)
    if program.evaluates:
        return _evaluated(found, flow, command)
    if name == "-":
        return _on_input(found, flow, command) if SCRIPT_ON_INPUT in command.via else []
    if not (program.shell or program.language):
        return []
    if words and (verb := program.find_verb(words[0].text)):
        program, words = verb, words[1:]
    given = program.read(words)
    if codes := _codes(program, given):
        return _spoken(flow, command, codes)
    if given.has_role("module"):
        return []
    script = given.of_role("script") or given.operands
    if script and script[0].text not in INPUT and not (program.shell and given.has("s")):
        return _opened(found, flow, command, script[0])
    return _on_input(found, flow, command)


def _codes(program: Program, given: Arguments) -> tuple[Word, ...]:
    """The code that is given with an option or a verb, and the words behind it."""
    if given.has("command") or given.has_role("rest") or program.roles.first[:1] == ("code",):
        return given.operands
    codes = given.of_role("code", "print")
    return (*codes, *given.operands) if codes else ()


def _evaluated(found: Script, flow: Flow, command: Command) -> list[Command]:
    name, words = command.name.lower(), command.argv[1:]
    codes = [one for word in words for one in _sources(flow, word)]
    if name in ("iex", "invoke-expression"):
        return codes + flow.origins(command)
    if name == "eval" or not words:
        return codes
    if words[0].text in INPUT:
        return codes + _on_input(found, flow, command)
    return codes + (_opened(found, flow, command, words[0]) if DESCRIPTOR.fullmatch(words[0].text) else [])


def _spoken(flow: Flow, command: Command, words: tuple[Word, ...]) -> list[Command]:
    """The commands behind the code in an option, which is the first of these words."""
    # `xargs sh -c`: what is appended to the code comes from the pipe.
    if "xargs" in command.via and any(not word.known for word in words):
        return _decided(words[0], flow.origins(command))
    return [one for word in words[:1] for one in _sources(flow, word)]


def _on_input(found: Script, flow: Flow, command: Command) -> list[Command]:
    """The commands behind the input: its own redirections, or what comes through pipes."""
    if any(SOCKET.match(redirect.target.text) for redirect in command.redirects if redirect.operator == "<"):
        return [command]
    own = [one.target for one in command.redirects if one.operator in INPUTS and one.descriptor in ("", "0")]
    if own and own[-1].text not in INPUT:
        return _sources(flow, own[-1])
    # `<&3`: the descriptor may have been opened on any earlier command's output.
    duplicated = any(redirect.operator == "<&" for redirect in command.redirects)
    return [*flow.origins(command), *(found.commands[: command.index] if duplicated else ())]


def _opened(found: Script, flow: Flow, command: Command, word: Word) -> list[Command]:
    """The commands behind a script that is a substitution or an open descriptor."""
    if DESCRIPTOR.fullmatch(word.text):
        return list(found.commands[: command.index])
    return flow.sources(word)


def _sources(flow: Flow, word: Word) -> list[Command]:
    return _decided(word, flow.sources(word))


def _decided(word: Word, sources: list[Command]) -> list[Command]:
    """What the user's own services answer is data inside a command line, and code when it is all of it."""
    if word.text.startswith(OPENED):
        return sources
    return [one for one in sources if find_program(one.name).serves is None]


def _loud(command: Command) -> tuple[str, tuple[Word, ...]]:
    """The program in lower case: where the file system ignores case, `SUDO BASH` runs."""
    name, words = command.name.lower(), command.argv[1:]
    while name != command.name and name in LOUD and words:
        name, words = words[0].text.lower(), words[1:]
    return name, words
