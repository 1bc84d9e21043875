"""Deletion of files that git does not track."""

from synaptic.model.decision import Verdict, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.git.calls import SHELL_TOOLS, list_guarded_calls
from synaptic.shell.programs.git_line import GitCall

FALSE_VALUES = ("false", "no", "off", "0", "")


class Clean(Policy):
    """Deleting untracked files.

    ## What it does
    Denies `git clean` with `-f` in any spelling, and with `clean.requireForce` switched off. A dry run (`-n`) is free.
    ## Why
    Untracked files are in no commit: new source, notes and local settings are deleted for good.
    ## Known gaps
    `clean.requireForce` in the user's own git configuration is not known. `git clean -i` is only seen when something
    answers its questions through a pipe.
    """

    id = "git.clean"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = frozenset({"git clean"})
    priority = 22
    preset = "essentials"
    needs = ("repositories",)

    worktrees: bool = False
    """Leave linked worktrees alone: for users who treat them as disposable."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        if not any(map(_deletes_untracked, list_guarded_calls(event, facts, self.worktrees, ("clean",)))):
            return None
        return deny(
            "`git clean` deletes untracked files for good. List them with `git clean -nd` and delete single files by "
            "name, or put them aside with `git stash push -u`."
        )


def _deletes_untracked(call: GitCall) -> bool:
    if call.verb != "clean" or call.given.has("dry-run"):
        return False
    unforced = (call.settings.get("clean.requireforce", "true") or "true").lower() in FALSE_VALUES
    # Interactive mode deletes without a person only if a pipe or a here-document answers its questions.
    answered = bool(call.command.stages) or call.command.stdin is not None
    return unforced or call.given.has("force") or (call.given.has("interactive") and answered)
