"""Commands of an agent that would switch off the engine, or speak for its user."""

import re

from synaptic.agents.shared.discover import list_agent_names
from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import (
    ENGINE_PROGRAMS,
    REMOTE_PROGRAMS,
    SHELL_TOOLS,
    is_boxed_in,
    mentions_engine,
    names_engine,
    read_engine_arguments,
    runs_elsewhere,
    runs_in_container,
    select_commands,
)
from synaptic.policies.self.verbs import HELP_OPTIONS, SPEAKING_EVENTS, find_people_only
from synaptic.shell.effects.flow import classify_interpreter
from synaptic.shell.names import split_names
from synaptic.shell.read.script import Command, Script
from synaptic.shell.read.startup import STARTUP_LABEL
from synaptic.shell.reading import CommandReading

KILLERS = split_names("kill pkill killall skill xkill taskkill stop-process")
TAMPERERS = split_names("prlimit strace ltrace gdb lldb gcore renice ionice chrt taskset reptyr perf bpftrace nsenter")
"""Programs that reach into a process that runs."""
PARENT = re.compile(r"\$(?:\{?PPID\b|\(\s*ps\b)")
EVERY_PROCESS = "-1"
SERVICES = split_names("systemctl launchctl service sc")
STOP_VERBS = split_names("stop disable mask kill unload bootout remove delete")
PACKAGE_MANAGERS = split_names("pip pip3 pipx uv conda brew apt apt-get")
SHEDDERS = split_names(
    "at batch crontab tmux screen systemd-run daemonize start-stop-daemon launchctl atd anacron"
    " kitty kitten wezterm zellij konsole guake tilda terminator qdbus xdotool ydotool dotool wtype osascript"
    " dbus-send gdbus busctl emacsclient vim gvim nvim host-spawn distrobox-host-exec machinectl run0"
    " nu elvish xonsh osh ipython"
)
"""Programs that let a command run below something else than this agent, or later: they also type into a window of the
user's, ask the desktop for one, or are shells that the reader does not know."""
COPIERS = split_names("cp ln install mv rsync")
DISPATCHER = "dispatch"
COMMAND_LINE = "synaptic.cli.main"
LISTING_METHOD = "rpc.methods"
SPEAKING_NAMES = re.compile(r"(?:user)?prompt|beforeagent|directoryadded|chat\.message|message", re.IGNORECASE)
"""How agents call the event of a prompt."""
HERE = re.compile(
    r"(?:[\w.-]+@)?(?:localhost|localhost\.localdomain|ip6-localhost|127(?:\.\d{1,3}){1,3}|0\.0\.0\.0|0|\[?::1\]?"
    r"|\$\(hostname\b.*\)|`hostname\b.*`|\$\{?HOSTNAME\}?|\$\(uname -n\))",
    re.IGNORECASE,
)
"""A login to this very machine."""
STAND_IN = re.compile(r"(?:synaptic|syn|dispatch|LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES)=.+", re.DOTALL)
"""What a start-up file says so that the engine's name, or every program of the user, runs something else."""
STAND_IN_HINT = re.compile(r"LD_PRELOAD|LD_AUDIT|DYLD_INSERT|\b(?:synaptic|syn|dispatch)\s*(?:=|\(\s*\))")
OWN_FUNCTION = re.compile(r"\b(?:synaptic|syn)\s*\(\s*\)\s*[{(]|\bfunction\s+(?:synaptic|syn)\b")
OWN_PROGRAM = re.compile(r"/bin/(?:syn|synaptic|dispatch)$")
INNER_PART = re.compile(
    r"\bsynaptic\.(?:agents|api|cli|daemon|engine|hooks|packages|setup|store|testing|work)\b|ProjectState"
)
"""Modules of the engine by which a program could do what the command line refuses."""

RELEVANT_PROGRAMS = (
    ENGINE_PROGRAMS
    | KILLERS
    | SERVICES
    | PACKAGE_MANAGERS
    | SHEDDERS
    | COPIERS
    | TAMPERERS
    | {DISPATCHER, "typer", "python", "pypy"}
)
PROCESS_PROGRAMS = KILLERS | TAMPERERS


class EngineShutdown(Policy):
    """Switching the guard off, stopping its daemon, or answering for its user.

    ## What it does
    Denies what only people may do: `synaptic down`, `trust`, `install`, `registry use`, `policy disable`, `config set`,
    `daemon stop`, `bootstrap`, `rpc` and the like, a prompt that is sent through the dispatcher or `emit`, killing the
    daemon (by its number as well), stopping its service and uninstalling the package. Asks about `strace`, `gdb` or
    `prlimit` on the agent itself (`-p $PPID`), about a program that uses the engine's own modules, about copies of
    its programs, about names in start-up files that would stand for it, and about commands for it that are left to
    `at`, `cron` or `systemd-run`, typed into a window (`tmux`, `kitty @`, `xdotool`) or asked of the desktop.
    A login to this machine is this machine, and so is a container that is given a whole home.
    `list`, `explain`, `check`, `doctor`, efforts and everything else that looks is free.
    ## Why
    These are decisions of the user. An agent that may take them is guarded by nothing. The engine itself looks at the
    process that asks; this is the first line, and says so before anything runs.
    ## Known gaps
    A number that a program works out while it runs is not known before.
    """

    id = "self.daemon"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    priority = 20
    preset = "essentials"
    needs = ("engine_places", "policy_processes")

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        known = facts.command
        if known is None:
            return None
        if not PROCESS_PROGRAMS.isdisjoint(known.programs) and (said := _judge_processes(known.script, facts)):
            return said
        if STAND_IN_HINT.search(known.text) and (said := _judge_stand_in(known)):
            return said
        if not (mentions_engine(known) or DISPATCHER in known.programs):
            return None
        if RELEVANT_PROGRAMS.isdisjoint(known.programs) and not any(map(classify_interpreter, known.programs)):
            return None
        found = known.script
        # Commands that name the engine, as in `pgrep -f synaptic | xargs kill` or `echo synaptic down | at now`.
        engine = {one.index for one in found.commands if any(names_engine(word.text) for word in one.argv[1:])}
        here = [one for one in found.commands if not runs_elsewhere(one) or _comes_back(one, found)]
        denied = (_find_refusal(found, one, engine) for one in here)
        asked = (_find_question(found, one, engine) for one in here)
        return next(filter(None, denied), None) or next(filter(None, asked), None)


