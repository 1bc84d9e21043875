"""The machines that a call fetches from, sends to or logs in to, as far as its text names them."""

import re
from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

from synaptic.model.once import kept_beside
from synaptic.model.tool import Tool
from synaptic.shell.book.arguments import Arguments
from synaptic.shell.book.entries import UNKNOWN_PROGRAM, ProgramEntry, find_program
from synaptic.shell.effects.addresses import ADDRESS_WORD, is_remote
from synaptic.shell.paths import MAX_PATH
from synaptic.shell.read.script import Command, Redirect
from synaptic.shell.reading import CommandReading

ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//[^\s'\"<>|\\^`{}]+", re.IGNORECASE)
SOCKET = re.compile(r"/dev/(?:tcp|udp)/([^/]+)/")
URL_KEYS = ("url", "uri", "urls", "href", "endpoint")
LOCAL_TALKERS = frozenset({"echo", "printf", "grep", "rg", "sed", "awk", "cat", "test", "[", "cd", "ls"})
"""Programs in whose words an address is only text."""
QUIET_GIT = frozenset({"commit", "tag", "notes", "log", "show", "grep", "config"})
"""Verbs of git in whose words an address is only text, or only kept."""


def find_hosts(tool: Tool, command: CommandReading | None) -> tuple[str, ...]:
    """Every machine that is named, in lower case, each once."""
    found = _settle(_iter_of_tool(tool))
    return found if command is None else (*found, *_find_in_command(command))


@kept_beside
def _find_in_command(command: CommandReading) -> tuple[str, ...]:
    script = command.script
    found = [host for one in script.commands for host in _iter_of_command(one)]
    if "/dev/" in command.text:
        found += (host for one in script.redirects for host in _iter_of_redirect(one))
    return _settle(found) if found else ()


def _settle(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, (host.lower().rstrip(".") for host in found))))


def read_host(text: str) -> str:
    """The machine of an address; empty where the text is none."""
    if len(text) > MAX_PATH:
        return ""
    try:
        return urlsplit(text if "//" in text else f"//{text}").hostname or ""
    except ValueError:
        return ""


def _iter_of_tool(tool: Tool) -> Iterator[str]:
    for key in URL_KEYS:
        value = tool.input.get(key)
        for text in value if isinstance(value, list | tuple) else (value,):
            if isinstance(text, str) and text and not text.startswith("file:"):
                yield read_host(text)


def _iter_of_redirect(redirect: Redirect) -> Iterator[str]:
    if found := SOCKET.match(redirect.target.text):
        yield found[1]


def _iter_of_command(command: Command) -> Iterator[str]:
    if command.name in LOCAL_TALKERS:
        return
    program, texts = find_program(command.name), command.args
    is_git = program.name == "git"
    if is_git and not QUIET_GIT.isdisjoint(texts[:1]):
        return
    for text in texts:
        if "//" in text and "file://" not in text:
            yield from map(read_host, ADDRESS.findall(text[:MAX_PATH]))
        if ":" in text and (is_git or program.copies_remote or program.archives) and is_remote(text):
            yield _read_remote(text)
    if program.remote or program.connects:
        yield from _iter_logged_in(program, program.read(command.argv[1:]))
    if program.fetches or program.sends:
        operands = _list_operands(program.read(command.argv[1:]))
        yield from (read_host(text) for text in operands if ADDRESS_WORD.fullmatch(text))


def _iter_logged_in(program: ProgramEntry, given: Arguments) -> Iterator[str]:
    """The first word is a machine's name, with or without a dot in it: `ssh build`."""
    if program is not UNKNOWN_PROGRAM and given.operands:
        text = given.operands[0].text
        yield read_host(text.rpartition("@")[2])


def _list_operands(given: Arguments) -> list[str]:
    return [word.text for word in given.operands if word.known and len(word.text) < MAX_PATH]


def _read_remote(text: str) -> str:
    """`me@host:path`."""
    return read_host(text) if "//" in text else text.partition(":")[0].rpartition("@")[2]
