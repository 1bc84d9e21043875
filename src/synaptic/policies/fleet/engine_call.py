"""Shell calls of an agent to the engine itself: they are no work, so they are not counted as such."""

import re

from synaptic.model.event import PreToolUse
from synaptic.policies.facts import Facts
from synaptic.policies.reading import ENGINE_PROGRAMS, runs_elsewhere
from synaptic.shell.book.entries import SHELL_PROGRAMS
from synaptic.shell.read.script import Command, Script

HARMLESS_PROGRAMS = frozenset({"cd", "echo", "printf", "true"})
FEEDING_PROGRAMS = frozenset({"cat", "echo", "printf"})
CODE_OPTION = re.compile(r"-[a-z]*c")
HELP_OPTIONS = frozenset({"--help", "-h"})
NULL_DEVICES = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr"})


def classify_engine_call(event: PreToolUse, facts: Facts, names: tuple[str, ...]) -> str:
    """`log` for a call that writes to the log, `other` for any other call of the engine, nothing for the rest."""
    text = event.tool.command
    # Cheap question first: most commands do not name the engine and need not be read here.
    if not text or not any(name in text for name in names):
        return ""
    found = facts.command
    if found is None or not _is_only_engine(found.script, names):
        return ""
    return "log" if any(_writes_log(command) for command in found.script.commands if command.name in names) else "other"


def _is_only_engine(script: Script, names: tuple[str, ...]) -> bool:
    """Whether the engine is what the text is about: it comes first, after what feeds it, and nothing else acts."""
    # What cannot be read may be work, and work has to be counted.
    if script.unresolved or script.truncated or any(one.target.text not in NULL_DEVICES for one in script.writes):
        return False
    acting = [
        command
        for command in script.commands
        if not _is_shell_wrapper(command) and not _leads_up(script, command, names)
    ]
    if not acting or acting[0].name not in names:
        return False
    return all(command.name in HARMLESS_PROGRAMS or command.name in names for command in acting) and not any(
        map(runs_elsewhere, script.commands)
    )


def _is_shell_wrapper(command: Command) -> bool:
    """`bash -lc '...'`: what it runs is among the commands."""
    return command.name in SHELL_PROGRAMS and CODE_OPTION.fullmatch(next(iter(command.args), "")) is not None


def _leads_up(script: Script, command: Command, names: tuple[str, ...]) -> bool:
    if command.name == "cd":
        return True
    return command.name in FEEDING_PROGRAMS and any(other.name in names for other in script.find_downstream(command))


def _writes_log(command: Command) -> bool:
    """`synaptic effort log`, or `log` of an engine that has no efforts among its words."""
    words = [word for word in command.args if not word.startswith("-")]
    if not HELP_OPTIONS.isdisjoint(command.args):
        return False
    return words[:2] == ["effort", "log"] or (words[:1] == ["log"] and command.name not in ENGINE_PROGRAMS)
