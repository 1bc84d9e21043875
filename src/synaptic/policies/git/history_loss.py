"""Commands that rewrite history or delete the reflog."""

import re

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.git.calls import SHELL_TOOLS, list_calls
from synaptic.policies.git.made_here import is_throwaway
from synaptic.policies.git.rewritten import REWRITING_VERBS, rewrites_history
from synaptic.shell.programs.git_line import GitCall

EDITORS = ("GIT_SEQUENCE_EDITOR", "GIT_EDITOR", "EDITOR", "VISUAL")
DROPS_ALL = re.compile(
    r"(?:^|[\s'\";])(?:\d+,[$\d]+\s*)?"
    r"(?:s(?P<sign>[/|#,@])\^?(?:pick|p\w*)\\?\w?(?P=sign)d(?:rop)?(?P=sign)|/\^?pick ?/\s*d\b)"
)
"""Lines for `sed` that turn every `pick` into a `drop`; one line, or the line of one commit, has more to say."""


class HistoryLoss(Policy):
    """Rewriting history, or deleting commits that only the reflog still knows.

    ## What it does
    Denies `git filter-branch`, `git filter-repo`, `git lfs migrate import` and `export`, `git reflog expire` and
    `delete`, `git gc` and `git prune` without days of grace, and `git update-ref -d`. Asks before a rebase whose editor
    drops every commit (`GIT_SEQUENCE_EDITOR="sed -i s/^pick/drop/"`). Dry runs, `git filter-repo --analyze`, `git lfs
    migrate info` and an ordinary `git gc` are free, and so is a repository that the same line makes where none was, or
    that lies in a scratch folder.
    ## Why
    The reflog is the last way back after every other mistake; without it, lost commits are lost.
    ## Known gaps
    `git repack -ad` is free. What `git update-ref --stdin` reads is only seen when it is written in the command. `git
    rebase` and `git commit --amend` keep the old commits in the reflog and are free, and so is a rebase that drops
    single commits.
    """

    id = "git.history-loss"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = frozenset({"git *"})
    priority = 22
    preset = "essentials"
    needs = ("repositories",)

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        if any(map(_drops_all, list_calls(event, facts, ("rebase",)))):
            return ask(
                "This rebase drops every commit of its list, and only the reflog still knows them then. Name the "
                "commits that may go, or keep them first: `git branch kept`."
            )
        for call in list_calls(event, facts, REWRITING_VERBS):
            if rewrites_history(call) and not is_throwaway(call, event, facts):
                return deny(
                    f"`git {call.verb}` as it is called here destroys history or the way back to it. Keep a copy first "
                    "(`git bundle create ../backup.bundle --all`) and leave this command to the user; a plain `git gc` "
                    "and dry runs (`-n`) are fine."
                )
        return None


def _drops_all(call: GitCall) -> bool:
    """Whether the program that edits the list of a rebase drops all of it, and not the lines of single commits."""
    if call.verb != "rebase":
        return False
    editors = [word.text for name, word in call.command.assignments if name in EDITORS]
    editors += [call.settings.get("sequence.editor") or ""]
    return any(DROPS_ALL.search(text) for text in editors)
