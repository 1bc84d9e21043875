"""Pushes that overwrite a remote branch."""

from typing import Annotated

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import MORE, ON, Policy
from synaptic.policies.facts import Facts
from synaptic.policies.git.calls import PROTECTED_BRANCHES, SHELL_TOOLS, iter_with_branches, read_event_script
from synaptic.policies.git.lease import find_hopeless_lease, is_free_push
from synaptic.policies.git.made_remotes import goes_to_throwaway
from synaptic.policies.git.push import Push, find_protected, read_push
from synaptic.policies.reading import rewrite_command
from synaptic.shell.read.script import Command, Script, Word

LEASE = "--force-with-lease"
MAX_EDITS = 64
"""A command with more forced pushes than this is refused instead of rewritten."""
ScriptEdit = tuple[Word | Command, str]


class ForcePush(Policy):
    """Rewriting a remote branch with a forced push.

    ## What it does
    Turns `git push --force`, `-f` and `+branch` into `--force-with-lease`; denies them on a protected branch, named or
    checked out, and for all branches at once (`--mirror`, `--all`). Asks where a lease can only fail, because nothing
    here says what is there: for an address, a tag, and a branch that was never fetched from its remote. A push that
    has only `--force-with-lease` is free, and so is one that only deletes (`git.remote-deletion` asks about it), and
    one to a repository in a scratch folder, or one that the same line makes where none was (`git init --bare up.git &&
    git clone up.git c && cd c && ...`).
    ## Why
    A forced push discards commits that others may already build on. With a lease it is refused when the remote has
    commits that were never fetched.
    ## Known gaps
    Aliases in the user's own git configuration and `push.default` are not known. A lease cannot help right after a
    fetch whose commits nobody looked at.
    """

    id = "git.force-push"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = frozenset({"git push"})
    priority = 35
    preset = "essentials"
    needs = ("repositories", "tracking")

    protected: Annotated[tuple[str, ...], MORE] = PROTECTED_BRANCHES
    """Branches that are never force-pushed; patterns such as `release/*` are fine."""
    leased: Annotated[bool, ON] = False
    """Refuse `--force-with-lease` to a protected branch as well."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        pushes = [
            push for call, branch in iter_with_branches(event, facts, ("push",)) if (push := read_push(call, branch))
        ]
        # Refused before anything is rewritten: one protected branch is enough to stop the whole command.
        if refused := next(filter(None, (self._find_refused_branch(push, event, facts) for push in pushes)), ""):
            what = "every branch of the remote" if "*" in refused else f"`{refused}`"
            return deny(
                f"This overwrites {what}, which others build on. Push a branch of its own "
                "(`git push origin HEAD:<new-branch>`) and open a pull request, or undo with `git revert`."
            )
        forced = [push for push in pushes if push.force_flags or push.plus_refspecs]
        for push in forced:
            if reason := find_hopeless_lease(push, event, facts):
                return ask(reason)
        text = read_event_script(event, facts)
        leased = (push for push in forced if not is_free_push(push, event, facts))
        edits = [edit for push in leased for edit in _list_edits(push, text)]
        return _rewrite_pushes(event, text, edits) if edits else None

    def _find_refused_branch(self, push: Push, event: PreToolUse, facts: Facts) -> str:
        """The protected branch that would be overwritten, of a repository that has something to lose."""
        name = self._find_protected_target(push)
        return name if name and not goes_to_throwaway(push, event, facts) else ""

    def _find_protected_target(self, push: Push) -> str:
        if push.given.has("mirror"):
            return "*"
        if push.force_flags or (self.leased and push.given.has("force-with-lease")):
            return find_protected(push.targets, self.protected)
        pairs = zip(push.refspecs, push.targets, strict=False)
        return find_protected((name for word, name in pairs if word.text[:1] == "+"), self.protected)


def _rewrite_pushes(event: PreToolUse, text: Script, edits: list[ScriptEdit]) -> Verdict:
    command = text.replace_all(edits) if len(edits) <= MAX_EDITS else None
    if command is None:
        return deny(f"This overwrites a remote branch without looking. Write the push out, with `{LEASE}` instead.")
    return rewrite_command(
        event,
        command,
        f"Pushing with `{LEASE}` instead of a plain force: it is refused if the remote has commits not fetched here.",
    )


def _list_edits(push: Push, text: Script) -> list[ScriptEdit]:
    """A lease in the place of each force, and no plus sign in front of a refspec."""
    edits: list[ScriptEdit] = [(flag.word, _to_lease(flag.word.text)) for flag in push.force_flags]
    plain = [(word, _strip_plus(word, text)) for word in push.plus_refspecs]
    # The plus sign was the force; without it the push needs a lease to still do what was meant.
    if plain and not edits and not push.given.has("force-with-lease"):
        edits.append((push.call.place or Word("push"), f"push {LEASE}"))
    return edits + plain


def _to_lease(flag: str) -> str:
    """`--force` and `-f` become the lease, `-uf` becomes `-u` and the lease."""
    others = flag[1:].replace("f", "") if flag[:2] != "--" else ""
    return f"-{others} {LEASE}" if others else LEASE


def _strip_plus(word: Word, text: Script) -> str:
    # As it is written: quotes around the refspec have to stay.
    written = text.text[slice(*word.span)] if word.span else word.text
    return written.replace("+", "", 1)
