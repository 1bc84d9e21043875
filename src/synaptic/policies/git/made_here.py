"""Repositories that have nothing to lose: the same command makes them, or they lie where everything may go."""

from synaptic.model.event import PreToolUse
from synaptic.model.project import Git
from synaptic.policies.facts import Facts
from synaptic.policies.git.rewritten import rewrites_history
from synaptic.policies.git.sequence import FOLDER_CHANGERS, is_chained, is_folder_sure, names_place, stops_at_failure
from synaptic.policies.reading import get_work_folders, sees_other_files
from synaptic.shell.names import split_names
from synaptic.shell.paths import Standpoint, is_inside, resolve_path
from synaptic.shell.places import PathArea
from synaptic.shell.programs.git_line import GitCall
from synaptic.shell.read.script import Word
from synaptic.shell.reading import CommandReading

NO_REPOSITORY = Git()
MAKING_VERBS = ("clone", "init")
TEMPORARY = "mktemp"
HISTORY_VERBS = split_names("gc prune reflog update-ref symbolic-ref branch stash push")
"""Verbs that lose commits, and no file."""
BRINGING_PROGRAMS = split_names("mv ln rsync mount umount bindfs unionfs")
"""Programs that may bring a repository, or files that are nowhere else then."""


def is_throwaway(call: GitCall, event: PreToolUse, facts: Facts) -> bool:
    """Whether the repository was made by the same command, or lies where everything may go."""
    known = facts.command
    if known is None or sees_other_files(call.command) or names_place(call, known) or _shares_history(call, known):
        return False
    if not call.cwd:
        return is_in_made_folder(call, known)
    if call.cwd not in facts.repositories:
        return False
    if is_made_by_line(call, known, facts):
        return True
    found = facts.repositories[call.cwd]
    if found.is_known:
        return all(_is_scratch(folder, event, facts) for folder in (found.top, found.main) if folder)
    return _is_scratch(call.cwd, event, facts) and (not found.missing or _is_reached(call, known, facts))


def is_made_by_line(call: GitCall, known: CommandReading, facts: Facts) -> bool:
    """Whether the repository that a call works in is not there yet, and the same command makes it."""
    if _shares_history(call, known):
        return False
    found = facts.repositories.get(call.cwd, NO_REPOSITORY)
    if not found.missing:
        return call.cwd in facts.repositories and _is_first_here(call, known, found)
    return _is_made_here(call, known, facts) and _is_reached(call, known, facts)


def _is_scratch(folder: str, event: PreToolUse, facts: Facts) -> bool:
    path = resolve_path(folder, Standpoint("/", facts.home))
    return path is not None and get_work_folders(event, facts).classify(path) is PathArea.SCRATCH


def _is_reached(call: GitCall, known: CommandReading, facts: Facts) -> bool:
    """Whether a call in a folder that is not there yet cannot end up in the one that the command started in."""
    start = facts.repositories.get(known.cwd, NO_REPOSITORY)
    if start.missing:
        return True  # the machine that this is about is another one, and nothing of it is here
    before = known.script.commands[: call.command.index]
    moves = [command for command in before if command.name in FOLDER_CHANGERS]
    if start.empty and len(moves) == 1:
        return True  # nothing is where it may stay
    return not moves or stops_at_failure(known) or is_chained(moves[-1], call.command, known)


def _is_first_here(call: GitCall, known: CommandReading, found: Git) -> bool:
    """Whether there is no repository in or around a folder but the one that the same line makes in it.

    If it fails to, git finds none at all; and where files may go with it, none are in the folder either.
    """
    if found.missing or found.is_known or found.bare or (call.verb not in HISTORY_VERBS and not found.empty):
        return False
    if may_bring_others(call, known):
        return False
    made = [other for other in known.acting_git_calls if other.command.index < call.command.index]
    return is_folder_sure(call, known) and any(
        is_plain_init(other) and find_made_folder(other) == call.cwd for other in made
    )


def is_plain_init(call: GitCall) -> bool:
    """Whether a call makes a repository whose data and files lie in the folder that it names."""
    if call.verb != "init" or call.given.has("separate-git-dir"):
        return False
    return not any(word.text.startswith("--git-dir") for word in call.command.argv)


def _shares_history(call: GitCall, known: CommandReading) -> bool:
    """Whether what a call loses is the history of another repository: that of a worktree which the command adds."""
    if "worktree" not in known.git_verbs or not (call.verb in HISTORY_VERBS or rewrites_history(call)):
        return False
    added = (find_made_folder(other) for other in known.acting_git_calls if other.verb == "worktree")
    return is_inside(call.cwd, tuple(filter(None, added)))


def may_bring_others(call: GitCall, known: CommandReading) -> bool:
    """Whether something in front of a call may put a repository or files there that were elsewhere before."""
    script = known.script
    before = script.commands[: call.command.index]
    return bool(script.truncated or script.unresolved or any(command.name in BRINGING_PROGRAMS for command in before))


def _is_made_here(call: GitCall, known: CommandReading, facts: Facts) -> bool:
    """Whether a clone, a new repository or a worktree of the same command is what the call works in."""
    top = facts.repositories[call.cwd].top
    is_elsewhere = facts.repositories.get(known.cwd, NO_REPOSITORY).missing
    for other in known.acting_git_calls:
        if other.command.index >= call.command.index or (other.verb == "init" and is_elsewhere):
            continue  # `init` takes a folder that is there as it is: only this machine's disk can say that it is new
        made = find_made_folder(other)
        if made and is_inside(call.cwd, (made,)) and top != made and not is_inside(known.cwd, (made,)):
            return True
    return False


def find_made_folder(call: GitCall) -> str:
    """The folder that a call makes a repository in; empty when it makes none."""
    words = call.given.operands
    if call.verb == "worktree" and words and words[0].text == "add":
        return _join(call.cwd, words[1].text) if len(words) > 1 and words[1].known else ""
    if call.verb not in MAKING_VERBS or not all(word.known for word in words):
        return ""
    if call.verb == "init":
        return _join(call.cwd, words[0].text) if words else call.cwd
    if len(words) < 2:
        name = words[0].text.rstrip("/").rpartition("/")[2].rpartition(":")[2] if words else ""
        return _join(call.cwd, name.removesuffix(".git")) if name else ""
    return _join(call.cwd, words[-1].text)


def _join(cwd: str, folder: str) -> str:
    return resolve_path(folder, Standpoint(cwd)) or "" if cwd or folder[:1] == "/" else ""


def is_in_made_folder(call: GitCall, known: CommandReading) -> bool:
    """Whether a call whose folder has no name here works in one that `mktemp` has just made."""
    named = [
        word for option, word in zip(call.command.argv, call.command.argv[1:], strict=False) if option.text == "-C"
    ]
    if named:
        return len(named) == 1 and is_temporary(named[0])
    inside, sure = False, False
    for command in known.script.commands[: call.command.index]:
        if command.name in FOLDER_CHANGERS:
            word = command.argv[1] if len(command.argv) == 2 else Word("")
            inside = is_temporary(word) or (inside and word.known and word.text[:1] not in ("/", "~", "-", "", "."))
            sure = word.text.strip('"').endswith((")", "`")) or is_chained(command, call.command, known)
    return inside and (sure or stops_at_failure(known))


def is_temporary(word: Word) -> bool:
    """Whether a word names a folder that `mktemp` makes in this line, or what is in it."""
    return (
        not word.known
        and word.text.lstrip('"').startswith(("$(" + TEMPORARY, "`" + TEMPORARY))
        and ".." not in word.text
    )
