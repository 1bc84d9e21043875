"""Where `--force-with-lease` can succeed: it compares what was fetched last with what is there now."""

import re

from synaptic.model.event import PreToolUse
from synaptic.policies.facts import Facts
from synaptic.policies.git.made_remotes import goes_to_throwaway
from synaptic.policies.git.push import Push, shorten_ref
from synaptic.policies.reading import sees_other_files
from synaptic.shell.read.script import Word

ADDRESS = re.compile(r"[\w+.-]+://|[\w.+-]+@[\w.-]+:|[\w-]+(?:\.[\w-]+)+:|\.{0,2}/|~|\.$")
"""`https://h/r`, `git@h:r`, `h.example:r`, `../r`: a place, not the name of a remote."""
TAG_PREFIX = "refs/tags/"


def find_hopeless_lease(push: Push, event: PreToolUse, facts: Facts) -> str:
    """Why a lease can only fail for a forced push, and what to do instead; empty when it may succeed."""
    if is_free_push(push, event, facts):
        return ""
    remote = push.given.operands[0] if push.given.operands else None
    tag = _find_tag(push, facts)
    if tag:
        return (
            f"This moves {tag} on the remote, and whoever fetched it keeps the old one. Make a new tag, or let the "
            "user decide."
        )
    if remote is not None and ADDRESS.match(remote.text):
        return (
            "This overwrites a branch at an address of which nothing is known here, so that a lease cannot protect it. "
            "Look first (`git fetch <address> <branch>`, then `git log HEAD..FETCH_HEAD`), and name what you saw: "
            "`git push --force-with-lease=<branch>:<commit> <address> ...`."
        )
    branch = _find_unknown_branch(push, remote, facts)
    if branch:
        return (
            f"`{branch}` was never fetched here, so that a lease has nothing to compare with. If the branch is new "
            f"there, push without force; if not, type `git fetch {branch.replace('/', ' ', 1)}` first and look at what "
            "it has."
        )
    return ""


def is_free_push(push: Push, event: PreToolUse, facts: Facts) -> bool:
    """Whether a forced push overwrites nothing: it only deletes, or the other repository has nothing to lose."""
    if push.refspecs and all(map(_is_deletion, push.refspecs)):
        return True
    if push.given.has("delete"):
        return True
    return goes_to_throwaway(push, event, facts)


def _is_deletion(word: Word) -> bool:
    return word.text.lstrip("+")[:1] == ":" and len(word.text.lstrip("+")) > 1


def _find_tag(push: Push, facts: Facts) -> str:
    """A tag that is overwritten."""
    if push.given.has("tags"):
        return "every tag that differs"
    known = facts.tracking.get(push.call.cwd)
    forced = push.refspecs if push.force_flags else push.plus_refspecs
    for word in forced:
        name = word.text.lstrip("+").rpartition(":")[2]
        if name.startswith(TAG_PREFIX):
            return f"the tag `{name.removeprefix(TAG_PREFIX)}`"
        if known is not None and name in known.tags and not any(at.endswith(f"/{name}") for at in known.branches):
            return f"the tag `{name}`"
    return ""


def _find_unknown_branch(push: Push, remote: Word | None, facts: Facts) -> str:
    """A branch of a remote of which nothing is known; empty also where the remotes themselves are not known."""
    known = facts.tracking.get(push.call.cwd)
    if known is None or sees_other_files(push.call.command):
        return ""
    names = [name for name in (remote.text,) if remote is not None and name in known.remotes] if remote else []
    if remote is None:
        names = sorted(known.remotes)
    if not names:
        return ""
    for target in push.targets:
        if (
            target
            and "*" not in target
            and "$" not in target
            and not any(f"{at}/{target}" in known.branches for at in names)
        ):
            return f"{names[0]}/{shorten_ref(target)}"
    return ""
