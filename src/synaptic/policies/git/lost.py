"""What a call of git would lose, as far as it is known: the answers to its questions, and what makes it harmless."""

from collections.abc import Iterable
from functools import reduce

import msgspec

from synaptic.model.decision import Kind, Verdict
from synaptic.model.event import PreToolUse
from synaptic.model.loss import UNTRACKED, LostWork, add_losses
from synaptic.policies.facts import Facts
from synaptic.policies.git.indirect import INDIRECT_VERBS
from synaptic.policies.git.made_here import is_throwaway
from synaptic.policies.git.overwritten import DISCARDING_VERBS
from synaptic.policies.git.printed import PRINTING_VERBS
from synaptic.policies.git.questions import find_questions
from synaptic.policies.git.sequence import find_saving
from synaptic.shell.programs.git_line import GitCall
from synaptic.shell.reading import CommandReading

NOTHING = LostWork()
FILE_VERBS = frozenset({"reset", "clean", *INDIRECT_VERBS, *PRINTING_VERBS, *DISCARDING_VERBS} - {"submodule"})
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
