"""What a script would do to files and other machines: the one question that every policy about commands asks."""

from collections.abc import Iterator
from functools import cached_property

import msgspec

from synaptic.shell.effects.arguments import arguments, operands
from synaptic.shell.effects.flow import FETCHERS, VALUED, fetches, local, remote
from synaptic.shell.effects.targets import (
    EVERY_VALUED,
    LAST_VALUED,
    MOVERS,
    TARS,
    WRITERS,
    read_tar,
    written_words,
)
from synaptic.shell.names import names
from synaptic.shell.programs.git_line import git_call
from synaptic.shell.read.script import Command, Script, Word

DELETERS = names("rm rmdir unlink shred")
SENDERS = FETCHERS | names("socat ssh scp sftp rsync ftp mail mailx sendmail mutt rclone croc wormhole")
COPIERS = names("scp sftp rsync")
CHANGING_VERBS = names(
    "apply am checkout restore reset stash clean merge rebase revert cherry-pick switch rm mv pull read-tree"
    " checkout-index submodule bisect"
)
"""Verbs of git that change files of the working tree without naming each."""
SHOWING = {"stash": names("list show"), "bisect": names("log view visualize terms help")}
"""What such a verb does, by its first word, that changes nothing."""
CHANGING = {"submodule": names("update add deinit")}
"""For verbs that mostly show: what changes something."""
LISTING = names("-l -t -p -v -z -Z")
"""Options with which `unzip` only shows what is in an archive."""
UNNAMING = names("unzip patch wget wget2 aria2c axel curl")
"""Programs that may write files whose names they make up."""
UNNAMED = Word("", known=False)
"""Stands for a file that a program writes without naming it: `git checkout`, `unzip`, `curl -O`."""


class Effect(msgspec.Struct, frozen=True, gc=False):
    """One thing that a command does: `run`, `write`, `read`, `delete`, `fetch` or `send`."""

    kind: str
    word: Word
    """What names the file or the program; `UNNAMED` when nothing does."""
    command: Command | None = None
    """The command that does it; None for the redirection of a group, a loop, or code of another language."""
    cwd: str = ""
    """The folder a relative name starts from; empty when unknown."""
    via: tuple[str, ...] = ()
    """Through what the command runs, outermost first."""

    @property
    def is_named(self) -> bool:
        """Whether the text says which file it is."""
        return bool(self.word.text)


class Effects(msgspec.Struct, frozen=True, dict=True):
    """What one script does, each kind worked out when it is first asked for."""

    script: Script

    @cached_property
    def runs(self) -> tuple[Effect, ...]:
        """Every command that runs, named by the word that says which program it is."""
        return tuple(_effect("run", command.argv[0], command) for command in self.script.commands)

    @cached_property
    def writes(self) -> tuple[Effect, ...]:
        """Files that are created or changed, by redirections, by programs, and by code of other languages."""
        # What stands in `> >(...)` is a command, which is looked at by itself.
        files = (one for one in self.script.redirects if one.writes and one.target.text[:2] != ">(")
        redirected = (Effect("write", one.target, None, one.cwd, one.via) for one in files)
        return (*redirected, *self._by_programs("write"))

    @cached_property
    def deletes(self) -> tuple[Effect, ...]:
        """Files that are removed; what is moved away counts."""
        return tuple(self._by_programs("delete"))

    @cached_property
    def changes(self) -> tuple[Effect, ...]:
        """Files that are written or deleted."""
        return (*self.writes, *self.deletes)

    @cached_property
    def reads(self) -> tuple[Effect, ...]:
        """Files that are read through redirections."""
        read = (one for one in self.script.redirects if one.operator == "<")
        return tuple(Effect("read", one.target, None, one.cwd, one.via) for one in read)

    @cached_property
    def fetches(self) -> tuple[Effect, ...]:
        """Commands whose output comes from another machine."""
        return tuple(_effect("fetch", one.argv[0], one) for one in self.script.commands if fetches(one))

    @cached_property
    def sends(self) -> tuple[Effect, ...]:
        """Commands that may send something to another machine."""
        return tuple(_effect("send", one.argv[0], one) for one in self.script.commands if _sends(one))

    def _by_programs(self, kind: str) -> Iterator[Effect]:
        for command in self.script.commands:
            words = _deleted(command) if kind == "delete" else _written(command)
            yield from (_effect(kind, word, command) for word in words)


def read_effects(script: Script) -> Effects:
    """What a script does. Nothing is worked out before it is asked for."""
    return Effects(script)


def _effect(kind: str, word: Word, command: Command) -> Effect:
    cwd = git_call(command).cwd if word is UNNAMED and command.name.lower() == "git" else command.cwd
    return Effect(kind, word, command, cwd, command.via)


def _deleted(command: Command) -> list[Word]:
    name = command.name.lower()
    if name in DELETERS:
        return operands(command.argv[1:], EVERY_VALUED)
    if name not in MOVERS:
        return []
    given = arguments(command.argv[1:], LAST_VALUED)
    return list(given.operands if given.has("-t", "--target-directory") else given.operands[:-1])


def _written(command: Command) -> Iterator[Word]:
    name = command.name.lower()
    if name in DELETERS:
        return
    words = written_words(command) if name in WRITERS or command.paths else []
    if name in MOVERS:
        words = words[:1]
    yield from (word for word in words if word.text != "-" and not _is_remote(name, word))
    if not words and _writes_unnamed(command, name):
        yield UNNAMED


def _writes_unnamed(command: Command, name: str) -> bool:
    """Whether a program that names no file changes some all the same."""
    if name == "git":
        return _changes_tree(command)
    if name in TARS:
        return read_tar(command).has("-x", "--extract", "--get")
    if name not in UNNAMING:
        return False
    given = arguments(command.argv[1:], VALUED.get(name, ()))
    if name == "curl":
        return given.has("-O", "--remote-name", "--remote-name-all", "-J")
    if name == "unzip":
        return not given.has(*LISTING)
    return name == "patch" or not given.has("-O", "--output-document", "--spider")


def _changes_tree(command: Command) -> bool:
    """Whether a call of git changes files of the working tree."""
    call = git_call(command)
    if call.verb not in CHANGING_VERBS or call.helps or call.given.has("dry-run"):
        return False
    if call.verb == "apply":
        return not call.given.has("check", "stat", "numstat", "summary")
    if call.verb == "read-tree":
        return call.given.has("u")
    first = call.given.words[0].text if call.given.words else ""
    return first in CHANGING.get(call.verb, (first,)) and first not in SHOWING.get(call.verb, ())


def _is_remote(name: str, word: Word) -> bool:
    return (name in COPIERS or name in TARS) and remote(word.text)


def _sends(command: Command) -> bool:
    name = command.name.lower()
    if name in COPIERS:
        return remote(command.argv[-1].text)
    return name in SENDERS and not local(command)
