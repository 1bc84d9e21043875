"""The situations that every agent is put into, and what happened in each of them, in a word or two."""

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import msgspec

from synaptic.daemon import lifecycle
from synaptic.store.record import JournalEntry
from tests.clients.kit.driver import Run, User
from tests.clients.script import Do, Turn
from tests.lib.shell import git

POLICY = Path(__file__).with_name("policy.toml")
FORCED = "git push --force origin feature"
LEASED = "git push --force-with-lease origin feature"


class Scene(msgspec.Struct, frozen=True):
    """One call of the model, afterwards."""

    user: User
    run: Run
    told: str
    """The call's result, as the model was told it."""
    entries: tuple[JournalEntry, ...]
    """The call in the journal, before it was made."""

    def exists(self, name: str) -> bool:
        return (self.user.project / name).exists()

    def faults(self) -> set[str]:
        return {step.fault for entry in self.entries for step in entry.decision.trace if step.fault}


class Situation(msgspec.Struct, frozen=True):
    """One call of the model in a long conversation."""

    name: str
    mark: str
    """What only this call says."""
    turn: Callable[[User], Turn]
    judge: Callable[[Scene], str]

    def cell(self, user: User, run: Run, number: int) -> str:
        """What truly happened: on the disk, before the model, and in the journal."""
        entries = tuple(entry for entry in user.session.journal("PreToolUse") if self.mark in (entry.payload or ""))
        told = run.results[number] if number < len(run.results) else ""
        return _journalled(entries, user) or self.judge(Scene(user, run, told, entries))


def _journalled(entries: tuple[JournalEntry, ...], user: User) -> str:
    """What is wrong with the journal."""
    if not entries:
        return "unseen"
    if len(entries) > 1:
        return f"journalled {len(entries)} times"
    others = {entry.agent for entry in entries} - {user.driver.name}
    return f"journalled under {', '.join(others)}" if others else ""


def _shell(command: str) -> Callable[[User], Turn]:
    return lambda user: (user.driver.shell(command),)


def _write(name: str) -> Callable[[User], Turn]:
    return lambda user: (user.driver.write(user.project / name, "alpha\n"),)


def _after_a_kill(command: str) -> Callable[[User], Turn]:
    return lambda user: (Do(lambda: _kill_the_daemon(user)), user.driver.shell(command))


def _kill_the_daemon(user: User) -> None:
    home = user.session.synaptic_home
    lifecycle.start_daemon(home)
    if not lifecycle.wait_ready(home, 10):
        raise AssertionError("the daemon did not start")
    os.kill(lifecycle.read_status(home).pid, signal.SIGKILL)


def _ran(name: str) -> Callable[[Scene], str]:
    return lambda scene: "ran" if scene.exists(name) else "did not run"


def _denied(name: str, reason: str) -> Callable[[Scene], str]:
    def judge(scene: Scene) -> str:
        if scene.exists(name):
            return "ran"
        if reason in scene.told:
            return "denied, told"
        ended = not scene.told and reason in scene.run.output
        return "denied, run ended, user told" if ended else "denied, not told"

    return judge


def _rewritten(scene: Scene) -> str:
    if scene.exists("first"):
        return "ran as it was"
    if scene.exists("second"):
        return "rewritten"
    return "denied, told what to run" if "touch second" in scene.told else "denied, not told"


def _advised(scene: Scene) -> str:
    advice = "the tide turns at noon"
    if not scene.exists("advised"):
        return "did not run"
    if advice not in scene.run.heard:
        return "not told"
    answers = (entry for entry in scene.user.session.journal() if entry.answer and advice in str(entry.answer))
    return f"told on {next((entry.event for entry in answers), 'nothing of ours')}"


def _leased(scene: Scene) -> str:
    remote, here = _head(scene.user.session.folder / "remote.git"), _head(scene.user.project)
    rewritten = any((entry.decision.input or {}).get("command") == LEASED for entry in scene.entries)
    if remote == here:
        return "pushed with a lease" if rewritten else "pushed by force"
    return "denied, told what to run" if LEASED in scene.told else "denied, not told"


def _main_is_safe(scene: Scene) -> str:
    branches = subprocess.run(
        ["git", "branch", "--list", "main"], cwd=_remote(scene.user), check=True, capture_output=True, text=True
    )
    if branches.stdout.strip():
        return "pushed by force"
    return "denied, told" if "pull request" in scene.told else "denied, not told"


def _late(scene: Scene) -> str:
    return f"{_ran('slow-open')(scene)}, {', '.join(sorted(scene.faults())) or 'nothing'} noted"


SITUATIONS = (
    Situation("allow", "touch allowed", _shell("touch allowed"), _ran("allowed")),
    Situation("deny", "forbidden-word-1", _shell("touch forbidden-word-1"), _denied("forbidden-word-1", "that word")),
    Situation("rewrite", "touch first", _shell("touch first"), _rewritten),
    Situation("ask", "touch asked", _shell("touch asked"), _denied("asked", "a person should see this")),
    Situation("advise", "touch advised", _shell("touch advised"), _advised),
    Situation("push --force", FORCED, _shell(FORCED), _leased),
    Situation("... to main", "HEAD:main", _shell("git push --force origin HEAD:main"), _main_is_safe),
    Situation("timeout", "touch slow-open", _shell("touch slow-open"), _late),
    Situation("timeout, strict", "touch slow-shut", _shell("touch slow-shut"), _denied("slow-shut", "slow-and-strict")),
    Situation(
        "daemon killed", "forbidden-word-3", _after_a_kill("touch forbidden-word-3"),
        _denied("forbidden-word-3", "that word"),
    ),
    Situation("deny an edit", "forbidden-word-2", _write("forbidden-word-2"), _denied("forbidden-word-2", "that word")),
)  # fmt: skip
"""In this order: some agent ends its run over a refused edit."""


def arrange(user: User) -> None:
    """The policy file, and a repository whose branch `feature` was amended since it was pushed."""
    registry = user.project / ".synaptic" / "hooks" / "registry.toml"
    registry.parent.mkdir(parents=True)
    registry.write_bytes(POLICY.read_bytes())
    bare = _remote(user)
    bare.mkdir()
    git(bare, "init", "-q", "--bare", "-b", "main")
    git(user.project, "remote", "add", "origin", str(bare))
    git(user.project, "switch", "-q", "-c", "feature")
    git(user.project, "push", "-q", "-u", "origin", "feature")
    git(user.project, "commit", "-q", "--amend", "--allow-empty", "-m", "start again")


def _remote(user: User) -> Path:
    return user.session.folder / "remote.git"


def _head(folder: Path) -> str:
    done = subprocess.run(["git", "rev-parse", "feature"], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()
