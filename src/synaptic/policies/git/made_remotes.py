"""Remotes that a forced push cannot harm: they lie in a scratch folder, or the same command makes them."""

from collections.abc import Iterator

from synaptic.model.event import PreToolUse
from synaptic.policies.facts import Facts
from synaptic.policies.git.made_here import (
    find_made_folder,
    is_in_made_folder,
    is_made_by_line,
    is_plain_init,
    is_temporary,
    may_bring_others,
)
from synaptic.policies.git.push import Push
from synaptic.policies.git.sequence import is_placed, names_place
from synaptic.policies.reading import get_work_folders
from synaptic.shell.paths import Standpoint, resolve_path
from synaptic.shell.places import PathArea
from synaptic.shell.programs.git_line import GitCall
from synaptic.shell.read.script import Word
from synaptic.shell.reading import CommandReading

LOCAL_SIGNS = ("/", "./", "../", "~", "file://")
DEFAULT_REMOTE = "origin"
REMOTE_SETTINGS = ("remote.", "url.", "branch.", "push.", "include", "-f", "--file", "-e", "--edit")
NamedAddress = tuple[str, Word, str]
"""The name of a remote, its address, and the folder that a relative one starts from."""


def goes_to_throwaway(push: Push, event: PreToolUse, facts: Facts) -> bool:
    """Whether the repository that is pushed to has nothing to lose."""
    known, call = facts.command, push.call
    if known is None or call.settings:
        return False
    if not call.cwd:
        return not names_place(call, known) and _stays_in_made_folder(push, known)
    if not is_placed(call, known):
        return False
    remote = push.given.operands[0] if push.given.operands else Word(DEFAULT_REMOTE)
    if not remote.known or push.given.has("repo"):
        return False
    if remote.text.startswith(LOCAL_SIGNS):
        path = _resolve(remote, call.cwd, facts)
    else:
        path = _find_added(call, remote.text, facts) if is_made_by_line(call, known, facts) else ""
    if not path:
        return False
    if get_work_folders(event, facts).classify(path) is PathArea.SCRATCH:
        return True
    return _is_new(path, call, known, facts)


def _stays_in_made_folder(push: Push, known: CommandReading) -> bool:
    """Whether a push from a folder that `mktemp` has just made goes to a repository that the line makes there."""
    call = push.call
    before = [other for other in known.acting_git_calls if other.command.index < call.command.index]
    if not is_in_made_folder(call, known) or may_bring_others(call, known) or any(map(_changes_remotes, before)):
        return False
    inits = [other for other in before if is_plain_init(other)]
    made = {
        _get_name(word) for other in inits for word in other.given.operands[:1] if _is_made_there(word, other, known)
    }
    remote = push.given.operands[0] if push.given.operands else Word(DEFAULT_REMOTE)
    if push.given.has("repo"):
        return False
    if "/" in remote.text:
        return _is_there(remote) and _get_name(remote) in made
    # Which of them the name stands for is in the folder that a call works in, and that has no name here.
    addresses = [word for other in before for word in _list_addresses(other)]
    return bool(addresses) and all(_is_there(word) and _get_name(word) in made for word in addresses)


def _list_addresses(call: GitCall) -> tuple[Word, ...]:
    words = call.given.operands
    if call.verb == "clone":
        return words[:1] if not (call.given.has("config") or call.settings) else (Word("", known=False),)
    return words[2:3] if _adds(call) and words[0].text == "add" else ()


def _is_made_there(word: Word, call: GitCall, known: CommandReading) -> bool:
    return is_temporary(word) or (_is_there(word) and not call.cwd and is_in_made_folder(call, known))


def _is_there(word: Word) -> bool:
    """Whether an address begins in the folder that `mktemp` has made."""
    if is_temporary(word):
        return True
    return word.known and ":" not in word.text and word.text[:1] not in ("", "/", "~")


def _get_name(word: Word) -> str:
    return word.text.rstrip("/").rpartition("/")[2]


def _is_new(path: str, call: GitCall, known: CommandReading, facts: Facts) -> bool:
    """Whether the command makes a repository where nothing is yet."""
    found = facts.repositories.get(path)
    before = (other for other in known.acting_git_calls if other.command.index < call.command.index)
    inits = (other for other in before if is_plain_init(other))
    made = any(find_made_folder(other) == path for other in inits)
    return made and found is not None and (found.missing or found.empty) and not may_bring_others(call, known)


def _find_added(call: GitCall, name: str, facts: Facts) -> str:
    """The folder behind a remote's name that the command itself gives; empty when it gives none, or several."""
    known = facts.command
    before = [other for other in known.acting_git_calls if other.command.index < call.command.index] if known else []
    if any(map(_changes_remotes, before)):
        return ""
    found = {
        _resolve(word, folder, facts)
        for other in before
        for title, word, folder in _iter_remotes(other, call)
        if title == name
    }
    return found.pop() if len(found) == 1 else ""


def _changes_remotes(call: GitCall) -> bool:
    """Whether a call may give another address to a remote that there is."""
    if call.verb == "config":
        return not all(word.known and not word.text.lower().startswith(REMOTE_SETTINGS) for word in call.args)
    return call.verb == "remote" and not _adds(call)


def _iter_remotes(other: GitCall, call: GitCall) -> Iterator[NamedAddress]:
    """The remotes that a repository has after a call."""
    words = other.given.operands
    if (
        other.verb == "clone"
        and words
        and not other.given.has("config")
        and not other.settings
        and find_made_folder(other) == call.cwd
    ):
        yield other.given.get_value("origin") or DEFAULT_REMOTE, words[0], other.cwd
    if _adds(other) and other.cwd == call.cwd and len(words) == 3:
        yield words[1].text, words[2], other.cwd


def _adds(call: GitCall) -> bool:
    words = call.given.operands
    return call.verb == "remote" and bool(words) and words[0].text in ("add", "show", "-v")


def _resolve(word: Word, folder: str, facts: Facts) -> str:
    if not word.known or ":" in word.text.removeprefix("file://"):
        return ""
    return resolve_path(word.text.removeprefix("file://"), Standpoint(folder, facts.home)) or ""
