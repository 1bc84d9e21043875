"""Permissions and owners changed where the system or a whole home depends on them."""

import re

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.model.facts import Facts
from synaptic.parse.arguments import Arguments, arguments
from synaptic.parse.find import finding
from synaptic.parse.names import names
from synaptic.parse.paths import inside
from synaptic.parse.places import Place, Places
from synaptic.parse.shell.script import Command, Script, Word
from synaptic.policies.base import Policy
from synaptic.policies.reading import SHELLS, boxed, named, places, script

PROGRAMS = names("chmod chown chgrp setfacl chattr chflags icacls takeown")
VALUED = names("-m -M -x -X --modify --remove --set --set-file --from")
OPENED = re.compile(
    r"0*[0-7]?[0-7]?[0-7][2367]|0*|0*[4-7][0-7]{3}|\w*[ao]?\+\w*w\w*|[ugoa]*\+\w*s\w*|[ugoa]*=|[ugoa]*-rwx|a-\w+"
)
SHARED = ("/usr/local", "/opt", "/srv", "/var/www", "/var/tmp")
BAD = frozenset({Place.WHOLE, Place.SYSTEM})


class Permissions(Policy):
    """Changing who may use the system's own files.

    ## What it does
    Denies recursive changes of permissions, owners and access lists on the root, system trees and home folders, and
    opening system files to everyone, closing them to all, or making them run as their owner. `shared` trees may
    be changed. Inside the project everything may be changed.
    ## Why
    A machine whose `/etc` or `/usr` has the wrong owner does not start or log in any more, and there is no undo.
    ## Known gaps
    Access lists restored from a file (`setfacl --restore`) are not read.
    """

    id = "system.permissions"
    events = (PreToolUse,)
    tools = SHELLS
    priority = 22
    preset = "essentials"

    shared: tuple[str, ...] = SHARED
    """Trees outside home and project in which owners and permissions may be changed."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        found = script(event, facts, PROGRAMS)
        if found is None:
            return None
        at = places(event, facts)
        for command in named(found, PROGRAMS):
            if not boxed(command, found) and (word := self._hit(command, found, at)):
                told = f"`{command.name}` here changes {word.text!r}, which the system or the whole home depends on. "
                say = deny if word.known else ask
                return say(told + "Name the file of the project that needs it, or let the user do this.")
        return None

    def _hit(self, command: Command, found: Script, at: Places) -> Word | None:
        given = arguments(command.argv[1:], VALUED)
        searched = not all(word.known for word in given.operands) and any(
            label.startswith("find -") for label in command.via
        )
        recursive = (
            given.has("-R", "--recursive") or searched or any(text.lower() in ("/r", "/t") for text in command.args)
        )
        if not recursive and not _opens(command, given):
            return None
        words = _roots(command, found) if searched else given.operands
        if command.name.lower() != "setfacl" and not searched and not given.has("--reference"):
            words = words[1:]
        return next((word for word in words if self._bad(word, command, at)), None)

    def _bad(self, word: Word, command: Command, at: Places) -> bool:
        shared = inside(word.text, self.shared) and ".." not in word.text
        return at.hit(word, command.cwd) in BAD and not shared


def _roots(command: Command, found: Script) -> tuple[Word, ...]:
    finders = [other for other in found.commands[: command.index] if other.name == "find"]
    sought = finding(finders[-1].argv) if finders else None
    return sought.roots if sought and not sought.narrowed else ()


def _opens(command: Command, given: Arguments) -> bool:
    """Whether a `chmod` lets everybody write, nobody read, or the file run as its owner."""
    return command.name == "chmod" and bool(given.operands) and OPENED.fullmatch(given.operands[0].text) is not None
