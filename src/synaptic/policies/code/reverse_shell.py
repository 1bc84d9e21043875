"""A shell given to another machine."""

import re
from itertools import pairwise

from synaptic.model.decision import Verdict, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import SHELL_TOOLS, get_script
from synaptic.shell.book.entries import LANGUAGE_PROGRAMS, SHELL_PROGRAMS, list_names_with
from synaptic.shell.effects.addresses import SHELL_SOCKET
from synaptic.shell.effects.flow import classify_interpreter
from synaptic.shell.read.script import Command, Script

NETCAT_PROGRAMS = list_names_with("connects")
EXEC_OPTION = re.compile(r"-\w*e(?:\w*|/.*)|--exec(?:=.*)?|--sh-exec(?:=.*)?|--lua-exec(?:=.*)?")
COMMAND_OPTION = re.compile(r"-\w*c")
SHELL_COMMAND = re.compile(rf"(?:/\S*/)?(?:{'|'.join(sorted(SHELL_PROGRAMS))}|cmd)(?:\.exe)?(?:\s.*)?", re.DOTALL)
"""A shell with whatever it is given: `-c` of some netcats runs it, and means something else in others."""
LISTING = frozenset({"-z", "-zv", "-vz"})
SOCAT = re.compile(r"(?:EXEC|SYSTEM|SHELL):", re.IGNORECASE)
NETWORK = re.compile(r"(?:TCP|UDP|OPENSSL|SSL|SCTP)\w*(?:-(?:LISTEN|CONNECT))?\d?:", re.IGNORECASE)
CONNECTS = re.compile(
    r"socket|fsockopen|TCPSocket|net\.(?:Socket|connect|createConnection)"
    r"|require\(\s*['\"](?:node:)?(?:net|tls)['\"]",
    re.IGNORECASE,
)
TIE_HINTS = ("pty.spawn", "dup2", "/bin/", "cmd.exe", "fdopen", "popen", "spawn")
"""What such code holds at least: cheaper to ask, in a program of a megabyte."""
TIE_PATTERN = re.compile(
    r"pty\.spawn|dup2|/bin/(?:ba|z|da)?sh|cmd\.exe|STDIN->fdopen|IO\.popen\s*\(\s*\w+\s*,"
    r"|spawn\(\s*['\"](?:ba|z|da)?sh['\"]\s*(?:\)|,\s*\[\s*(?:['\"]-i['\"]\s*)?\])"
)

ABLE_PROGRAMS = NETCAT_PROGRAMS | SHELL_PROGRAMS | LANGUAGE_PROGRAMS | {"socat", ""}


class ReverseShell(Policy):
    """Handing a shell to whoever is at the other end of a connection.

    ## What it does
    Denies `nc -e`, `nc -c sh`, `ncat --sh-exec`, `socat ... EXEC:`, `bash -i >& /dev/tcp/...`, a shell piped into
    netcat or telnet, loops that run each line of an open `/dev/tcp`, and one-liners that tie a socket to a shell.
    ## Why
    It gives away the machine, and no development task needs it.
    ## Known gaps
    Tunnels (`ssh -R`) and programs made for it under other names are not recognised.
    """

    id = "code.reverse-shell"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = ABLE_PROGRAMS
    priority = 23
    preset = "essentials"

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        found = get_script(event, facts, ABLE_PROGRAMS)
        if found is None or not any(_opens_shell(found, command) for command in found.commands):
            return None
        return deny("This hands a shell to another machine. Use ssh with the user's own keys, or leave it to the user.")


def _opens_shell(found: Script, command: Command) -> bool:
    name = command.name.lower()
    if name in NETCAT_PROGRAMS:
        return _starts_program(name, command.args) or _fed_by_shell(found, command)
    if not name:
        return command.looped and _reads_connection(found)
    if name == "socat":
        return any(SOCAT.match(text) for text in command.args) and any(NETWORK.match(text) for text in command.args)
    kind = classify_interpreter(name)
    if kind == "shell":
        return any(redirect.is_write and SHELL_SOCKET.match(redirect.target.text) for redirect in command.redirects)
    return kind == "language" and any(_ties_socket(text) for text in (*command.args, command.stdin or ""))


def _starts_program(name: str, texts: tuple[str, ...]) -> bool:
    """Whether a netcat is told to start a program."""
    # `-z` only looks for open ports, and telnet starts no program.
    if name == "telnet" or LISTING.intersection(texts):
        return False
    given = any(COMMAND_OPTION.fullmatch(text) and SHELL_COMMAND.fullmatch(then) for text, then in pairwise(texts))
    return given or any(EXEC_OPTION.fullmatch(text) for text in texts)


def _reads_connection(found: Script) -> bool:
    """Whether a connection stays open to be read from: an unknown program in a loop is then what the other end says."""
    return any(
        redirect.descriptor and redirect.operator in ("<", "<>") and SHELL_SOCKET.match(redirect.target.text)
        for redirect in found.redirects
    )


def _fed_by_shell(found: Script, command: Command) -> bool:
    shells = {name for name in found.by_name if classify_interpreter(name) == "shell"}
    return bool(shells) and any(other.name in shells for other in found.find_upstream(command))


def _ties_socket(code: str) -> bool:
    """Whether code opens a connection and a shell."""
    if not any(sign in code for sign in TIE_HINTS):
        return False
    return CONNECTS.search(code) is not None and TIE_PATTERN.search(code) is not None
