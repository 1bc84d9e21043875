"""What stands in front of a call of git in the same command, as far as it decides what the call finds and loses."""

import re
from collections.abc import Iterator
from itertools import pairwise

from synaptic.policies.git.overwritten import find_overwritten
from synaptic.policies.reading import sees_other_files
from synaptic.shell.paths import Standpoint, is_inside, resolve_path
from synaptic.shell.programs.git_line import GitCall
from synaptic.shell.read.script import Command, Word
from synaptic.shell.reading import CommandReading

TRANSPARENT_STARTERS = frozenset(
    {"bash", "sh", "zsh", "dash", "eval", "env", "time", "timeout", "nice", "nohup", "command"}
)
"""Programs below which a call finds the same files, with the words that are written there."""
FOREIGN_PLACE = ("--git-dir", "--work-tree", "--bare", "--namespace")
TREE_SIGNS = ("core.worktree", "--work-tree")
NEUTRAL_VERBS = frozenset(
    {"status", "log", "diff", "show", "fetch", "remote", "rev-parse", "branch", "commit", "tag", "ls-files", "config"}
    | {"checkout", "switch", "pull", "merge", "rebase", "cherry-pick", "revert", "push", "describe", "blame", "reflog"}
    | {"rev-list", "merge-base", "for-each-ref", "ls-tree", "ls-remote", "cat-file", "worktree", "clone", "init"}
)
"""Verbs that make no untracked file a tracked one, and no tracked file an untracked one, but from commits."""
WAITING_PROGRAMS = frozenset({"sleep", "wait", "read", "inotifywait", "fswatch", "entr", "watch"})
OPEN_LOOP = re.compile(r"\b(?:while|until)\b")
STORING_STASH = ("push", "save")
NEUTRAL_STASH = ("list", "show", "create", *STORING_STASH)
FOLDER_CHANGERS = ("cd", "pushd", "popd")
UNCONDITIONAL = re.compile(r"(?:^|[;\n({]|\bdo|\bthen|\belse)\s*$")
"""What stands in front of a command that is reached whatever happened before."""
LEFT_OUT = ("patch", "keep-index", "staged", "pathspec-from-file")


def is_readable(call: GitCall, known: CommandReading) -> bool:
    """Whether the call works in the folder that it seems to, on what is there now."""
    script = known.script
    if call.settings or script.truncated or script.unresolved or not is_placed(call, known):
        return False
    if any(label.partition(" ")[0] not in TRANSPARENT_STARTERS for label in call.command.via):
        return False
    return is_folder_sure(call, known) and not _is_later(call, known) and not _is_fed(call, known)


def is_placed(call: GitCall, known: CommandReading) -> bool:
    """Whether the words say which folder of this machine the call works in."""
    return bool(call.cwd) and not sees_other_files(call.command) and not names_place(call, known)


def names_place(call: GitCall, known: CommandReading) -> bool:
    """Whether options or variables say where the repository or its files are, whatever the folder is."""
    # A setting or `git --work-tree=x init` counts for every later call.
    if "GIT_" in known.text or any(sign in known.low_text for sign in TREE_SIGNS):
        return True
    return any(word.text.startswith(FOREIGN_PLACE) for word in call.command.argv)


def _is_later(call: GitCall, known: CommandReading) -> bool:
    """Whether it runs at a time for which nobody can say what is there then."""
    if call.command.background or (call.command.looped and OPEN_LOOP.search(known.text)):
        return True
    before = known.script.commands[: call.command.index]
    return any(command.name in WAITING_PROGRAMS for command in before)


def _is_fed(call: GitCall, known: CommandReading) -> bool:
    """Whether something comes into the working tree first that is nowhere else afterwards."""
    if any(command.name == "mv" and command.index < call.command.index for command in known.script.commands):
        return True
    return any(
        not other.verb
        or other.hidden
        or (other.verb == "stash" and _find_stash_verb(other) not in NEUTRAL_STASH)
        # In the folder of another repository it makes everything untracked.
        or (other.verb == "init" and other.cwd != known.cwd)
        for other in _iter_before(call, known)
    )


