"""Which commands print a secret that a program keeps, and where their output goes."""

import re
from collections.abc import Iterator

from synaptic.policies.infra.verbs import matches_form
from synaptic.shell.book.entries import BOOK, find_program
from synaptic.shell.effects.addresses import find_addresses, sends_data
from synaptic.shell.names import split_names
from synaptic.shell.read.script import Command, Script

FORMS = {name: re.compile(one.tokens) for name, one in BOOK.items() if one.tokens}
PRINTERS = frozenset(FORMS)
"""Programs that can print one."""
ECHOES = split_names("echo printf print cat tee")
QUIET_FILTERS = {"grep": ("-q", "--quiet", "--silent", "-c", "--count"), "head": ("-c",), "cut": ("-c",)}
"""Options with which a filter prints next to nothing of what it is given."""
TERMINALS = frozenset({"/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd/1", "/dev/fd/2"})
OUTPUT = frozenset({"", "1", "&"})
VENDORS = {
    "gh": ("github.com", "githubusercontent.com", "ghcr.io", "github.io", "githubcopilot.com"),
    "glab": ("gitlab",),
    "gcloud": ("google", "gcr.io", "pkg.dev", "run.app", "cloudfunctions.net", "appspot.com"),
    "az": ("azure", "windows.net", "microsoft", "azurecr.io", "visualstudio.com"),
    "aws": ("amazonaws.com", "aws"),
    "heroku": ("heroku",),
    "fly": ("fly.io", "fly.dev", "machines.dev"),
}
"""Who may be shown a token, by the program that prints it."""
LOCAL = ("localhost", "127.0.0.1", "[::1]")
MAX_NESTING_TEXT = 4_000


def prints_secret(command: Command) -> bool:
    """Whether a command prints a secret that its program keeps."""
    return matches_form(command, FORMS)


def is_shown(command: Command, found: Script) -> bool:
    """Whether what a command prints is read by whoever started the script, and not by a program that needs it."""
    if _is_redirected(command):
        return False
    takers = _find_takers(command, found)
    if takers or _is_substituted(command, found):
        # `echo $(gh auth token)` shows it after all.
        return any(one.name in ECHOES and is_shown(one, found) for one in takers if one.index > command.index)
    after = found.find_downstream(command)
    return all(map(_hands_on, after)) and not any(map(_is_redirected, after[-1:]))


def find_stranger(command: Command, found: Script) -> str:
    """The address of somebody else than the secret's own vendor that it is sent to; empty when there is none."""
    known = VENDORS.get(find_program(command.name).name)
    if known is None:
        return ""
    for one in _find_takers(command, found) or found.find_downstream(command):
        if find_program(one.name).fetches and sends_data(one):
            for address in find_addresses(one):
                host = re.sub(r"^[a-z]+://", "", address.lower()).partition("/")[0]
                if "." in host and not any(name in host for name in (*known, *LOCAL)):
                    return address
    return ""


def _find_takers(command: Command, found: Script) -> list[Command]:
    """The commands that have its output in a word."""
    return [one for one in found.commands if any(command.index in word.outputs for word in one.argv)]


def _is_redirected(command: Command) -> bool:
    return any(
        one.is_write and one.descriptor in OUTPUT and one.target.text not in TERMINALS for one in command.redirects
    )


def _hands_on(command: Command) -> bool:
    """Whether a filter prints what it is given."""
    program = find_program(command.name)
    quiet = QUIET_FILTERS.get(program.name, ())
    if any(text.startswith(quiet) for text in command.args if quiet):
        return False
    return program.passes or program.chooses or program.picks or program.name in ECHOES


def _is_substituted(command: Command, found: Script) -> bool:
    """Whether it stands in `$(...)` or backquotes, whose value nothing but a variable takes."""
    return command.span is not None and any(sign != "(" for sign in _iter_open(found.text[: command.span[0]]))


def _iter_open(text: str) -> Iterator[str]:
    """The signs in front of a place that are not closed there."""
    opened: list[str] = []
    for sign in re.findall(r"[$<>]\(|[()`]", text[-MAX_NESTING_TEXT:]):
        if sign == ")" or (sign == "`" and opened[-1:] == ["`"]):
            opened = opened[:-1]
        else:
            opened.append(sign)
    return iter(opened)
