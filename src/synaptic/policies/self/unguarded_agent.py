"""Agents that are started, by an agent, so that they do not call the engine."""

import re
from collections.abc import Iterator, Mapping
from functools import cache

from synaptic.agents.base import Agent
from synaptic.agents.shared.discover import load_agents
from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import SHELL_TOOLS, runs_elsewhere, select_commands
from synaptic.policies.self.nameless_agent import (
    find_by_variable,
    find_foreign_option,
    find_renamed,
    find_running_program,
    has_nameless_sign,
    only_shows,
)
from synaptic.shell.names import split_names
from synaptic.shell.paths import Standpoint, resolve_path
from synaptic.shell.read.script import Command, Script
from synaptic.shell.reading import CommandReading

PACKAGE_ENDINGS = ("-code", "-cli", "-ai", "-agent")
"""What a package is called behind the name of its program: `npx @anthropic-ai/claude-code`."""
HOME_VARIABLE = "HOME"
SETTERS = split_names("export declare typeset setenv set env")
OTHER_USERS = split_names("sudo su doas runuser")
USER_OPTIONS = ("-u", "--user", "-i", "-H", "--login", "-l", "-")
EMPTYING_OPTIONS = split_names("-i --ignore-environment -")
ASSIGNED = re.compile(r"['\"\]\s]{1,4}=(?!=)|['\"]\s*,")
HOOK_SIGN = "hook"


class UnguardedAgent(Policy):
    """Starting another agent so that its hooks, and with them this guard, do not run.

    ## What it does
    Denies an agent that is told to run without hooks (`claude --settings '{"disableAllHooks": true}'`,
    `codex -c features.hooks=false`), and asks before one is started with other settings than its user's: by an option
    (`--settings`, `--setting-sources`, `--bare`), by a variable that moves its files (`CLAUDE_CONFIG_DIR`,
    `CODEX_HOME`), with another `HOME`, with no environment, or as another user; under no name
    (`$CLAUDE_CODE_EXECPATH`, `/proc/$PPID/exe`) it is looked at as well, and so is a link to it under another name.
    Asks before an agent changes its settings by its own command (`claude config set`). Every other start is
    free: hooks run in the new agent as well.
    ## Why
    What this guard refuses to one agent, an agent without it would do for the asking.
    ## Known gaps
    A copy of the program that was made earlier under another name, and a program that starts an agent by itself, are
    not recognised.
    """

    id = "self.unguarded-agent"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    priority = 20
    preset = "essentials"

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        known = facts.command
        if known is None:
            return None
        nameless = has_nameless_sign(known)
        if not nameless and list_agents().keys().isdisjoint(known.programs):
            return None
        for command, agent in iter_starts(known, nameless):
            if option := _find_switched_off(command, agent):
                return deny(f"`{option}` starts {agent.title} without its hooks. Start it without that option.")
            if why := _find_bypass(command, agent, known.script, facts.home) or _find_assigned(known.text, agent):
                return ask(
                    f"{agent.title} would be started with {why}: its hooks, and with them this guard, may not run "
                    "there. A person should agree to that."
                )
        return _judge_nameless(known) if nameless else None


def iter_starts(known: CommandReading, nameless: bool) -> Iterator[tuple[Command, Agent]]:
    """Every command that is known to start an agent here: by its name, or by the variable with its program's path."""
    return (
        (command, agent)
        for command, agent in _iter_calls(known, nameless)
        if not (runs_elsewhere(command) or only_shows(command.args))
    )


def _iter_calls(known: CommandReading, nameless: bool) -> Iterator[tuple[Command, Agent]]:
    agents = list_agents()
    if not agents.keys().isdisjoint(known.programs):
        yield from ((one, agents[one.name.lower()]) for one in select_commands(known.script, agents.keys()))
    if nameless:
        yield from find_by_variable(known.script)


