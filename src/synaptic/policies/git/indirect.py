"""Changes and untracked files that are lost by another command than the one that names them: through a pipe."""

import re

from synaptic.policies.git.overwritten import FILE_NAME
from synaptic.shell.book.entries import find_program
from synaptic.shell.names import split_names
from synaptic.shell.programs.git_line import GitCall
from synaptic.shell.read.script import Command, Word
from synaptic.shell.reading import CommandReading

DELETERS = split_names("rm unlink shred")
LISTING_VERBS = frozenset({"ls-files", "status"})
INDIRECT_VERBS = LISTING_VERBS | {"apply"}
UNTRACKED_SIGN = re.compile(r"[\\^'\"\[(]*\\?\?(?:\]\[)?\\?\?")
"""The sign of an untracked file in `git status --short`, as a pattern says it."""
SHOWING = ("check", "stat", "numstat", "summary", "cached")
COMMIT_NAMES = ("HEAD", "@")


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
    if len(before) != 1 or len(calls) != 1 or calls[0].verb != "diff" or calls[0].given.has("staged", "cached"):
        return None
    return calls[0] if all(_names_no_other_commit(word) for word in calls[0].given.words) else None


def _names_no_other_commit(word: Word) -> bool:
    return word.text in COMMIT_NAMES or FILE_NAME.search(word.text) is not None or word.text[-1:] in ("/", ".")


def deletes_listed(call: GitCall, known: CommandReading) -> bool:
    """Whether what a call lists as untracked is deleted: `git ls-files --others | xargs rm`."""
    # `git status` is in every other command, `rm` behind it in few.
    if call.verb not in LISTING_VERBS or DELETERS.isdisjoint(known.programs):
        return False
    if call.verb == "ls-files" and (not call.given.has("others") or call.given.has("ignored")):
        return False
    deleters = [one for name in DELETERS for one in known.script.by_name.get(name, ())]
    return any(_takes_all(one, call, known) for one in deleters)


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
    return deletes_listed(call, known) or find_reversed(call, known) is not None
