"""The machines that a call fetches from, sends to or logs in to, as far as its text names them."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

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
    found = [*_iter_of_tool(tool)]
    if command is not None:
        found += (host for one in command.script.commands for host in _iter_of_command(one))
        found += (host for one in command.script.redirects for host in _iter_of_redirect(one))
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
    program = find_program(command.name)
    if command.name in LOCAL_TALKERS or (program.name == "git" and not QUIET_GIT.isdisjoint(command.args[:1])):
        return
    for text in command.args:
        yield from (read_host(address) for address in ADDRESS.findall(text[:MAX_PATH]) if "file://" not in text)
    given = program.read(command.argv[1:])
    if program.remote or program.connects:
        yield from _iter_logged_in(program, given)
    if program.fetches or program.sends:
        yield from (read_host(text) for text in _list_operands(given) if ADDRESS_WORD.fullmatch(text))
    if program.copies_remote or program.archives or program.name == "git":
        yield from (_read_remote(text) for text in command.args if is_remote(text))


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
