"""Who stands above a process: an agent, or nobody but a person. Words prove nothing here, only processes."""

import os
import pwd
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from synaptic.agents.base import Agent
from synaptic.agents.shared.callers import HookCallers
from synaptic.agents.shared.discover import load_agents, order_by_sign
from synaptic.agents.shared.ours import is_dispatcher, is_ours
from synaptic.agents.shared.processes import (
    ProcessInfo,
    iter_ancestors,
    read_arguments,
    read_program,
    read_variables,
)
from synaptic.model.environment import ERRAND_VARIABLE
from synaptic.model.errors import PersonError, format_refusal
from synaptic.model.home import Home
from synaptic.shell.names import split_names

SHELL_NAMES = split_names("sh bash dash zsh fish ksh mksh ash busybox csh tcsh pwsh nu elvish xonsh")
ROOT_NAMES = split_names(
    "systemd init launchd tini dumb-init docker-init catatonit conmon containerd-shim-runc-v2 s6-svscan runit login "
    "sshd tmux screen sudo su code code-insiders codium cursor windsurf zed idea emacs vim nvim"
)
"""Ancestors of what people type, none of which is ever remembered as an agent: who lost its parent is below one of
these, and an editor has a terminal of its own."""
INTERPRETERS = split_names("node nodejs bun deno python electron tsx npx bunx")
VERSION_SIGNS = "0123456789."
SCRIPT_ENDINGS = (".js", ".mjs", ".cjs", ".ts", ".py")
MAX_LAYERS = 4
"""Processes between the engine and the agent: our client, the dispatcher, a shell that was asked to run it."""
LAST_WORD = 8
"""Words of a command line among which the dispatcher's path stands, where it is run by an interpreter."""


class Sender(msgspec.Struct, frozen=True):
    """Who has sent an event, as the processes show it."""

    kind: Literal["hook", "person", "stranger"]
    """A call by the agent itself, a process that no agent stands above, or one that stands below an agent."""
    why: str = ""
    """Of a stranger: what makes it one."""
    caller: ProcessInfo | None = None
    """The process that had the dispatcher called."""
    process: ProcessInfo | None = None
    """The outermost process of the call itself."""


def require_person(home: Home, what: str) -> None:
    """Refuse what only people may do, when this process runs below an agent. Raises PersonError."""
    if why := find_own_agent(home):
        raise PersonError(format_refusal(what, why))


def find_own_agent(home: Home) -> str:
    """What makes this very process an agent's, as `find_agent_above` says it; "" for a person's."""
    if marked := next((name for name in list_markers() if os.environ.get(name)), ""):
        return f"{marked} is set"
    # Beside the home that the environment names, the user's own: an agent can choose the one, not the other.
    found = (find_agent_above(os.getpid(), HookCallers(one)) for one in (home, *_find_own_home()))
    return next(filter(None, found), "")


def _find_own_home() -> tuple[Home, ...]:
    try:
        return (Home(Path(pwd.getpwuid(os.getuid()).pw_dir) / ".synaptic"),)
    except KeyError:
        return ()  # a user without a record, as in some containers


def find_agent_above(pid: int, callers: HookCallers) -> str:
    """What makes a process an agent's, in words for a refusal; "" where only a person can have started it."""
    chain = tuple(iter_ancestors(pid))
    if not chain:
        return "it cannot be seen which process asks"
    return callers.trouble or _describe_agents(chain, callers)


def examine_sender(pid: int, callers: HookCallers) -> Sender:
    """Whether a call comes from an agent itself. What is seen there for the first time as a caller is remembered."""
    chain = tuple(iter_ancestors(pid))
    if not chain:
        return Sender("stranger", "its process has ended")
    layers = _count_layers(chain, callers)
    if layers == len(chain):
        return Sender("person")
    caller, above = chain[layers], chain[layers + 1 :]
    sender = Sender("hook", caller=caller, process=chain[max(layers - 1, 0)])
    if callers.is_host(caller):
        return _examine_host(sender, above, callers)
    agent = identify_agent(caller.pid)
    if not agent and not callers.holds(caller):
        return _examine_unknown(sender, chain, callers)
    # An agent's own launcher stands above it and calls no hooks.
    while agent and above and identify_agent(above[0].pid) == agent and not callers.holds(above[0]):
        above = above[1:]
    has_launcher = len(above) < len(chain) - layers - 1
    marked = "" if has_launcher else _find_marker(caller.pid)
    if agent and above and callers.is_host(above[0]):
        # The program that has this agent in itself: it counts as what stands above the program does.
        marked, above = marked or _find_marker(above[0].pid), above[1:]
    if why := _describe_agents(above, callers) or (marked and f"{marked} is set"):
        return Sender("stranger", why, caller)
    callers.add(caller)
    return sender