def find_disturbing(call: GitCall, known: CommandReading) -> bool:
    """Whether a call in front of this one may change which files are tracked."""
    return any(other.verb not in NEUTRAL_VERBS and other.verb != "stash" for other in _iter_before(call, known))


def forgets_remote(call: GitCall, known: CommandReading) -> bool:
    """Whether a call in front of this one may remove what is known of branches on a remote."""
    return any(
        other.given.has("prune", "p", "P", "delete", "d", "prune-tags")
        or any(
            word.text in ("prune", "update", "rm", "remove") or word.text[:1] == ":" for word in other.given.operands
        )
        for other in _iter_before(call, known)
        if other.verb in ("fetch", "pull", "remote", "push", "tag")
    )


def find_branch_before(call: GitCall, known: CommandReading) -> str:
    """The branch that a call in front of this one checks out; empty when none does."""
    found = ""
    for other in _iter_before(call, known):
        if other.cwd == call.cwd:
            found = find_new_branch(other) or found
    return found


def find_new_branch(call: GitCall) -> str:
    """The branch that is checked out after a call; nothing when it stays."""
    given = call.given
    if call.verb not in ("checkout", "switch") or given.dashes:
        return ""
    # With `-b` the new branch is the option's value; the word behind it is where the branch starts.
    created = given.find_last("b", "B", "create", "force-create", "orphan")
    if created:
        return given.get_value(created)
    return given.words[0].text if len(given.words) == 1 and given.words[0].known else ""


def find_saving(call: GitCall, known: CommandReading, untracked: bool) -> str:
    """The verb by which the same line has put away everything that this call throws away, stopping if it could not."""
    before = [other for other in _iter_before(call, known) if other.cwd == call.cwd]
    back = [other for other in before if other.verb == "stash" and _find_stash_verb(other) not in NEUTRAL_STASH]
    if back:
        # What was put away before that is in the files again, or gone.
        before = [other for other in before if other.command.index > back[-1].command.index]
    if call.verb == "clean" and call.given.has("x", "X"):
        before = [other for other in before if other.given.has("all") and other.verb == "stash"]
    saving = (other for other in before if _saves(other, before, untracked) and _covers(other, call, known))
    return next((other.verb for other in saving if is_chained(other.command, call.command, known)), "")


def _saves(call: GitCall, before: list[GitCall], untracked: bool) -> bool:
    given = call.given
    if call.settings or given.has("dry-run"):
        return False
    if call.verb == "stash":
        if _find_stash_verb(call) not in STORING_STASH or given.has(*LEFT_OUT):
            return False
        return not untracked or given.has("include-untracked", "all")
    if call.verb != "commit" or given.has("patch", "pathspec-from-file", "only", "include") or given.operands:
        return False
    return (given.has("all") and not untracked) or any(_adds_everything(other) for other in before)


def _covers(saving: GitCall, call: GitCall, known: CommandReading) -> bool:
    """Whether a stash of single paths holds all that the call names; one without paths holds everything."""
    given = saving.given
    if saving.verb != "stash" or _find_stash_verb(saving) == "save":
        return True  # behind `save` stands a message
    stashed = given.words[1:] + given.behind
    if not stashed:
        return True
    lost = find_overwritten(call) or (call.given.operands if call.verb == "clean" else ())
    at = Standpoint(call.cwd, known.home)
    folders = [_find_path(word, at) for word in stashed]
    paths = [_find_path(word, at) for word in lost]
    return bool(paths) and all(folders) and all(path and is_inside(path, folders) for path in paths)


def _find_path(word: Word, at: Standpoint) -> str:
    """The path that a word names plainly; empty for a pattern, and for what only git reads (`:/`)."""
    if not word.known or word.glob or word.text[:1] in ("", ":") or any(sign in word.text for sign in "*?["):
        return ""
    return resolve_path(word.text, at) or ""