def _comes_back(command: Command, found: Script) -> bool:
    """Whether the other machine is this one, or the container has this machine's files."""
    if runs_in_container(command):
        return not is_boxed_in(command, found)
    return any(HERE.fullmatch(text) for outer in select_commands(found, REMOTE_PROGRAMS) for text in outer.args)


def _judge_stand_in(known: CommandReading) -> Verdict | None:
    """What is said about another program, or other code, that would answer to the engine's name in the user's shell."""
    in_startup = (one for one in known.script.commands if STARTUP_LABEL in one.via)
    if OWN_FUNCTION.search(known.text) or any(STAND_IN.fullmatch(text) for one in in_startup for text in one.args):
        return ask("In the user's next shell this would run in the place of their programs, this guard's among them.")
    return None


def _judge_processes(found: Script, facts: Facts) -> Verdict | None:
    """What is said about signals to the daemon by its number, and about reaching into the agent that calls it."""
    daemon = frozenset((*facts.engine_places.processes, *facts.policy_processes))
    for command in found.commands:
        name = command.name.lower()
        if name not in PROCESS_PROGRAMS or runs_elsewhere(command) or command.args[:1] == ("-0",):
            continue
        named = {text.rpartition("=")[2].removeprefix("-p").lstrip("-") for text in command.args}
        if not daemon.isdisjoint(named) or (name == "kill" and command.args[1:][-1:] == (EVERY_PROCESS,)):
            return deny(f"`{name}` would reach the process of this guard. Leave it alone; the user can stop it.")
        if name in TAMPERERS and any(map(PARENT.search, command.args)):
            return ask(f"`{name}` reaches into the agent that runs this command, and could keep it from asking here.")
    return None


def _find_refusal(found: Script, command: Command, engine: set[int]) -> Verdict | None:
    """What an agent has no business with."""
    if _stops_engine(command) or _speaks_for_user(command) or _is_fed_engine(found, command, engine, PROCESS_PROGRAMS):
        shown = " ".join((command.name, *command.args[:2]))
        return deny(f"`{shown}` would switch off or change this guard. Only the user does that, in their own terminal.")
    return None


def _find_question(found: Script, command: Command, engine: set[int]) -> Verdict | None:
    """What may be meant well, and gets around the guard if it is not."""
    if command.index in engine and _uses_inner_parts(command):
        return ask("This program uses the engine's own modules, which could change this guard.")
    if command.index in engine and command.name in COPIERS and any(map(OWN_PROGRAM.search, command.args)):
        return ask("A copy of the engine's own program could be used to get around this guard.")
    if command.name in SHEDDERS and (command.index in engine or _is_fed_engine(found, command, engine, SHEDDERS)):
        return ask(
            f"`{command.name}` would run a command for this guard where nobody sees that an agent has started it."
        )
    return None


def _is_fed_engine(found: Script, command: Command, engine: set[int], programs: frozenset[str]) -> bool:
    """Whether one of these programs gets what other commands have found, or say, under the engine's name."""
    if not engine or command.name.lower() not in programs:
        return False
    return any(one.index in engine for one in found.find_upstream(command))


def _stops_engine(command: Command) -> bool:
    words = read_engine_arguments(command)
    if words is not None:
        return _is_for_people(words)
    name = command.name.lower()
    named = any(map(names_engine, command.args))
    if name in KILLERS or name == "typer":
        return named
    if name in SERVICES:
        return named and bool(STOP_VERBS.intersection(command.args))
    return name in PACKAGE_MANAGERS and named and any(text in ("uninstall", "remove", "purge") for text in command.args)


def _is_for_people(words: list[str]) -> bool:
    """Whether what is said to the engine is for people: some methods and events are, and no agent needs the others."""
    named = [word for word in words if not word.startswith("-")]
    if named[:1] == ["rpc"]:
        return HELP_OPTIONS.isdisjoint(words) and named[1:] != [LISTING_METHOD]
    if named[:1] == ["emit"]:
        return not SPEAKING_EVENTS.isdisjoint(named)
    return find_people_only(words) is not None


def _speaks_for_user(command: Command) -> bool:
    """Whether the dispatcher is given a prompt by a command, instead of by the agent."""
    if command.name != DISPATCHER or not command.args:
        return False
    words = [word for word in command.args if not word.startswith("-") and word not in list_agent_names()]
    return bool(words) and SPEAKING_NAMES.search(words[0]) is not None


def _uses_inner_parts(command: Command) -> bool:
    if not classify_interpreter(command.name):
        return False
    for place, text in enumerate(command.args):
        # Behind the command line's own module stand words for it, which are judged as such.
        if text == "-m" and command.args[place + 1 : place + 2] == (COMMAND_LINE,):
            return False
        if INNER_PART.search(text):
            return True
    return False
