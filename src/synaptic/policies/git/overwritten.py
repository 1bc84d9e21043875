"""Which files of the working tree a call of git writes over, read from its words alone."""

import re

from synaptic.shell.book.arguments import Arguments
from synaptic.shell.programs.git_line import GitCall
from synaptic.shell.read.script import Word

NEW_BRANCH = ("b", "B", "orphan")
CONFLICT = ("ours", "theirs", "merge", "conflict")
FILE_NAME = re.compile(r"(?:^|[^\d])\.[A-Za-z][A-Za-z0-9]{0,5}$")
"""`parser.py`, not `v1.x`: a name with an extension is a file, a version is a branch or a tag."""
WHOLE_TREE = ("", ".", "./", "*", ":/", "/", "..", "../")
RESET_MODES = ("hard", "merge", "keep", "mixed", "soft")
FALSE_VALUES = ("false", "no", "off", "0", "")


def find_losing_mode(call: GitCall) -> str:
    """The mode of a reset that loses something; a verb that cannot be known counts when `--hard` stands behind it."""
    # `git $X --hard`: the option belongs to no other verb.
    if not call.verb:
        return "hard" if any(word.text == "--hard" for word in call.args) else ""
    mode = call.given.find_last(*RESET_MODES) if call.verb == "reset" else ""
    return mode if mode in ("hard", "merge") else ""


def deletes_untracked(call: GitCall) -> bool:
    """Whether a `git clean` deletes something."""
    if call.verb != "clean" or call.given.has("dry-run"):
        return False
    unforced = (call.settings.get("clean.requireforce", "true") or "true").lower() in FALSE_VALUES
    # Interactive mode deletes without a person only if a pipe or a here-document answers its questions.
    answered = bool(call.command.stages) or call.command.stdin is not None
    return unforced or call.given.has("force") or (call.given.has("interactive") and answered)


def find_overwritten(call: GitCall) -> tuple[Word, ...] | None:
    """What is overwritten: nothing named means everything; None when nothing is."""
    looks = DISCARDING_VERBS.get(call.verb)
    return looks(call.given) if looks is not None else None


def _read_checkout(given: Arguments) -> tuple[Word, ...] | None:
    if given.has("force"):
        return ()
    if given.has(*NEW_BRANCH) or (given.has(*CONFLICT) and not given.has("patch")):
        return None
    # Which files are meant is in a file or in answers typed later: counts as everything.
    if given.has("pathspec-from-file", "patch"):
        return ()
    if given.dashes:
        return given.behind or None
    if len(given.words) > 1 and not given.has("track", "detach"):
        return given.words[1:]
    return given.words if given.words and _looks_like_file(given.words[0]) else None


def _looks_like_file(word: Word) -> bool:
    text = word.text
    return (
        text in WHOLE_TREE
        or text.endswith("/")
        or word.glob
        or text.startswith(("./", "../", ":/", ":("))
        or (FILE_NAME.search(text) is not None)
    )


def _read_switch(given: Arguments) -> tuple[Word, ...] | None:
    return () if given.has("force", "discard-changes") else None


def _read_restore(given: Arguments) -> tuple[Word, ...] | None:
    if given.has("staged") and not given.has("worktree"):
        return None
    if given.has(*CONFLICT) and not given.has("source"):
        return None
    if given.has("pathspec-from-file", "patch", "worktree"):
        return given.operands
    return given.operands or None


def _read_rm(given: Arguments) -> tuple[Word, ...] | None:
    """Tracked files come back from the last commit, their changes do not; unseen, only sweeping ones are refused."""
    forced = list_forced_removals(given)
    wide = tuple(word for word in forced if word.text in WHOLE_TREE or word.glob)
    return wide or None


def list_forced_removals(given: Arguments) -> tuple[Word, ...]:
    """What a `git rm` deletes whatever has been changed in it."""
    return given.operands if given.has("force") and not given.has("cached", "dry-run") else ()


def _read_checkout_index(given: Arguments) -> tuple[Word, ...] | None:
    return () if given.has("f", "force") else None


def _read_read_tree(given: Arguments) -> tuple[Word, ...] | None:
    return () if given.has("reset") and given.has("u") else None


def _read_submodule(given: Arguments) -> tuple[Word, ...] | None:
    verb = given.words[0].text if given.words else ""
    return () if verb in ("update", "deinit") and given.has("f", "force") else None


DISCARDING_VERBS = {
    "checkout": _read_checkout,
    "switch": _read_switch,
    "restore": _read_restore,
    "rm": _read_rm,
    "checkout-index": _read_checkout_index,
    "read-tree": _read_read_tree,
    "submodule": _read_submodule,
}
