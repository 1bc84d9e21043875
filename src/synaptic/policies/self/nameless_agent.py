"""Agents' programs that a command names by what leads to them: a variable, the agent's own process, a search."""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache

from synaptic.agents.base import Agent
from synaptic.agents.shared.discover import find_agent, load_agents
from synaptic.policies.reading import runs_elsewhere
from synaptic.shell.book.entries import UNKNOWN_PROGRAM, find_program
from synaptic.shell.names import split_names
from synaptic.shell.read.script import Command, Script, Word
from synaptic.shell.reading import CommandReading

HARMLESS_ARGUMENTS = split_names("--version -v --help -h help doctor update upgrade mcp login logout completion")
RUNNING_PROGRAM = re.compile(r"/proc/(?!self/|thread-self/)[^/\s]+/exe\b")
"""The program of another process: of a command's parent, that is the agent."""
PROGRAM_LINK = "/exe"
PROGRAM_NAME = re.compile(r"/exe\b")
COPIERS = split_names("ln gln cp gcp install ginstall mv gmv rsync alias")
FOREIGN_OPTION = "--setting-sources"
FOREIGN_VALUE = "disableallhooks"
"""What only an agent understands: whoever is given it is one, whatever it is called."""


def only_shows(args: Sequence[str]) -> bool:
    """Whether an agent that is given these words starts no session: `--version`, `mcp list`."""
    return bool(args) and args[0] in HARMLESS_ARGUMENTS


def has_nameless_sign(known: CommandReading) -> bool:
    """Whether a script may hold such a start at all: cheaper to ask than every command."""
    text = known.text
    for sign in _list_signs():
        if sign in text:
            return True
    if FOREIGN_VALUE in known.low_text:
        return True
    return PROGRAM_LINK in text and PROGRAM_NAME.search(text) is not None


def find_by_variable(found: Script) -> Iterator[tuple[Command, Agent]]:
    """The commands whose program is what a variable of an agent says."""
    for command in found.commands:
        if agent := _find_agent(command.argv[0].text):
            yield command, agent


def find_running_program(found: Script) -> str:
    """A command that runs the program of a process, whichever that is; empty when none does."""
    for command in found.commands:
        program = command.argv[0].text
        if RUNNING_PROGRAM.search(program) and command.args and not only_shows(command.args):
            return "" if runs_elsewhere(command) else f"`{program}`"
    return ""


def find_foreign_option(known: CommandReading, named: Collection[str]) -> str:
    """An option that only agents have, given to a program that nobody knows or that a variable of an agent names."""
    for command in known.script.commands:
        # An agent under its own name has been looked at, with the values of its options.
        if command.name.lower() in named or _is_known_program(command):
            continue
        if any(text.partition("=")[0] == FOREIGN_OPTION or _disables_hooks(text) for text in command.args):
            return f"`{command.argv[0].text}`"
    # Code of another language, or a shell that gets its words late, says both somewhere.
    agent = _find_agent(known.text)
    option = _compile_options(agent.name).search(known.text) if agent else None
    return f"`{option[0]}`" if option else ""


def find_renamed(found: Script) -> str:
    """A command that gives an agent's program another name; empty when none does."""
    for command in found.commands:
        if command.name in COPIERS and not runs_elsewhere(command) and any(map(_leads_to_agent, command.argv[1:])):
            return f"`{command.name}`"
    return ""


def _leads_to_agent(word: Word) -> bool:
    return _find_agent(word.text) is not None or RUNNING_PROGRAM.search(word.text) is not None


def _is_known_program(command: Command) -> bool:
    return command.argv[0].known and find_program(command.name) is not UNKNOWN_PROGRAM


def _disables_hooks(text: str) -> bool:
    return FOREIGN_VALUE in text.lower() and text.lstrip()[:1] in ("{", "-")


def _find_agent(text: str) -> Agent | None:
    """The agent whose variable a text names."""
    return next((agent for name, agent in _list_variables().items() if name in text), None)


@cache
def _list_variables() -> dict[str, Agent]:
    return {name: agent for agent in load_agents() for name in agent.bypass.own_program}


@cache
def _list_signs() -> tuple[str, ...]:
    return (*_list_variables(), FOREIGN_OPTION)


@cache
def _compile_options(agent: str) -> re.Pattern[str]:
    """Any option or variable with which this agent ignores its user's settings."""
    bypass = find_agent(agent).bypass
    options = "|".join(map(re.escape, sorted(bypass.options | bypass.variables)))
    return re.compile(rf"(?<![\w-])(?:{options})(?![\w-])")
