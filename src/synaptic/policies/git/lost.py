"""What a call of git would lose, as far as it is known: the answers to its questions, and what makes it harmless."""

from collections.abc import Iterable
from functools import reduce

import msgspec

from synaptic.model.decision import Kind, Verdict
from synaptic.model.event import PreToolUse
from synaptic.model.loss import UNTRACKED, LostWork, add_losses
from synaptic.model.project import Git
from synaptic.policies.facts import Facts
from synaptic.policies.git.overwritten import DISCARDING_VERBS
from synaptic.policies.git.questions import find_questions
from synaptic.policies.git.sequence import FOLDER_CHANGERS, find_saving, is_chained, names_place, stops_at_failure
from synaptic.policies.reading import get_work_folders, sees_other_files
from synaptic.shell.paths import Standpoint, is_inside, resolve_path
from synaptic.shell.places import PathArea
from synaptic.shell.programs.git_line import GitCall
from synaptic.shell.read.script import Word
from synaptic.shell.reading import CommandReading

NOTHING = LostWork()
NO_REPOSITORY = Git()
MAKING_VERBS = ("clone", "init")
TEMPORARY = "mktemp"
FILE_VERBS = frozenset({"reset", "clean", "apply", "ls-files", "status", *DISCARDING_VERBS} - {"submodule"})
"""Verbs whose losses a stash or a commit keeps."""


def find_loss(call: GitCall, event: PreToolUse, facts: Facts, untracked: bool = False) -> LostWork | None:
    """What a call would lose; None when nobody can know. `untracked`: files that git does not track go as well."""
    known = facts.command
    if known is None:
        return None
    if is_throwaway(call, event, facts):
        return NOTHING
    found = read_answers(call, known, facts)
    notes = {file.note for file in found.files} if found is not None else set()
    # What is hidden from git, or in the way of a commit, is in no stash; what is untracked only in some.
    hides = bool(notes - {"", UNTRACKED})
    saving = find_saving(call, known, untracked or UNTRACKED in notes) if call.verb in FILE_VERBS and not hides else ""
    if not saving or (not _keeps_commits(call) and (saving == "commit" or found is None)):
        return found
    return msgspec.structs.replace(found, files=()) if found is not None else NOTHING


def pick_worst(verdicts: Iterable[Verdict | None]) -> Verdict | None:
    """The refusal among several verdicts, else the first question."""
    found = [verdict for verdict in verdicts if verdict is not None]
    return next((verdict for verdict in found if verdict.kind is Kind.DENY), found[0] if found else None)


def read_answers(call: GitCall, known: CommandReading, facts: Facts) -> LostWork | None:
    """What was found in the repository; None when something that was asked has no answer."""
    answers = [facts.losses.get(question.key) for question in find_questions(call, known)]
    found = [answer for answer in answers if answer is not None]
    return reduce(add_losses, found) if found and len(found) == len(answers) else None


def _keeps_commits(call: GitCall) -> bool:
    """Whether a commit that was just made stays: `git commit -a && git reset --hard HEAD~1` throws it away again."""
    return call.verb != "reset" or all(word.text in ("HEAD", "@") for word in call.given.words)


def is_throwaway(call: GitCall, event: PreToolUse, facts: Facts) -> bool:
    """Whether the repository was made by the same command, or lies where everything may go."""
    known = facts.command
    if known is None or sees_other_files(call.command) or names_place(call, known):
        return False
    if not call.cwd:
        return _is_in_made_folder(call, known)
    if call.cwd not in facts.repositories:
        return False
    found = facts.repositories[call.cwd]
    if found.missing and _is_made_here(call, known, facts) and _is_reached(call, known, facts):
        return True
    if found.is_known:
        return all(_is_scratch(folder, event, facts) for folder in (found.top, found.main) if folder)
    return _is_scratch(call.cwd, event, facts) and (not found.missing or _is_reached(call, known, facts))


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
    return not moves or stops_at_failure(known) or is_chained(moves[-1], call.command, known)


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


def _is_in_made_folder(call: GitCall, known: CommandReading) -> bool:
    """Whether a call whose folder has no name here works in one that `mktemp` has just made."""
    named = [
        word for option, word in zip(call.command.argv, call.command.argv[1:], strict=False) if option.text == "-C"
    ]
    if named:
        return len(named) == 1 and _is_temporary(named[0])
    inside, sure = False, False
    for command in known.script.commands[: call.command.index]:
        if command.name in FOLDER_CHANGERS:
            word = command.argv[1] if len(command.argv) == 2 else Word("")
            inside = _is_temporary(word) or (inside and word.known and word.text[:1] not in ("/", "~", "-", "", "."))
            sure = word.text.strip('"').endswith((")", "`")) or is_chained(command, call.command, known)
    return inside and (sure or stops_at_failure(known))


def _is_temporary(word: Word) -> bool:
    return (
        not word.known
        and word.text.lstrip('"').startswith(("$(" + TEMPORARY, "`" + TEMPORARY))
        and ".." not in word.text
    )
