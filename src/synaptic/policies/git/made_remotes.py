"""Remotes that a forced push cannot harm: they lie in a scratch folder, or the same command makes them."""

from collections.abc import Iterator

from synaptic.model.event import PreToolUse
from synaptic.policies.facts import Facts
from synaptic.policies.git.made_here import find_made_folder, is_made_by_line, is_plain_init, may_bring_others
from synaptic.policies.git.push import Push
from synaptic.policies.git.sequence import is_placed
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
    if known is None or call.settings or not is_placed(call, known):
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