def _adds_everything(call: GitCall) -> bool:
    flags = {flag.word.text for flag in call.given.flags}
    return call.verb == "add" and bool(flags & {"-A", "--all"}) and not call.given.operands


def is_applied_before(call: GitCall, known: CommandReading) -> bool:
    """Whether the stash that is dropped was applied in the same line, and is kept when that failed."""
    entry = [word.text for word in call.given.words[1:]]
    return any(
        other.verb == "stash"
        and _find_stash_verb(other) == "apply"
        and other.cwd == call.cwd
        and [word.text for word in other.given.words[1:]] == entry
        and is_chained(other.command, call.command, known)
        for other in _iter_before(call, known)
    )


def stashes_before(call: GitCall, known: CommandReading) -> bool:
    """Whether the same line makes stashes in front of this call, so that other ones are there than now."""
    return any(
        other.verb == "stash" and _find_stash_verb(other) in STORING_STASH for other in _iter_before(call, known)
    )


def is_chained(first: Command, second: Command, known: CommandReading) -> bool:
    """Whether the second command runs only when the first one, and everything between them, has succeeded."""
    if first.span is None or second.span is None or first.inner or second.inner or first.background:
        return False
    start, end = first.span[1], second.span[0]
    if start > end or known.text[: first.span[0]].rstrip().endswith("!"):
        return False
    between = list(known.text[start:end])
    for command in known.script.commands:
        if command.span and start <= command.span[0] and command.span[1] <= end:
            between[command.span[0] - start : command.span[1] - start] = " " * (command.span[1] - command.span[0])
    return set("".join(between).split()) == {"&&"}


def stops_at_failure(known: CommandReading) -> bool:
    """Whether the first command has the shell end when one fails: `set -e`."""
    first = known.script.commands[0] if known.script.commands else None
    return (
        first is not None
        and first.name == "set"
        and any((text[:1] == "-" and "e" in text) or text == "errexit" for text in first.args)
    )


def is_folder_sure(call: GitCall, known: CommandReading) -> bool:
    """Whether no condition decides on the way to the folder: `test -d x && cd x; git reset` may stay where it was."""
    if call.command.cwd == known.cwd or _names_absolute_folder(call):
        return True
    for command in known.script.commands[: call.command.index]:
        if command.name not in FOLDER_CHANGERS:
            continue
        if command.span is None or command.inner:
            return False
        before = known.text[: command.span[0]].rstrip(" \t")
        if not UNCONDITIONAL.search(before) and not is_chained(command, call.command, known):
            return False
    return True


def _names_absolute_folder(call: GitCall) -> bool:
    words = call.command.argv
    return any(word.text == "-C" and after.text[:1] == "/" for word, after in pairwise(words))


def _find_stash_verb(call: GitCall) -> str:
    return call.given.words[0].text if call.given.words else "push"


def _iter_before(call: GitCall, known: CommandReading) -> Iterator[GitCall]:
    return (other for other in known.acting_git_calls if other.command.index < call.command.index)


def is_saved_before(command: Command, known: CommandReading) -> bool:
    """Whether calls of git in front of a command put everything tracked away, and the line stops if they could not."""
    before = [other for other in known.acting_git_calls if other.command.index < command.index]
    before = [other for other in before if other.cwd == command.cwd]
    if any(other.verb == "stash" and _find_stash_verb(other) not in NEUTRAL_STASH for other in before):
        return False
    saving = (other for other in before if _saves(other, before, False))
    whole = (other for other in saving if other.verb != "stash" or _stashes_everything(other))
    return any(is_chained(other.command, command, known) for other in whole)


def _stashes_everything(call: GitCall) -> bool:
    # Behind `save` stands a message.
    return _find_stash_verb(call) == "save" or not (call.given.words[1:] or call.given.behind)
