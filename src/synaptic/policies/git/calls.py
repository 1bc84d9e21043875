"""The calls of git in an event, and the branch that each of them finds checked out."""

from collections.abc import Collection, Iterator

from synaptic.model.event import PreToolUse
from synaptic.model.project import Git
from synaptic.policies.facts import Facts
from synaptic.policies.git.sequence import find_new_branch
from synaptic.shell.programs.git_line import GitCall
from synaptic.shell.read.script import Script

SHELL_TOOLS = ("Bash", "PowerShell")
PROTECTED_BRANCHES = ("main", "master")
NO_REPOSITORY = Git()


def list_calls(event: PreToolUse, facts: Facts, verbs: Collection[str] = ()) -> tuple[GitCall, ...]:
    """Every call of git that would run, without those that only show the manual; none when no call has these verbs."""
    known = facts.command
    if known is None or (verbs and known.git_verbs.isdisjoint(verbs)):
        return ()
    return known.acting_git_calls


def read_event_script(event: PreToolUse, facts: Facts) -> Script:
    """The whole command of the event."""
    return facts.command.script if facts.command else Script("")


def iter_with_branches(event: PreToolUse, facts: Facts, verbs: Collection[str] = ()) -> Iterator[tuple[GitCall, str]]:
    """Each call with the branch it finds; `git checkout -b x` in front of it counts. Empty: not known."""
    branches: dict[str, str] = {}
    for call in list_calls(event, facts, verbs):
        yield call, branches.get(call.cwd, find_repository(call, facts).branch)
        moved = find_new_branch(call)
        if moved:
            branches[call.cwd] = moved


def list_guarded_calls(event: PreToolUse, facts: Facts, worktrees: bool, verbs: Collection[str]) -> tuple[GitCall, ...]:
    """The calls whose working tree matters: all of them, or those outside of linked worktrees."""
    found = list_calls(event, facts, verbs)
    return tuple(call for call in found if not find_repository(call, facts).linked) if worktrees else found


def find_repository(call: GitCall, facts: Facts) -> Git:
    """The working tree that a call finds."""
    return facts.repositories.get(call.cwd, NO_REPOSITORY)
