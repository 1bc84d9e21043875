"""Permissions and owners changed where the system or a whole home depends on them."""

import re

import msgspec

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import SHELL_TOOLS, get_script, get_work_folders, is_boxed_in, select_commands
from synaptic.policies.system.passwords import PASSWORD_PROGRAMS, removes_password
from synaptic.shell.book.arguments import Arguments
from synaptic.shell.book.entries import find_program
from synaptic.shell.effects.searched import FileSearch, ScriptSearches
from synaptic.shell.names import split_names
from synaptic.shell.paths import Standpoint, is_inside, resolve_path
from synaptic.shell.places import PathArea, WorkFolders
from synaptic.shell.read.script import Command, Word

PERMISSION_PROGRAMS = split_names("chmod chown chgrp setfacl chattr chflags icacls takeown") | PASSWORD_PROGRAMS
OPENING_MODE = re.compile(
    r"0*[0-7]?[0-7]?[0-7][2367]|0*|0*[4-7][0-7]{3}|\w*[ao]?\+\w*w\w*|[ugoa]*\+\w*s\w*|a-\w+"
    r"|(?:[go]*[ua][ugoa]*)?(?:=|-\w*x\w*)"
)
MAX_MODE = 64
"""Characters of a mode."""
OPTION_LIKE_MODE = re.compile(r"-[rwxXstugo]+")
"""A mode that looks like an option."""
ACCOUNTS = re.compile(r"/etc/(?:passwd|group|g?shadow|master\.passwd|sudoers(?:\.d(?:/.*)?)?)-?")
"""Files that say who may do what: whoever owns one may do everything."""
OWNER_PROGRAMS = frozenset({"chown", "chgrp", "setfacl"})
ROOT_OWNER = re.compile(r"(?:root|wheel|shadow|0)?(?:[:.](?:root|wheel|shadow|0)?)?")
SHARED_TREES = ("/usr/local", "/opt", "/srv", "/var/www", "/var/tmp")
GUARDED_AREAS = frozenset({PathArea.WHOLE, PathArea.SYSTEM})


class Permissions(Policy):
    """Changing who may use the system's own files.

    ## What it does
    Denies recursive changes of permissions, owners and access lists on the root, system trees and home folders, and
    opening system files to everyone, closing them to all, or making them run as their owner, also where a search finds
    them. Denies giving the lists of accounts and rights (`/etc/passwd`, `/etc/shadow`, `/etc/sudoers`) to anybody but
    root, and taking an account's password away (`passwd -d root`). `shared` trees may be changed. Inside the project
    everything may be changed.
    ## Why
    A machine whose `/etc` or `/usr` has the wrong owner does not start or log in any more, and there is no undo.
    ## Known gaps
    Access lists restored from a file (`setfacl --restore`) are not read.
    """

    id = "system.permissions"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = PERMISSION_PROGRAMS
    priority = 22
    preset = "essentials"

    shared: tuple[str, ...] = SHARED_TREES
    """Trees outside home and project in which owners and permissions may be changed."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        found = get_script(event, facts, PERMISSION_PROGRAMS)
        if found is None:
            return None
        at = get_work_folders(event, facts)
        searches = ScriptSearches(found)
        for command in select_commands(found, PERMISSION_PROGRAMS):
            if command.name.lower() in PASSWORD_PROGRAMS:
                if removes_password(command) and not is_boxed_in(command, found):
                    return deny(f"`{command.name}` here takes a password away: anybody may log in. Let the user do it.")
                continue
            if not is_boxed_in(command, found) and (word := self._find_hit(command, searches, at)):
                told = f"`{command.name}` here changes {word.text!r}, which the system or the whole home depends on. "
                # A path that is only known in part may be harmless: a person decides.
                say = deny if word.known else ask
                return say(told + "Name the file of the project that needs it, or let the user do this.")
        return None

    def _find_hit(self, command: Command, searches: ScriptSearches, at: WorkFolders) -> Word | None:
        given = _read_arguments(command)
        files = given.operands
        if command.name.lower() != "setfacl" and not given.has("reference"):
            files = files[1:]
        opens = _opens_to_all(command, given)
        recursive = given.has("recursive") or any(text.lower() in ("/r", "/t") for text in command.args)
        for word in files:
            search = searches.find_search(word, command) if command.via or not word.known else None
            if search is not None:
                meant = _list_found(search, opens) if searches.ask_once(search, opens, command.cwd) else []
            else:
                meant = [word] if recursive or opens or _gives_ownership(word, command, given, at) else []
            cwd = search.cwd if search and search.cwd else command.cwd
            if (hit := next((one for one in meant if self._is_bad(one, cwd, at)), None)) is not None:
                return hit
        return None

    def _is_bad(self, word: Word, cwd: str, at: WorkFolders) -> bool:
        shared = is_inside(word.text, self.shared) and ".." not in word.text
        return at.classify_word(word, cwd) in GUARDED_AREAS and not shared


def _read_arguments(command: Command) -> Arguments:
    """The arguments; of `chmod`, a mode that looks like an option is none."""
    program = find_program(command.name)
    if program.name != "chmod":
        return program.read(command.argv[1:])
    modes = tuple(word for word in command.argv[1:] if OPTION_LIKE_MODE.fullmatch(word.text))[:1]
    given = program.read([word for word in command.argv[1:] if word not in modes])
    return msgspec.structs.replace(given, words=(*modes, *given.words))


def _list_found(search: FileSearch, opens: bool) -> list[Word]:
    """Where a search starts that finds everything; what it finds, when that is picked out and opened to all."""
    if not search.narrowed:
        return list(search.roots)
    return [Word(f"{root.text.rstrip('/')}/{{}}", known=False) for root in search.roots] if opens else []


def _opens_to_all(command: Command, given: Arguments) -> bool:
    """Whether a `chmod` lets everybody write, nobody read or run, or the file run as its owner."""
    if command.name != "chmod" or not given.operands:
        return False
    modes = given.operands[0].text.split(",")
    return any(len(mode) <= MAX_MODE and OPENING_MODE.fullmatch(mode) for mode in modes)


def _gives_ownership(word: Word, command: Command, given: Arguments, at: WorkFolders) -> bool:
    """Whether somebody but root is given a file that says who may do what."""
    if command.name not in OWNER_PROGRAMS or ROOT_OWNER.fullmatch(given.operands[0].text):
        return False
    path = resolve_path(word.text, Standpoint(command.cwd or at.cwd, at.home))
    return path is not None and ACCOUNTS.fullmatch(path) is not None
