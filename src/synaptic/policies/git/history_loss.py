"""Commands that rewrite history or delete the reflog."""

import re

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.git.calls import SHELL_TOOLS, list_calls
from synaptic.shell.programs.git_line import GitCall

GRACE = re.compile(
    r"never|false|yesterday|\d+[. ]?(?:day|week|month|year)s?(?:[. ]ago)?|(?:19\d|20[0-2])\d[-/.].*", re.IGNORECASE
)
"""Points in time that leave at least a day to notice the loss."""
EDITORS = ("GIT_SEQUENCE_EDITOR", "GIT_EDITOR", "EDITOR", "VISUAL")
DROPS_ALL = re.compile(
    r"(?:^|[\s'\";])(?:\d+,[$\d]+\s*)?"
    r"(?:s(?P<sign>[/|#,@])\^?(?:pick|p\w*)\\?\w?(?P=sign)d(?:rop)?(?P=sign)|/\^?pick ?/\s*d\b)"
)
"""Lines for `sed` that turn every `pick` into a `drop`; one line, or the line of one commit, has more to say."""
DELETION = re.compile(r"^(?:option \S+\n)?delete[ \0]", re.MULTILINE)


class HistoryLoss(Policy):
    """Rewriting history, or deleting commits that only the reflog still knows.

    ## What it does
    Denies `git filter-branch`, `git filter-repo`, `git lfs migrate import` and `export`, `git reflog expire` and
    `delete`, `git gc` and `git prune` without days of grace, and `git update-ref -d`. Asks before a rebase whose editor
    drops every commit (`GIT_SEQUENCE_EDITOR="sed -i s/^pick/drop/"`). Dry runs, `git filter-repo --analyze`, `git lfs
    migrate info` and an ordinary `git gc` are free.
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

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        if any(map(_drops_all, list_calls(event, facts, ("rebase",)))):
            return ask(
                "This rebase drops every commit of its list, and only the reflog still knows them then. Name the "
                "commits that may go, or keep them first: `git branch kept`."
            )
        for call in list_calls(event, facts, LOSING_VERBS):
            looks = LOSING_VERBS.get(call.verb)
            if looks is not None and looks(call):
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


def _is_immediate(text: str) -> bool:
    return bool(text) and GRACE.fullmatch(text.strip()) is None


def _is_losing_gc(call: GitCall) -> bool:
    return _is_immediate(call.given.get_value("prune")) or _is_immediate(call.settings.get("gc.pruneexpire") or "")


def _is_losing_prune(call: GitCall) -> bool:
    """Without a date everything that nothing leads to is deleted at once."""
    given = call.given
    return not given.has("dry-run") and (not given.has("expire") or _is_immediate(given.get_value("expire")))


def _is_losing_reflog(call: GitCall) -> bool:
    given = call.given
    verb = given.words[0].text if given.words else ""
    # `git reflog` and `git reflog show` only print.
    return verb in ("expire", "delete", "drop") and not given.has("dry-run")


def _is_ref_deletion(call: GitCall) -> bool:
    given = call.given
    return given.has("d") or (given.has("stdin") and bool(DELETION.search(call.command.stdin or "")))


def _is_history_filter(call: GitCall) -> bool:
    return not call.given.has("analyze", "dry-run")


def _is_lfs_rewrite(call: GitCall) -> bool:
    """Files moved to the large file storage, or back, in every commit."""
    words = [word.text for word in call.given.words[:2]]
    return words in (["migrate", "import"], ["migrate", "export"]) and not call.given.has("no-rewrite")


LOSING_VERBS = {
    "gc": _is_losing_gc,
    "prune": _is_losing_prune,
    "reflog": _is_losing_reflog,
    "update-ref": _is_ref_deletion,
    "symbolic-ref": lambda call: call.given.has("delete"),
    "filter-branch": lambda call: True,
    "filter-repo": _is_history_filter,
    "lfs": _is_lfs_rewrite,
}
