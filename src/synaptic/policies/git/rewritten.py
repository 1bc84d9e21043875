"""Calls of git that destroy history or the way back to it, read from their words alone."""

import re

from synaptic.shell.programs.git_line import GitCall

GRACE = re.compile(
    r"never|false|yesterday|\d+[. ]?(?:day|week|month|year)s?(?:[. ]ago)?|(?:19\d|20[0-2])\d[-/.].*", re.IGNORECASE
)
"""Points in time that leave at least a day to notice the loss."""
DELETION = re.compile(r"^(?:option \S+\n)?delete[ \0]", re.MULTILINE)


def rewrites_history(call: GitCall) -> bool:
    """Whether commits, or what still leads to them, are gone after a call."""
    looks = REWRITING_VERBS.get(call.verb)
    return looks is not None and looks(call)


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


REWRITING_VERBS = {
    "gc": _is_losing_gc,
    "prune": _is_losing_prune,
    "reflog": _is_losing_reflog,
    "update-ref": _is_ref_deletion,
    "symbolic-ref": lambda call: call.given.has("delete"),
    "filter-branch": lambda call: True,
    "filter-repo": _is_history_filter,
    "lfs": _is_lfs_rewrite,
}