def identify_agent(pid: int) -> str:
    """The agent whose program a process runs; "" for any other."""
    words = read_arguments(pid)
    names = {_strip_ending(read_program(pid)), _strip_ending(words[0]) if words else ""}
    # Behind an interpreter, the first word that is no option names the program.
    runs_script = any(name.rstrip(VERSION_SIGNS) in INTERPRETERS for name in names)
    script = next((word for word in words[1:] if not word.startswith("-")), "") if runs_script else ""
    shown = (*names, _strip_ending(script))
    return next((agent.name for agent in load_agents() if _has_process(agent, shown, (*words[:1], script))), "")


def _examine_unknown(sender: Sender, chain: Sequence[ProcessInfo], callers: HookCallers) -> Sender:
    """The caller is no agent that anybody knows: one, if no other one stands above it."""
    caller = sender.caller
    if caller is None or (why := _describe_agents(chain[chain.index(caller) :], callers)):
        return Sender("stranger", why if caller else "", caller)
    if chain[0] is caller or not _can_be_agent(caller):
        return Sender("person", caller=caller)
    callers.add(caller)
    return sender


def _examine_host(sender: Sender, above: Sequence[ProcessInfo], callers: HookCallers) -> Sender:
    """A person's program with an agent in itself speaks for that person, unless an agent has started the program."""
    host = sender.caller
    marked = _find_marker(host.pid) if host else ""
    if why := _describe_agents(above, callers) or (marked and f"{marked} is set"):
        return Sender("stranger", why, host)
    return sender


def _can_be_agent(process: ProcessInfo) -> bool:
    """A person who tries the dispatcher in a terminal must not make that terminal an agent's for good."""
    if process.pid == 1:
        return False
    words = read_arguments(process.pid)
    names = {_strip_ending(read_program(process.pid)), _strip_ending(words[0]).lstrip("-") if words else ""}
    return {name.lower() for name in names}.isdisjoint(SHELL_NAMES | ROOT_NAMES)


def _describe_agents(chain: Sequence[ProcessInfo], callers: HookCallers) -> str:
    """The first process of a chain that is an agent or carries the mark of one."""
    for process in chain:
        if agent := identify_agent(process.pid):
            return f"process {process.pid} above it is {agent}"
        if callers.holds(process):
            return f"process {process.pid} above it has called the dispatcher as an agent does"
        if callers.is_host(process):
            return f"process {process.pid} above it has an agent in itself"
        if marker := _find_marker(process.pid):
            return f"{marker} is set"
    return ""


def _find_marker(pid: int) -> str:
    """The variable of a process that an agent sets for what it runs."""
    markers = list_markers()
    found = (text.partition("=") for text in read_variables(pid))
    return next((name for name, _, value in found if name in markers and value), "")


@cache
def list_markers() -> frozenset[str]:
    """Every variable that an agent sets for the commands that it runs, and ours for those that a policy runs."""
    return frozenset((ERRAND_VARIABLE, *(name for agent in order_by_sign() for name in agent.shell_variables)))


def _count_layers(chain: Sequence[ProcessInfo], callers: HookCallers) -> int:
    """How many processes from the inside are only the way of a call: our own, and a shell that runs nothing else."""
    count = 0
    for process in chain[:MAX_LAYERS]:
        if not _is_layer(process, callers):
            break
        count += 1
    return count


def _is_layer(process: ProcessInfo, callers: HookCallers) -> bool:
    dispatch = callers.dispatch
    if _runs_dispatcher(process.pid, dispatch):
        return True
    # Without a daemon the engine runs in a process that the dispatcher has started: this one. Where nobody has, it runs
    # in the very program that sends the event, `synaptic emit` or an orchestrator with `run_hooks`: what stands above
    # that one has called no dispatcher.
    if process.pid == os.getpid():
        return _runs_dispatcher(process.parent, dispatch)
    words = read_arguments(process.pid)
    name = _strip_ending(words[0]).lstrip("-") if words else ""
    if name in SHELL_NAMES and len(words) == 2:  # an agent whose hooks are files runs ours by a shell
        return callers.has_written(words[1])
    if name in SHELL_NAMES and len(words) == 3 and words[1].startswith("-") and "c" in words[1]:
        return is_ours({"command": words[2].strip().removeprefix("exec ")}, dispatch)
    return False


def _runs_dispatcher(pid: int, dispatch: str) -> bool:
    if is_dispatcher(read_program(pid).removesuffix(" (deleted)"), dispatch):
        return True
    # The script that stands in for the compiled dispatcher, and its Python.
    return any(_names_dispatcher(word, dispatch) for word in read_arguments(pid)[1:LAST_WORD])


def _names_dispatcher(word: str, dispatch: str) -> bool:
    """Whether a word is the dispatcher's path, and not a whole command that ends with it."""
    return word == dispatch or (is_dispatcher(word, dispatch) and not any(map(str.isspace, word)))


def _has_process(agent: Agent, names: Sequence[str], paths: Sequence[str]) -> bool:
    return any(any(one in path for path in paths) if "/" in one else one in names for one in agent.processes)


def _strip_ending(path: str) -> str:
    """The name of a program without its folder and the ending of a script."""
    name = os.path.basename(path)  # noqa: PTH119 - on the path of an event
    for ending in SCRIPT_ENDINGS:
        name = name.removesuffix(ending)
    return name
