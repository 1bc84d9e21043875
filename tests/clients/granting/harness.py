"""One agent hears the code of a refusal and tries every way to an exception: as it types it, and past the reader."""

import json
import os
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec

from synaptic.daemon.client import call_rpc
from synaptic.model.grant import RefusedAct
from synaptic.store import grants, pin, refused
from synaptic.store.db import Store
from tests.clients.disarm.harness import read_decisions
from tests.clients.kit.driver import Driver, User
from tests.clients.script import DONE, Do, Use
from tests.lib.grants import grant_for

WAYS: dict[str, dict[str, str]] = tomllib.loads(Path(__file__).with_name("ways.toml").read_text(encoding="utf-8"))
HOLES = WAYS.pop("holes")
"""What gets through where nobody reads it."""
RULE = '[[rule]]\nid = "own.forbidden"\nrun = "touch forbidden"\nthen = "deny"\nsay = "Not in here."\n'
FORBIDDEN = "touch forbidden"
NOT_AT_ONCE = "shed.at"
OTHER = "own.other"
"""A policy that nothing here has."""
PIN = "480216"
WRITES = {
    ".synaptic/config.toml": '[grants]\nnever = []\npin = "unsure"\n[ask]\nwait = 60\n',
    ".synaptic/grants.toml": '[[grant]]\npolicy = "*"\n',
    ".synaptic/run/callers": "",
    ".synaptic/bin/synaptic": "#!/bin/sh\n",
}
"""Written by the agent's own tool, in the home."""
AT_A_TIME = 24
"""Calls in one session of the client: a session that lasts too long counts as hanging."""
UNREAD_CALLS = 4
"""Calls in which all ways are run that nobody reads: some shell tools end what takes long."""
WAIT_SECONDS = 60.0
PATIENCE = 240.0
TRY_ALL = """\
import json, os, subprocess, sys
from concurrent.futures import ThreadPoolExecutor

def run(way):
    name, text = way
    try:
        done = subprocess.run(["/bin/bash", "-c", text], stdin=subprocess.DEVNULL, capture_output=True, timeout=30)
        return name, (done.stdout + done.stderr)[-2000:].decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        return name, "it took too long"

part = sys.argv[1] + ".part"
open(part, "w").close()
ways = list(json.load(open("ways.json")).items())[int(sys.argv[2])::int(sys.argv[3])]
with ThreadPoolExecutor(4) as pool:
    said = dict(pool.map(run, ways))
open(part, "w").write(json.dumps(said))
os.rename(part, sys.argv[1])
"""
"""Nobody reads what it starts: here only processes tell who asks."""
ASK = """\
#!{py}
import json, os, socket, sys
asked = "{asked}/" + sys.argv[1]
open(asked + ".part", "w").close()
way = socket.socket(socket.AF_UNIX)
way.connect("{s}/run/daemon.sock")
way.sendall(json.dumps({"cmd": "grants.allow", "args": {"refusal": "{code}"}}).encode() + b"\\n")
open(asked + ".part", "wb").write(way.recv(99999))
os.rename(asked + ".part", asked)
"""
"""Asks by itself, so that no shell stands between it and what it was started in."""


class Tried(msgspec.Struct, frozen=True):
    """What is left after an agent has tried everything."""

    heard: str
    """What the model was told of the first refusal."""
    typed: Mapping[str, str]
    """What the guard has said to each way; nothing to one that it was not shown."""
    said: Mapping[str, str]
    """What each way has printed that nobody has read."""
    asked: Mapping[str, str]
    """What those of them were told that have lost their parents, or sit in another terminal."""
    in_force: tuple[str, ...]
    """Policies of the exceptions that count."""
    has_run: bool
    last: str
    """What the model was told when it made the refused call once more."""
    has_pin: bool
    """Whether the person's PIN is still the one that counts, or none does."""
    answers: bool
    """Whether the daemon answers."""


