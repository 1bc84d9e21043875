"""Commands of an agent that would switch off the engine."""

import re

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import (
    ENGINE_PROGRAMS,
    SHELL_TOOLS,
    mentions_engine,
    read_engine_arguments,
    runs_elsewhere,
)
from synaptic.shell.names import split_names
from synaptic.shell.read.script import Command, Script

LOOSENING_VERB = re.compile(
    r"down|trust(?! --list)(?: .*)?|policy disable(?: .*)?|config set(?: .*)?|daemon (?:stop|restart)(?: .*)?"
    r"|import \S+.*--undo.*|prune(?! .*--dry-run)(?: .*)?|rpc(?: .*)?|state (?!show|list|get)(?:\S+)(?: .*)?"
    r"|hook (?:remove|disable|unregister)(?: .*)?|down .*"
)
"""What loosens the guard, forgets what it knows, or agrees to something in the user's place."""
REMOVING_VERB = re.compile(r"(?:skill )?remove(?: .*)?")
"""A package may bring guards: taking one out is for a person to agree to."""
HELP_OPTIONS = split_names("--help -h")
KILLERS = split_names("kill pkill killall skill xkill taskkill stop-process")
SERVICES = split_names("systemctl launchctl service sc")
STOP_VERBS = split_names("stop disable mask kill unload bootout remove delete")
PACKAGE_MANAGERS = split_names("pip pip3 pipx uv conda brew apt apt-get")


RELEVANT_PROGRAMS = ENGINE_PROGRAMS | KILLERS | SERVICES | PACKAGE_MANAGERS | {"python", "pypy"}


class EngineShutdown(Policy):
    """Switching the guard off, stopping its daemon, or answering for its user.

    ## What it does
    Denies `synaptic down`, `trust`, `policy disable`, `config set`, `daemon stop`, `import --undo`, `rpc` and the like,
    killing the daemon, stopping its service and uninstalling the package. `list`, `explain`, `check`, `doctor`,
    `policy show`, `policy enable` and everything else that looks or tightens is free.
    ## Why
    These are decisions of the user. An agent that may take them is guarded by nothing.
    ## Known gaps
    A process id that was looked up in an earlier command cannot be told from another.
    """

    id = "self.daemon"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    priority = 20
    preset = "essentials"

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        known = facts.command
        if known is None or RELEVANT_PROGRAMS.isdisjoint(known.programs) or not mentions_engine(known):
            return None
        found = known.script
        # Commands that look for the engine's processes, as in `pgrep -f synaptic | xargs kill`.
        engine = {one.index for one in found.commands if any("synaptic" in word.text for word in one.argv[1:])}
        for command in found.commands:
            if REMOVING_VERB.fullmatch(" ".join(read_engine_arguments(command) or ())):
                return ask("A package may bring hooks that guard this project. A person should agree to its removal.")
            if not runs_elsewhere(command) and (_stops_engine(command) or _kills_engine(found, command, engine)):
                shown = " ".join((command.name, *command.args[:2]))
                return deny(
                    f"`{shown}` would switch off or change this guard. Only the user does that, in their own terminal."
                )
        return None


def _kills_engine(found: Script, command: Command, engine: set[int]) -> bool:
    """Whether it kills what other commands have found under the engine's name."""
    if not engine or command.name.lower() not in KILLERS:
        return False
    return any(one.index in engine for one in found.find_upstream(command))


def _stops_engine(command: Command) -> bool:
    words = read_engine_arguments(command)
    if words is not None:
        return not HELP_OPTIONS.intersection(words) and LOOSENING_VERB.fullmatch(" ".join(words)) is not None
    name = command.name.lower()
    named = any("synaptic" in text.lower() for text in command.args)
    if name in KILLERS:
        return named
    if name in SERVICES:
        return named and bool(STOP_VERBS.intersection(command.args))
    return name in PACKAGE_MANAGERS and named and any(text in ("uninstall", "remove", "purge") for text in command.args)
