"""Shells and consoles into which commands could be typed later, where no hook looks."""

from typing import Annotated

from synaptic.model.decision import Verdict, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import MORE, Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import SHELL_TOOLS, get_script
from synaptic.shell.book.entries import find_program, list_names_with, list_names_with_role
from synaptic.shell.names import split_names
from synaptic.shell.read.script import Command, Script
from synaptic.shell.read.startup import STARTUP_LABEL

TERMINALS = split_names("/dev/tty /dev/stdin /dev/fd/0 /proc/self/fd/0")
INPUT_OPERATORS = frozenset({"<", "<<", "<<<", "<<-"})
WORK_ROLES = ("code", "print", "module", "script", "run", "ends")
"""Roles of options with which a console does one thing and ends."""
GIVEN_ROLES = frozenset({"code", "script", "run"})
"""Roles of operands that are work."""
NO_WORK = ("-", "repl")
CONSOLES = list_names_with("console") | list_names_with_role("waits")


class InteractiveShell(Policy):
    """Starting a shell or a console that waits to be typed into.

    ## What it does
    In the agents of `agents`, denies a shell (`sh`, `bash -i`), a language console (`python`, `node`) or a database
    console (`psql`) that is given neither a script, nor a command, nor input. Everywhere else it says nothing.
    ## Why
    Such an agent can type into a program that runs, and tells no hook what it types: every other policy would be blind
    to the commands that follow.
    ## Known gaps
    Editors, debuggers and pagers that can start a command are not looked at, nor are programs of the project that read
    commands.
    """

    id = "code.interactive-shell"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = CONSOLES
    priority = 27
    preset = "essentials"

    agents: Annotated[tuple[str, ...], MORE] = ("codex",)
    """Agents that can type into a program without a hook being told."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        if facts.agent not in self.agents:
            return None
        found = get_script(event, facts, CONSOLES)
        waiting = next((one for one in found.commands if _waits_for_lines(one, found)), None) if found else None
        if waiting is None:
            return None
        return deny(
            f"`{waiting.name}` would wait for lines that no hook sees. Give it its work at once: "
            f"a script, `{waiting.name} -c '...'` or its like, or a here-document."
        )


def _waits_for_lines(command: Command, found: Script) -> bool:
    program = find_program(command.name)
    if command.name.lower() not in CONSOLES or STARTUP_LABEL in command.via or _is_fed(command, found):
        return False
    given = program.read(command.argv[1:])
    if given.has("version", "help"):
        return False
    roles = {role for role, word in program.roles.assign_roles(given.operands) if word.text not in NO_WORK}
    if given.has_role("waits"):
        return program.language == "python" or not given.operands
    return program.console and not given.has_role(*WORK_ROLES) and roles.isdisjoint(GIVEN_ROLES)


def _is_fed(command: Command, found: Script) -> bool:
    """Whether its input is there already; `cat | sh` passes on what is typed."""
    if any(one.operator in INPUT_OPERATORS and one.target.text not in TERMINALS for one in command.redirects):
        return True
    before = found.find_upstream(command) if any(place for _, place in command.stages) else ()
    return bool(before) and not all(one.name in ("cat", "tee") and not one.args for one in before)