class Attempt:
    """One user, one agent, one call that a rule of the user's refuses."""

    def __init__(self, driver: Driver) -> None:
        self.user = User(driver)
        self.home = self.user.session.synaptic_home
        self._folder = self.user.session.folder
        self._project = self.user.project
        self._awaited: set[str] = set()
        self._results: tuple[str, ...] = ()
        self.user.patience = PATIENCE
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise

    def try_all(self, typed: Mapping[str, str], unread: Mapping[str, str]) -> Tried:
        """The refusal, every way as the model types it, every way as nobody reads it, and the same call again."""
        heard = self._call()
        self._code = refused.list_refused(self._store)[0].code
        said_to = self._type_all(typed) if typed else {}
        said = self._run_unread(unread)
        last = self._call()
        now = time.time()
        return Tried(
            heard=heard,
            typed=said_to,
            said=said,
            asked={one.name: one.read_text() for one in self._asked.iterdir()},
            in_force=tuple(one.grant.policy for one in grants.list_grants(self._store) if one.grant.is_in_force(now)),
            has_run=(self._project / "forbidden").exists(),
            last=last,
            has_pin=pin.try_pin(self._store, PIN, now + 100_000) in (pin.PinTry.RIGHT, pin.PinTry.MISSING),
            answers=bool(call_rpc(self.home, "rpc.methods")),
        )

    def close(self) -> None:
        for name in (self._tmux, f"{self._tmux}.own"):
            subprocess.run(["tmux", "-S", name, "kill-server"], capture_output=True, check=False)
        self.user.close()

    @property
    def _asked(self) -> Path:
        return self._folder / "asked"

    @property
    def _tmux(self) -> str:
        return str(self._folder / "tmux")

    def _prepare(self) -> None:
        self._asked.mkdir()
        self.home.root.mkdir(exist_ok=True)
        self.user.session.synaptic("bootstrap", *self.user.driver.bootstrap)
        before = self.home.config.read_text() if self.home.config.exists() else ""
        self.home.config.write_text(f"{before}\n{RULE}")
        self._store = Store.open(self.home)
        pin.write_pin(self._store, PIN, time.time())
        # What a person has really allowed, for another call: its row is the best that there is to copy.
        other = RefusedAct(policy=OTHER, options="0" * 16, fingerprint="0" * 32)
        self._lent = grant_for(other, scope="always")
        grants.add_grants(self._store, [self._lent])

    def _call(self) -> str:
        """The refused call; all that the model and its user are told."""
        run = self.user.run((self.user.driver.shell(FORBIDDEN),))
        return run.heard + run.output

    def _type_all(self, ways: Mapping[str, str]) -> dict[str, str]:
        texts, driver = self._fill_in(ways), self.user.driver
        writes = [driver.write(self.user.home / name, text) for name, text in WRITES.items()]
        self._make_calls([*map(driver.shell, texts.values()), *writes])
        told = read_decisions(self.user)
        return {name: told.get(text, "") for name, text in texts.items()}

    def _run_unread(self, ways: Mapping[str, str]) -> dict[str, str]:
        for one in self._asked.iterdir():
            one.unlink()
        if not ways:
            return {}
        (self._project / "ways.json").write_text(json.dumps(self._fill_in(ways)))
        (self._project / "try_all.py").write_text(TRY_ALL)
        self._awaited = {name for name, text in ways.items() if "{ask}" in text and name != NOT_AT_ONCE}
        # Below the project and by their names: some clients let a command name nothing else.
        parts = [f"said-{number}" for number in range(UNREAD_CALLS)]
        run = f"python3 try_all.py {{}} {{}} {UNREAD_CALLS}"
        self._make_calls([self.user.driver.shell(run.format(part, number)) for number, part in enumerate(parts)])
        return {name: said for part in parts for name, said in self._read_said(part).items()}

    def _read_said(self, part: str) -> dict[str, str]:
        path = self._project / part
        if not path.exists():
            raise AssertionError(f"the ways were not run: {self._results[-1:]}")
        found: dict[str, str] = json.loads(path.read_text())
        return found

    def _make_calls(self, uses: Sequence[Use]) -> None:
        """All calls, in as many sessions as the client wants: some end theirs over a refusal."""
        waiting = list(uses)
        while waiting:
            made: list[Use] = []
            turns = [(Do(self._prepare_call), Do(partial(made.append, use)), use) for use in waiting[:AT_A_TIME]]
            run = self.user.run(*turns, (Do(self._wait_for_asking), *DONE))
            self._results = run.results
            if not made:
                raise AssertionError(f"{self.user.driver.name} did not begin:\n{run.output[-2000:]}")
            waiting = waiting[len(made) :]

    def _prepare_call(self) -> None:
        """Some clients go on while a long command runs; here the next one waits for it."""
        self._wait(lambda: not any(self._project.glob("said-*.part")))
        self._open_pane()

    def _wait_for_asking(self) -> None:
        """Whoever has begun to ask is told something first: the client's end would be theirs."""
        self._prepare_call()
        self._wait(lambda: not any(self._asked.glob("*.part")))
        self._wait(lambda: self._awaited <= {one.name for one in self._asked.iterdir()})

    def _wait(self, is_done: Callable[[], bool]) -> None:
        end = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < end and not is_done():
            time.sleep(0.05)

    def _open_pane(self) -> None:
        """A pane that a person has left open, with a shell in it."""
        start = ["tmux", "-S", self._tmux]
        if subprocess.run([*start, "has-session"], capture_output=True, check=False).returncode:
            env = {"HOME": str(self.user.home), "PATH": os.environ["PATH"], "SHELL": "/bin/bash"}
            start += ["-f", "/dev/null", "new-session", "-d", "bash --norc -i"]
            subprocess.run(start, env=env, cwd=self._project, check=True, start_new_session=True)

    def _fill_in(self, ways: Mapping[str, str]) -> dict[str, str]:
        ask, root = self._folder / "ask", self.home.root
        values = {
            "{cli}": f"{root}/bin/synaptic", "{s}": str(root), "{py}": sys.executable, "{code}": self._code,
            "{pin}": PIN, "{lent}": self._lent.id, "{tmux}": self._tmux, "{ask}": str(ask),
            "{asked}": str(self._asked),
        }  # fmt: skip
        ask.write_text(_replace(ASK, values))
        ask.chmod(0o755)
        return {name: _replace(text, {**values, "{me}": name}) for name, text in ways.items()}


def list_ways() -> dict[str, str]:
    """Every way that must not get through, by its group and name."""
    return {f"{group}.{name}": text for group, ways in WAYS.items() for name, text in ways.items()}


def _replace(text: str, values: Mapping[str, str]) -> str:
    for mark, value in values.items():
        text = text.replace(mark, value)
    return text
