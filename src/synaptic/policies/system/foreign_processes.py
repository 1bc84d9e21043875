"""Processes ended by a name that is not the agent's alone."""

from synaptic.model.decision import Verdict, ask
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.infra.verbs import read_harm
from synaptic.policies.reading import SHELL_TOOLS, get_script, runs_in_container
from synaptic.policies.system.killed import KILLERS, find_kill
from synaptic.shell.names import split_names
from synaptic.shell.read.script import Command, Script

HARM = read_harm("processes", "end everything that runs below it")
ENDING = frozenset({"kill", "stop", "rm", "remove"})
LISTING = frozenset({"ps", "ls", "list"})
NARROWING = ("-f", "--filter", "-l", "--latest", "-n", "--last")
CONTAINERS = split_names("docker podman nerdctl")
PROGRAMS = KILLERS | frozenset(HARM.forms) | CONTAINERS
INSTEAD = (
    "End your own by its id (`kill $!`, `kill %1`), by its port (`kill $(lsof -ti:3000)`), or by words that only its "
    'own command line has (`pkill -f "vite --port 3000"`).'
)


class ForeignProcesses(Policy):
    """Ending processes that the session has not started.

    ## What it does
    Asks before everything of a kind is ended by its bare name: a runtime with force, by its whole command line or as
    root (`killall -9 node`, `pkill -f python`, `ps aux | grep java | ... | xargs kill`), a database, a web server, a
    shell, a browser or an editor in any way (`pkill postgres`), all containers of the machine (`docker kill
    $(docker ps -q)`), and everything below a multiplexer or a process manager (`tmux kill-server`, `pm2 kill`). Free
    are ids, jobs and ports, names of the project's own (`pkill -f "vite --port 3000"`), signals that end nothing
    (`pkill -HUP nginx`), what is narrowed to a parent, a terminal or the newest, lists that are narrowed further,
    servers of an own socket (`tmux -L x kill-server`), containers by name, and everything inside a container.
    ## Why
    Editors, language servers and the user's other projects run under the same names, and lose what they have not saved.
    ## Known gaps
    A runtime that is asked to end by its plain name (`pkill node`) is left alone: programs can then end in order. Which
    processes are there, and who started them, is not looked up.
    """

    id = "system.foreign-processes"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = PROGRAMS
    priority = 24
    preset = "essentials"

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        found = get_script(event, facts, PROGRAMS)
        if found is None:
            return None
        for command in found.commands:
            if command.name.lower() not in PROGRAMS or runs_in_container(command):
                continue
            if named := _find_ended(command, found):
                return ask(f"`{_show(command)}` would end {named}, whoever started it. {INSTEAD}")
        return None


def _find_ended(command: Command, found: Script) -> str:
    """What a command would end that is not the session's alone; empty when nothing."""
    if command.name in CONTAINERS:
        return "every container of this machine" if _ends_all_containers(command, found) else ""
    if HARM.destroys(command):
        return f"everything that runs below {command.name}"
    kill = find_kill(command, found) if command.name.lower() in KILLERS else None
    return f"every process called {kill!r}" if kill else ""


def _ends_all_containers(command: Command, found: Script) -> bool:
    words = [text for text in command.args if text[:1] != "-"]
    verb = words[1:2] if words[:1] == ["container"] else words[:1]
    if not verb or verb[0] not in ENDING:
        return False
    options = [text for text in command.args if text[:1] == "-"]
    if verb[0] in ("rm", "remove") and not any("f" in text[:3] for text in options):
        return False  # without force, only what has stopped
    if any(text == "--all" or (text[1:2] != "-" and "a" in text) for text in options) and command.name == "podman":
        return True
    before = found.find_upstream(command)
    # A list that goes through a filter, whatever it is, is no longer everything.
    return bool(before) and all(one.name in CONTAINERS and _lists_all(one) for one in before)


def _lists_all(command: Command) -> bool:
    words = [text for text in command.args if text[:1] != "-"]
    verb = words[1:2] if words[:1] == ["container"] else words[:1]
    return bool(verb) and verb[0] in LISTING and not any(text.startswith(NARROWING) for text in command.args)


def _show(command: Command) -> str:
    return " ".join((command.name, *command.args[:3]))
