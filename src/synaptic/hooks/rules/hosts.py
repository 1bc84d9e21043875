"""The machines that a call fetches from, sends to or logs in to, as far as its text names them."""

import re
from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

from synaptic.model.once import kept_beside
from synaptic.model.tool import Tool
from synaptic.shell.book.arguments import Arguments
from synaptic.shell.book.entries import UNKNOWN_PROGRAM, ProgramEntry, find_program
from synaptic.shell.effects.addresses import is_remote
from synaptic.shell.paths import MAX_PATH
from synaptic.shell.read.script import Command, Redirect
from synaptic.shell.reading import CommandReading

ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//[^\s'\"<>|\\^`{}]+", re.IGNORECASE)
SOCKET = re.compile(r"/dev/(?:tcp|udp)/([^/]+)/")
HOST_NAME = re.compile(
    r"(?<![\w./-])(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*(?![\w(])|\b\d{1,3}(?:\.\d{1,3}){3}\b", re.IGNORECASE
)
IMAGE = re.compile(r"((?:[a-z0-9-]+\.)+[a-z0-9-]+)(?::\d+)?/", re.IGNORECASE)
NETWORK_PROGRAMS = frozenset({
    "ping", "ping6", "dig", "nslookup", "host", "traceroute", "tracepath", "mtr", "whois", "openssl", "socat", "nmap",
})  # fmt: skip
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
    if program.container:
        yield from (found[1] for text in texts if (found := IMAGE.match(text)))
    elif _talks(program, command.name):
        given = program.read(command.argv[1:])
        named = (*given.operands, *(flag.value for flag in given.flags if flag.value is not None))
        yield from (host for word in named for host in HOST_NAME.findall(word.text[:MAX_PATH]))
        if program.remote or program.connects:
            yield from _iter_logged_in(program, given)


def _talks(program: ProgramEntry, name: str) -> bool:
    """Whether a program talks to machines that its words name."""
    talks = program.remote or program.connects or program.fetches or program.sends or program.serves is not None
    return talks or bool(program.database) or name in NETWORK_PROGRAMS


def _iter_logged_in(program: ProgramEntry, given: Arguments) -> Iterator[str]:
    """The first word is a machine's name, with or without a dot in it: `ssh build`."""
    if program is not UNKNOWN_PROGRAM and given.operands:
        text = given.operands[0].text
        yield read_host(text.rpartition("@")[2])


def _read_remote(text: str) -> str:
    """`me@host:path`."""
    return read_host(text) if "//" in text else text.partition(":")[0].rpartition("@")[2]