def _judge_nameless(known: CommandReading) -> Verdict | None:
    """What is said about an agent's program that is started, or put elsewhere, under no name to go by."""
    shown = find_running_program(known.script) or find_foreign_option(known, list_agents().keys())
    if shown:
        return ask(
            f"{shown} may start an agent without its hooks, and with them without this guard. Name the program, or "
            "let a person agree."
        )
    if copied := find_renamed(known.script):
        return ask(f"{copied} puts an agent's program under another name, by which nobody recognises it.")
    return None


@cache
def list_agents() -> Mapping[str, Agent]:
    """Every agent by the names of its programs, and by those of the packages that bring them."""
    return {
        f"{program}{ending}": agent
        for agent in load_agents()
        for program in agent.programs
        for ending in ("", *PACKAGE_ENDINGS)
    }


def iter_options(command: Command) -> Iterator[tuple[str, str]]:
    """Every option with what may be its value: attached, or the next word."""
    args = command.args
    for place, text in enumerate(args):
        if text[:1] == "-":
            name, equals, value = text.partition("=")
            yield name, value if equals else next(iter(args[place + 1 : place + 2]), "")


def _find_switched_off(command: Command, agent: Agent) -> str:
    """The option that says in so many words that no hooks are to run."""
    for name, value in iter_options(command):
        if name in agent.bypass.switches and HOOK_SIGN in value.lower():
            return f"{name} {value}"
        if name in agent.bypass.options and "disableallhooks" in value.lower():
            return f"{name} {value}"
    return ""


def _find_bypass(command: Command, agent: Agent, found: Script, home: str) -> str:
    """What makes this start ignore the user's settings; empty when nothing does."""
    kept = agent.bypass.unless
    for name, value in iter_options(command):
        if name in agent.bypass.options and not (kept and kept in value.split(",")):
            return f"`{name}`"
    words = [text for text in command.args if text[:1] != "-"]
    if " ".join(words[:2]) in agent.bypass.verbs:
        return f"`{' '.join(words[:2])}`"
    moving = {*agent.variables, *agent.bypass.variables}
    for name, value in _iter_variables(command, found):
        if name in moving or (name == HOME_VARIABLE and resolve_path(value, Standpoint(home, home)) != home):
            return f"`{name}={value}`"
    return _find_other_user(command, found)


def _find_assigned(text: str, agent: Agent) -> str:
    """A variable that code of another language sets: `os.environ["CODEX_HOME"] = ...`."""
    for name in (*agent.variables, *agent.bypass.variables):
        at = text.find(name)
        if at >= 0 and ASSIGNED.match(text, at + len(name)):
            return f"`{name}`"
    return ""


def _iter_variables(command: Command, found: Script) -> Iterator[tuple[str, str]]:
    """Variables that are set for a command: in front of it, or exported before it."""
    yield from ((name, word.text) for name, word in command.assignments)
    for setter in select_commands(found, SETTERS):
        if setter.index < command.index:
            yield from ((text.partition("=")[0], text.partition("=")[2]) for text in setter.args if text[:1] != "-")
            yield from ((one, setter.args[1]) for one in setter.args[:1] if setter.name == "setenv" and setter.args[1:])


def _find_other_user(command: Command, found: Script) -> str:
    """The program in front of it that starts it for another user, or without an environment."""
    for outer in found.commands[: command.index]:
        if outer.name == "unset" and HOME_VARIABLE in outer.args:
            return "no `HOME`"
        if not any(label.partition(" ")[0] == outer.name for label in command.via):
            continue
        before = [text for text in outer.args if text[:1] == "-"]
        if outer.name == "env" and (HOME_VARIABLE in outer.args or f"-u{HOME_VARIABLE}" in outer.args):
            return "no `HOME`"
        if outer.name == "su":
            return "`su`"
        if outer.name == "env" and EMPTYING_OPTIONS.intersection(before):
            return "`env -i`"
        if outer.name in OTHER_USERS and any(text.startswith(USER_OPTIONS) for text in before):
            return f"`{outer.name}`"
    return ""
