"""One user of all agents: one home, one project, one policy file, one journal."""

from contextlib import ExitStack

import msgspec

from tests.clients.kit.agents import driver
from tests.clients.kit.driver import User
from tests.clients.kit.files import changed, files, undone
from tests.clients.kit.replayed import describe_replay
from tests.clients.kit.situation import FORCED, arrange
from tests.lib.shell import git


class Push(msgspec.Struct, frozen=True):
    """A forced push, as the journal has it and as the model was told."""

    agent: str
    decision: str
    runs: str
    """The command that was run instead."""
    told: str


class Everyone(msgspec.Struct, frozen=True):
    """What all agents did, and what is left of us in their settings."""

    pushes: tuple[Push, ...]
    taken_out: str
    replayed: str
    """What became of the whole journal when it was decided again."""


def everyone(agents: tuple[str, ...]) -> Everyone:
    """The same `git push --force` in each agent in turn. Raises NoClient when one of them is not to be had."""
    with ExitStack() as stack:
        users = _users(agents, stack)
        taken_out = _in_and_out(users[0])
        users[0].session.synaptic("bootstrap", "--all", "--trust")
        users[0].session.trust()
        pushes = _journalled(users[0], [_push(user) for user in users])
        return Everyone(pushes, taken_out, describe_replay(users[0].session.synaptic_home))


def _users(agents: tuple[str, ...], stack: ExitStack) -> list[User]:
    first = User(driver(agents[0]))
    stack.callback(first.close)
    arrange(first)
    users = [first]
    for agent in agents[1:]:
        users.append(User(driver(agent), first.session))
        stack.callback(users[-1].model.close)
    return users


def _in_and_out(user: User) -> str:
    """Before any client has run: some of them rewrite their own settings."""
    before = files(user.home)
    user.session.synaptic("bootstrap", "--all", "--trust")
    ours = changed(before, files(user.home))
    user.session.synaptic("down")
    return undone(before, ours, files(user.home))


def _push(user: User) -> str:
    git(user.project, "commit", "-q", "--amend", "--allow-empty", "-m", f"as {user.driver.name} has it")
    (result,) = user.run((user.driver.shell(FORCED),)).results
    return result.replace(f"{user.session.folder}/", "")


def _journalled(user: User, told: list[str]) -> tuple[Push, ...]:
    entries = [entry for entry in user.session.journal("PreToolUse") if FORCED in (entry.payload or "")]
    return tuple(
        Push(entry.agent, entry.decision.kind, str((entry.decision.input or {}).get("command", "")), words)
        for entry, words in zip(entries, told, strict=True)
    )
