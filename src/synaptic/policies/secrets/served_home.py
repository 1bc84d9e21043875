"""Homes, machines and folders of keys offered to the network."""

import re
from collections.abc import Iterator

from synaptic.model.decision import Verdict, ask
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import RUN_MODULE, SHELL_TOOLS, get_script, runs_elsewhere, runs_in_container
from synaptic.policies.secrets.private import PRIVATE_FOLDERS, is_private
from synaptic.shell.book.arguments import Arguments
from synaptic.shell.book.entries import ProgramEntry, find_program, list_names_with_role
from synaptic.shell.names import split_names
from synaptic.shell.paths import Standpoint, is_inside, resolve_path
from synaptic.shell.read.script import Command, Word

SERVERS = frozenset(name for name in list_names_with_role("offer") if "." not in name) | {"caddy"}
STARTERS = split_names("npx bunx pnpx")
"""Programs that start one under a name with a version (`serve@14`)."""
LANGUAGES = split_names("python php ruby")
LOCAL_BINDING = re.compile(r"(?:\w+://)?(?:127(?:\.\d+){3}|localhost|\[?::1\]?)(?::\d+)?", re.IGNORECASE)
WHOLE_TREE = re.compile(r"/(?:etc|root|home|Users|var|private)?|/(?:home|Users)/[^/]+")
KEY_FOLDERS = PRIVATE_FOLDERS - {".cargo", ".config"}


class ServedHome(Policy):
    """Offering a home, the machine or a folder of keys to whoever connects.

    ## What it does
    Asks before a server of files (`python -m http.server`, `php -S`, `npx serve`, `http-server`, `caddy file-server`
    and others) offers the whole machine, somebody's home, or a folder that holds keys (`~/.ssh`), named or because it
    is started there. A folder of a project is free, and so is a server that only this machine can reach (`--bind
    127.0.0.1`), and one in a container.
    ## Why
    A home holds keys, tokens and letters, and such a server asks nobody for a password.
    ## Known gaps
    Tunnels that make a local server public (`ngrok http 8000`) and servers that code starts are not looked at.
    """

    id = "secrets.served-home"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = SERVERS | STARTERS | LANGUAGES
    priority = 24
    preset = "essentials"

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        found = get_script(event, facts, self.speaks_of)
        for command in found.commands if found is not None else ():
            for word in _iter_offered(command):
                path = resolve_path(word.text, Standpoint(command.cwd or event.cwd, facts.home))
                if path and _holds_keys(path, facts.home):
                    return ask(
                        f"`{command.name}` would offer {path!r} with all it holds to whoever connects. Serve the "
                        "folder that is needed (`--directory site`), and to this machine alone (`--bind 127.0.0.1`)."
                    )
        return None


def _iter_offered(command: Command) -> Iterator[Word]:
    """The folders that a server offers to other machines; the one that it is started in when it names none."""
    read = _read_server(command)
    if read is None or runs_in_container(command) or any(map(_binds_here, command.args)):
        return
    program, given = read
    named = [word for role, word in program.roles.assign_roles(given.operands) if role == "offer"]
    yield from (*given.get_by_role("offer"), *named) or (() if runs_elsewhere(command) else (Word("."),))


def _read_server(command: Command) -> tuple[ProgramEntry, Arguments] | None:
    """The server that a command starts, and what it is told; None when it starts none."""
    name, words = command.name.partition("@")[0], command.argv[1:]
    program = find_program(name)
    if program.language == "python":
        at = next((at for at, text in enumerate(command.args) if RUN_MODULE.fullmatch(text)), len(words))
        program, words = find_program(words[at + 1].text) if at + 1 < len(words) else program, words[at + 2 :]
    elif program.language == "ruby" and "httpd" in command.args:  # `ruby -run -e httpd . -p 8000`
        program, words = find_program("http-server"), words[command.args.index("httpd") + 1 :]
    elif program.name == "caddy":
        verb = program.find_verb(words[0].text) if words else None
        program, words = (verb, words[1:]) if verb is not None else (program, ())
    if not program.has_role("offer") or "--help" in command.args:
        return None
    given = program.read(words)
    # PHP serves when it is told where to listen, and runs code otherwise.
    return (program, given) if program.name != "php" or given.has("server") else None


def _binds_here(text: str) -> bool:
    return LOCAL_BINDING.fullmatch(text.rpartition("=")[2]) is not None


def _holds_keys(path: str, home: str) -> bool:
    if WHOLE_TREE.fullmatch(path) or is_inside(home, (path,)) or is_private(path):
        return True
    return not KEY_FOLDERS.isdisjoint(path.lower().split("/"))
