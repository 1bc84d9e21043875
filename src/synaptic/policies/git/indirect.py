"""Changes and untracked files that are lost by another command than the one that names them: through a pipe."""

import re

from synaptic.policies.git.overwritten import FILE_NAME
from synaptic.shell.book.entries import find_program
from synaptic.shell.names import split_names
from synaptic.shell.paths import Standpoint, resolve_path
from synaptic.shell.programs.git_line import GitCall
from synaptic.shell.read.script import Command, Word
from synaptic.shell.reading import CommandReading

DELETERS = split_names("rm unlink shred")
LISTING_VERBS = frozenset({"ls-files", "status"})
PASSING_VERBS = frozenset({"diff", "archive"})
"""Verbs whose output another program than git may put over the files: `patch -R`, `tar -x`."""
INDIRECT_VERBS = LISTING_VERBS | PASSING_VERBS | {"apply"}
UNTRACKED_SIGN = re.compile(r"[\\^'\"\[(]*\\?\?(?:\]\[)?\\?\?")
"""The sign of an untracked file in `git status --short`, as a pattern says it."""
SHOWING = ("check", "stat", "numstat", "summary", "cached")
COMMIT_NAMES = ("HEAD", "@")
PATCH_ENTRY, TAR_ENTRY = find_program("patch"), find_program("tar")
TAR_NAMES = frozenset(TAR_ENTRY.names)
SAME_PREFIXES = ("", ".", "./")
MAX_DELETERS = 16
"""Commands that one list is piped to and that are looked at one by one; of more, one is taken to delete it."""


def find_reversed(call: GitCall, known: CommandReading) -> GitCall | None:
    """The `git diff` whose output a `git apply -R` takes back: uncommitted changes, and nothing else."""
    given = call.given
    if call.verb != "apply" or not given.has("reverse") or given.has(*SHOWING):
        return None
    if any(word.text != "-" for word in given.operands):
        return None
    before = known.script.find_upstream(call.command)
    calls = [other for other in known.acting_git_calls if other.command in before]
    # A filter between them takes back less than everything.
    if len(before) != 1 or len(calls) != 1 or not _shows_own_changes(calls[0]):
        return None
    return calls[0]


def _shows_own_changes(call: GitCall) -> bool:
    if call.verb != "diff" or call.given.has("staged", "cached"):
        return False
    return all(_names_no_other_commit(word) for word in call.given.words)


def _names_no_other_commit(word: Word) -> bool:
    return word.text in COMMIT_NAMES or FILE_NAME.search(word.text) is not None or word.text[-1:] in ("/", ".")


def is_patched_back(call: GitCall, known: CommandReading) -> bool:
    """Whether a `patch -R` takes back what a `git diff` prints: uncommitted changes, and nothing else."""
    if call.verb != "diff" or "patch" not in known.programs or not _shows_own_changes(call):
        return False
    behind = known.script.find_downstream(call.command)
    if len(behind) != 1 or find_program(behind[0].name) is not PATCH_ENTRY:
        return False
    given = PATCH_ENTRY.read(behind[0].argv[1:])
    elsewhere = given.has("dry-run", "output", "input", "directory") or behind[0].cwd != call.cwd
    return given.has("reverse") and not elsewhere


def find_unpacked(call: GitCall, known: CommandReading) -> tuple[Word, ...] | None:
    """What of a commit is unpacked over the files of the same folder: `git archive HEAD | tar -x`. None: nothing is."""
    if call.verb != "archive" or TAR_NAMES.isdisjoint(known.programs):
        return None
    behind = _list_unpackers(call, known)
    if len(behind) != 1 or call.given.get_value("prefix") not in SAME_PREFIXES:
        return None
    given = TAR_ENTRY.read(behind[0].argv[1:])
    if not given.has("extract") or given.has_role("keep") or given.has("strip-components", "transform", "to-stdout"):
        return None
    folder = given.get_values("directory")[-1:] or (Word("."),)
    place = resolve_path(folder[0].text, Standpoint(behind[0].cwd, known.home)) if folder[0].known else None
    return given.operands or call.given.operands[1:] or (Word("."),) if place == call.cwd else None


def _list_unpackers(call: GitCall, known: CommandReading) -> list[Command]:
    """The `tar` that an archive is piped to, or that opens the file which it is written to."""
    if piped := [one for one in known.script.find_downstream(call.command) if one.name in TAR_NAMES]:
        return piped
    written = {one.target.text for one in call.command.redirects if one.is_write} | {call.given.get_value("output")}
    later = (one for one in known.script.commands[call.command.index + 1 :] if one.name in TAR_NAMES)
    return [one for one in later if TAR_ENTRY.read(one.argv[1:]).get_value("file") in written - {""}]


def deletes_listed(call: GitCall, known: CommandReading) -> bool:
    """Whether what a call lists as untracked is deleted: `git ls-files --others | xargs rm`."""
    # `git status` is in every other command, `rm` behind it in few.
    if call.verb not in LISTING_VERBS or DELETERS.isdisjoint(known.programs):
        return False
    if call.verb == "ls-files" and (not call.given.has("others") or call.given.has("ignored")):
        return False
    behind = {one.index for one in known.script.find_downstream(call.command)}
    deleters = [one for name in DELETERS for one in known.script.by_name.get(name, ())]
    # Which of them take the list at all is quickly said; what else each of them takes is not.
    taking = [one for one in deleters if one.index in behind or _takes_output(one, call.command.index)]
    return len(taking) > MAX_DELETERS or any(_takes_all(one, call, known) for one in taking)


def _takes_output(command: Command, place: int) -> bool:
    """Whether the output of the command at a place is substituted into the words of another."""
    return any(place in word.outputs for word in command.argv) or any(
        place in redirect.target.outputs for redirect in command.redirects
    )


def _takes_all(command: Command, call: GitCall, known: CommandReading) -> bool:
    before = known.script.find_upstream(command)
    if call.command not in before:
        return False
    picked = [one for one in before if find_program(one.name).picks]
    if call.verb == "ls-files":
        return not picked  # what was picked out was meant
    return len(picked) == 1 and any(map(UNTRACKED_SIGN.match, picked[0].args))


def may_lose_indirectly(call: GitCall, known: CommandReading) -> bool:
    """Whether a call is part of such a loss."""
    if call.verb not in INDIRECT_VERBS:
        return False
    if call.verb in PASSING_VERBS:
        return is_patched_back(call, known) or find_unpacked(call, known) is not None
    return deletes_listed(call, known) or find_reversed(call, known) is not None
