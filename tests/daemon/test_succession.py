"""Other code on disk: a successor takes over, nobody is left unanswered, and what cannot be started changes nothing."""

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

import synaptic
from synaptic.daemon import client, lifecycle
from synaptic.daemon.client import call_rpc
from synaptic.model.home import Home
from synaptic.setup import dispatcher
from synaptic.store.db import Store
from tests.daemon.setting import Setting

PACKAGE = Path(synaptic.__file__).parent
NEEDED = Path(msgspec.__file__).parent.parent
AGENTS = 20
RESET = {"tool_name": "Bash", "tool_input": {"command": "git reset --hard HEAD~3"}}
"""Only a payload: nothing here runs it."""
POLICY = "policies/git/reset_hard.py"
SETUP = "from pathlib import Path; from synaptic.model.home import Home; from synaptic.setup import dispatcher; "


class Clone(Setting):
    """A checkout of the engine of its own, whose files can be edited, and a home that was set up by it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.source = folder / "clone" / "src"
        shutil.copytree(PACKAGE, self.source / "synaptic", ignore=shutil.ignore_patterns("__pycache__"))
        paths = f"import sys; sys.path[:0] = [{str(self.source)!r}, {str(NEEDED)!r}]; "
        code = f"{paths}{SETUP} dispatcher.install_dispatcher(Home(Path({str(self.home.root)!r})))"
        subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True)

    def file(self, name: str) -> Path:
        return self.source / "synaptic" / name

    def edit(self, name: str, old: str, new: str) -> None:
        text = self.file(name).read_text()
        assert old in text
        self.file(name).write_text(text.replace(old, new))

    @property
    def pid(self) -> int:
        return lifecycle.read_status(self.home).pid

    def wait_replaced(self, pid: int) -> bool:
        return self.wait_for(lambda: self.pid not in (0, pid) and client.is_responding(self.home))

    def ask(self) -> str:
        done = self.dispatch("PreToolUse", self.payload(**RESET))
        return json.loads(done.stdout)["hookSpecificOutput"]["permissionDecisionReason"]


@pytest.fixture
def clone(tmp_path: Path) -> Iterator[Clone]:
    if dispatcher.find_compiled() is None:
        pytest.skip("dispatch is not compiled")
    made = Clone(tmp_path)
    yield made
    made.close()


def read_journal(home: Home, session: str) -> Counter[str]:
    """How often each call of these sessions is in the journal."""
    store = Store.open(home)
    try:
        sql = "SELECT tool_use_id FROM events WHERE session LIKE ?"
        return Counter(row[0] for row in store.read(lambda reader: reader.execute(sql, (f"{session}%",)).fetchall()))
    finally:
        store.close()


def test_edited_code_answers_within_seconds_and_nobody_restarts_anything(clone: Clone) -> None:
    clone.start()
    pid, before = clone.pid, clone.ask()
    clone.edit(POLICY, "throws away uncommitted changes", "THROWS AWAY uncommitted changes")
    assert "THROWS" not in before
    assert clone.wait_replaced(pid)
    assert "THROWS" in clone.ask()
    assert clone.wait_for(lambda: not Path(f"/proc/{pid}").exists())
    assert lifecycle.is_held(clone.home)
