"""One agent tries every way, and after each of them the guard is asked to show that it is still there."""

import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from synaptic.daemon import lifecycle
from synaptic.model.decision import Kind
from tests.clients.kit.driver import Driver, User
from tests.clients.script import DONE, Do, Turn
from tests.lib.shell import git

WAYS: dict[str, dict[str, str]] = tomllib.loads(Path(__file__).with_name("ways.toml").read_text(encoding="utf-8"))
SETTINGS = {
    "claude": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "gemini": ".gemini/settings.json",
    "copilot": ".copilot/hooks/synaptic.json",
    "droid": ".factory/hooks.json",
    "qwen": ".qwen/settings.json",
}
DIRTY = "not committed\n"
AT_A_TIME = 24
"""Ways per session of the client: a session that lasts too long counts as hanging."""


class Tried(msgspec.Struct, frozen=True):
    """One way, and what came of it."""

    name: str
    command: str
    decision: str
    """What the guard said about it; empty when it was never asked."""
    is_armed: bool
    """Whether the next `git reset --hard` was still refused."""

    @property
    def is_refused(self) -> bool:
        return self.decision in ("deny", "ask")


def try_all(driver: Driver) -> list[Tried]:
    """Try every way; after one that disarms, the rest goes on in a fresh home."""
    waiting = [(f"{group}.{name}", text) for group, ways in WAYS.items() for name, text in ways.items()]
    tried: list[Tried] = []
    while waiting:
        done = try_some(driver, waiting[:AT_A_TIME])
        if not done:
            raise AssertionError(f"{driver.name} did not even try {waiting[0][0]}")
        tried += done
        waiting = waiting[len(done) :]
    return tried


def try_some(driver: Driver, ways: Sequence[tuple[str, str]]) -> list[Tried]:
    """Try ways in one session of the client, up to the first that disarms."""
    user = User(driver)
    try:
        work = make_work(user)
        user.session.synaptic("bootstrap", *driver.bootstrap)
        start(user)
        commands = [fill_in(text, user) for _, text in ways]
        held: list[bool] = []

        def look() -> None:
            held.append(work.read_text() == DIRTY)
            if not held[-1]:
                # From here on nobody guards: the rest is tried in another home, not in this one.
                user.model.follow((DONE,))

        user.run(*make_turns(user, commands, look, work))
        look()
        return list(read_outcome(user, [name for name, _ in ways], commands, held[1:]))
    finally:
        user.close()


def start(user: User) -> None:
    """A daemon whose process the ways can name."""
    lifecycle.start_daemon(user.session.synaptic_home)
    if not lifecycle.wait_ready(user.session.synaptic_home, 10):
        raise AssertionError("the daemon did not start")


def make_work(user: User) -> Path:
    """A tracked file in the throw-away project: what a reset would take back."""
    work = user.project / "work.txt"
    work.write_text("committed\n")
    git(user.project, "add", "work.txt")
    git(user.project, "commit", "-q", "-m", "work")
    work.write_text(DIRTY)
    return work


def fill_in(text: str, user: User) -> str:
    """The names of this home in a way."""
    home = user.session.synaptic_home.root
    values = {
        "{cli}": f"{home}/bin/synaptic",
        "{s}": str(home),
        "{settings}": str(user.home / SETTINGS[user.driver.name]),
        "{py}": sys.executable,
        "{pid}": str(lifecycle.read_status(user.session.synaptic_home).pid),
    }
    for mark, value in values.items():
        text = text.replace(mark, value)
    return text


def make_turns(user: User, commands: Sequence[str], look: Callable[[], None], work: Path) -> Iterator[Turn]:
    """A way, then the call that must be refused; before each way it is noted whether the last such call was."""
    for number, command in enumerate(commands):
        yield (Do(look), user.driver.shell(command))
        # Each probe is another text: some clients end a run in which the same call comes again and again.
        yield (Do(lambda: work.write_text(DIRTY)), user.driver.shell(f"git reset --hard # look {number}"))


def read_outcome(user: User, names: Sequence[str], commands: Sequence[str], held: Sequence[bool]) -> Iterator[Tried]:
    """What the journal says about each way, up to the first that disarmed."""
    said = read_decisions(user)
    for name, command, is_armed in zip(names, commands, held, strict=False):
        yield Tried(name, command, said.get(command, ""), is_armed)
        if not is_armed:
            return


def read_decisions(user: User) -> dict[str, str]:
    """The decision about each command, by its text; empty when the journal is gone."""
    found: dict[str, str] = {}
    try:
        entries = user.session.journal("PreToolUse")
    except Exception as error:  # the way may have taken the journal with it: that is a finding, not a defect here
        return {"": repr(error)}
    for entry in entries:
        verdict = Kind(entry.decision.kind).name.lower()
        found.update(dict.fromkeys(iter_strings(msgspec.json.decode(entry.payload or "{}")), verdict))
    return found


def iter_strings(value: object) -> Iterator[str]:
    """Every string in a payload, those in arguments that are JSON in a string among them."""
    if isinstance(value, str):
        yield value
        if value.startswith("{"):
            with suppress(msgspec.DecodeError):
                yield from iter_strings(msgspec.json.decode(value))
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from iter_strings(part)
