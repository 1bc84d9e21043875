"""Shells and consoles into which commands could be typed later, where no hook looks."""

from typing import Annotated

import msgspec

from synaptic.model.decision import Verdict, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import MORE, Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import SHELLS, script
from synaptic.shell.effects.arguments import arguments
from synaptic.shell.names import names
from synaptic.shell.read.script import Command, Script
from synaptic.shell.read.startup import STARTUP

TERMINALS = names("/dev/tty /dev/stdin /dev/fd/0 /proc/self/fd/0")
INPUTS = frozenset({"<", "<<", "<<<", "<<-"})
ABOUT = ("--version", "--help", "-V")
NEVER, ALWAYS = 0, 1000


class Console(msgspec.Struct, frozen=True):
    """When a program waits for lines: it is given less than this."""

    works: frozenset[str] = frozenset()
    """Options with which it does one thing and ends."""
    valued: frozenset[str] = frozenset()
    """Options that take the next word."""
    opens: frozenset[str] = frozenset()
    """Options with which it waits all the same."""
    operands: int = 1
    """How many operands are work."""


SHELL = Console(names("-c -n -h --command"), names("-o +o -O +O --rcfile --init-file"))
PYTHON = Console(names("-c -m -h"), names("-c -m -W -X"), names("-i"))
LANGUAGE = Console(names("-e -E -p -c -r -n -v -h --eval --print --test --run --check"))
DATABASE = Console(names("-c -f -e -l --command --file --execute --list"), operands=ALWAYS)
CONSOLES = {
    **dict.fromkeys(names("sh bash zsh dash ksh mksh ash fish csh tcsh rbash"), SHELL),
    **dict.fromkeys(names("python python2 python3 pypy pypy3 ipython ipython3 bpython"), PYTHON),
    **dict.fromkeys(names("node nodejs deno bun irb pry ghci lua luajit julia iex erl scala perl ruby r"), LANGUAGE),
    **dict.fromkeys(names("psql mysql mariadb"), DATABASE),
    **dict.fromkeys(names("redis-cli mongo mongosh"), Console(names("--eval"))),
    "sqlite3": Console(operands=2),
    "php": Console(opens=names("-a"), operands=NEVER),
    "su": Console(names("-c --command"), operands=ALWAYS),
    "sudo": Console(opens=names("-i -s --login --shell"), valued=names("-u -g -h -p"), operands=NEVER),
}
PROGRAMS = frozenset(CONSOLES)


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
    tools = SHELLS
    priority = 27
    preset = "essentials"

    agents: Annotated[tuple[str, ...], MORE] = ("codex",)
    """Agents that can type into a program without a hook being told."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        if facts.agent not in self.agents:
            return None
        found = script(event, facts, PROGRAMS)
        waiting = next((one for one in found.commands if _waits(one, found)), None) if found else None
        if waiting is None:
            return None
        return deny(
            f"`{waiting.name}` would wait for lines that no hook sees. Give it its work at once: "
            f"a script, `{waiting.name} -c '...'` or its like, or a here-document."
        )


def _waits(command: Command, found: Script) -> bool:
    console = CONSOLES.get(command.name.lower())
    if console is None or STARTUP in command.via or _fed(command, found):
        return False
    given = arguments(command.argv[1:], console.valued)
    if given.has(*ABOUT):
        return False
    if given.has(*console.opens):
        return console is PYTHON or not given.operands
    work = [text for text in given.texts if text not in ("-", "repl")]
    return not given.has(*console.works) and len(work) < console.operands


def _fed(command: Command, found: Script) -> bool:
    """Whether its input is there already; `cat | sh` passes on what is typed."""
    if any(one.operator in INPUTS and one.target.text not in TERMINALS for one in command.redirects):
        return True
    before = found.upstream(command) if any(place for _, place in command.stages) else ()
    return bool(before) and not all(one.name in ("cat", "tee") and not one.args for one in before)
