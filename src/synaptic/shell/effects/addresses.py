"""Addresses of other machines in the words of commands, and whether a command talks to one."""

import re
from collections.abc import Iterator
from functools import lru_cache

from synaptic.shell.book.entries import ProgramEntry, find_program
from synaptic.shell.paths import MAX_PATH
from synaptic.shell.read.script import Command

LOCAL_ADDRESS = re.compile(
    r"(?:[a-z]+://)?(?:[^/@]*@)?(?:localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0|host\.docker\.internal)(?:[:/].*)?$"
)
ADDRESS_WORD = re.compile(
    r"(?:[a-z][a-z+]*://)?(?:[\w.-]+@)?\[?[\w-]+(?:\.[\w-]+)+\]?(?::\d+)?(?:/.*)?|[a-z][a-z+]*://.+"
)
REMOTE_PATH = re.compile(r"(?:[\w.-]+@)?(?!\d+:\d|[A-Za-z]:[\\/])[\w.-]+::?[^:\s]*|rsync://.*")
SHELL_SOCKET = re.compile(r"/dev/(?:tcp|udp)/")


def find_addresses(command: Command) -> Iterator[str]:
    """The arguments that look like an address."""
    for word in find_program(command.name).read(command.argv[1:]).operands:
        text = word.text
        if len(text) < MAX_PATH and (ADDRESS_WORD.fullmatch(text) or LOCAL_ADDRESS.match(text)):
            yield text


def is_local(command: Command) -> bool:
    """Whether it only talks to this machine."""
    # Without any address it is not local: the address may come from a file or a variable.
    found = list(find_addresses(command))
    return bool(found) and all(LOCAL_ADDRESS.match(text) for text in found)


def is_remote(text: str) -> bool:
    """Whether an argument of scp or rsync names another machine."""
    return len(text) < MAX_PATH and REMOTE_PATH.fullmatch(text) is not None


def fetches_data(command: Command) -> bool:
    """Whether its output may come from another machine."""
    if command.redirects and any(SHELL_SOCKET.match(redirect.target.text) for redirect in command.redirects):
        return True
    return find_program(command.name).fetches and not is_local(command)


def prints_service_data(command: Command) -> bool:
    """Whether it prints what a service or another machine of the user's holds."""
    program = find_program(command.name)
    if program.serves is None or is_local(command):
        return False
    words = " ".join(word.text for word in program.read(command.argv[1:]).operands)
    return _compile_form(program.serves).match(words) is not None


def sends_data(command: Command) -> bool:
    """Whether it sends what it is given to another machine."""
    # `> /dev/tcp/host/port`: bash itself opens the connection, whatever the program is.
    if command.redirects and any(SHELL_SOCKET.match(one.target.text) for one in command.redirects if one.is_write):
        return True
    program = find_program(command.name)
    if program.uploads:
        return any(_compile_form(program.uploads).fullmatch(text) for text in command.args[:2])
    # scp and rsync send only when the last word, the target, is on another machine.
    if program.copies_remote and program.operands:
        return is_remote(command.argv[-1].text)
    if program.archives:
        return any(is_remote(word.text) for word in program.read(command.argv[1:]).get_values("file"))
    return program.sends and not is_local(command)


def may_send(program: ProgramEntry) -> bool:
    """Whether a program can send anything at all."""
    return program.sends or program.archives or bool(program.uploads)


@lru_cache(maxsize=256)
def _compile_form(text: str) -> re.Pattern[str]:
    return re.compile(text)
