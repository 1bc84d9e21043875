"""Twenty agents in one project, and a daemon that is killed in the middle of it."""

import json
import os
import signal
import subprocess
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from synaptic.daemon import lifecycle
from synaptic.store.db import Store
from tests.daemon.setting import Setting
from tests.store.layered import Layered

AGENTS = 20
SECONDS = 60 if os.environ.get("SYNAPTIC_TEST_ALL") == "1" else 10
FAR = 10**9


class Worker:
    """One agent: opens its window, then makes calls of its own and of a sub-agent until it is told to end."""

    def __init__(self, setting: Setting, number: int) -> None:
        self.setting = setting
        self.name = f"agent-{number}"
        self.made: Counter[str] = Counter()
        self.trouble: list[str] = []

    def work(self, until: float) -> None:
        self._send("SessionStart", source="startup")
        self._send("SubagentStart", agent_id="helper", agent_type="look")
        while time.monotonic() < until:
            self._call("")
            if sum(self.made.values()) % 5 == 0:
                self._call("helper")

    def _call(self, subagent: str) -> None:
        who = {"agent_id": subagent, "agent_type": "look"} if subagent else {}
        call = {"tool_name": "Read", "tool_input": {"file_path": f"{self.setting.project}/a"}, "tool_use_id": "t"}
        self.made[subagent] += self._send("PreToolUse", **call, **who)

    def _send(self, event: str, **fields: object) -> bool:
        """Whether somebody has looked at it: on a machine with too much to do, a call may be refused unread."""
        payload = {"session_id": f"window-{self.name}", "cwd": str(self.setting.project), "hook_event_name": event}
        env = {"HOME": str(self.setting.user), "PATH": os.environ["PATH"], "AGENT_ID": self.name}
        done = subprocess.run(
            [self.setting.home.dispatch, event],
            input=json.dumps({**payload, **fields}).encode(),
            capture_output=True,
            env=env,
            timeout=60,
        )
        if b"blocked, because it could not be checked" in done.stderr:
            return False
        if done.returncode or done.stderr or b'"deny"' in done.stdout:
            self.trouble.append(f"{event}: {done.returncode} {done.stdout!r} {done.stderr!r}")
        return True


@pytest.fixture
def setting(tmp_path: Path):
    made = Setting(tmp_path)
    made.config('trust = "all"\npresets = ["essentials", "fleet"]\n')
    made.install()
    yield made
    made.close()


def prepared(setting: Setting) -> None:
    layered = Layered(setting.home, str(setting.project))
    for number in range(AGENTS):
        effort = layered.effort(f"task-{number % 4}", metadata=json.dumps({"blockAfter": FAR}))
        layered.bind(f"agent-{number}", effort)
    layered.store.close()


def kill_daemon(setting: Setting) -> None:
    pid = lifecycle.read_status(setting.home).pid
    assert pid
    os.kill(pid, signal.SIGKILL)


def test_no_heartbeat_is_lost_or_counted_twice_and_the_layers_hold(setting: Setting):
    """S3-001, S3-002, S3-003, S3-007, S3-011, S3-016"""
    prepared(setting)
    setting.start()
    workers = [Worker(setting, number) for number in range(AGENTS)]
    until = time.monotonic() + SECONDS
    threads = [threading.Thread(target=worker.work, args=(until,)) for worker in workers]
    for thread in threads:
        thread.start()
    time.sleep(SECONDS / 2)
    kill_daemon(setting)
    for thread in threads:
        thread.join()
    assert [line for worker in workers for line in worker.trouble] == []
    assert sum(sum(worker.made.values()) for worker in workers) > AGENTS

    store = Store.open(setting.home)
    try:
        counts = store.read(
            lambda c: c.execute("SELECT fleet_agent, subagent, heartbeat_counter FROM sessions").fetchall()
        )
        expected = [(w.name, who, w.made[who]) for w in workers for who in ("", "helper")]
        assert sorted(counts) == sorted(expected)
        assert broken(store) == []
    finally:
        store.close()


INVARIANTS = {
    "a foreign key points nowhere": "PRAGMA foreign_key_check",
    "more than one open main session of an agent": """
        SELECT fleet_agent FROM sessions WHERE ended_at IS NULL AND subagent = '' AND fleet_agent != ''
        GROUP BY fleet_agent, effort_id HAVING count(*) > 1""",
    "more than one open main session of a window": """
        SELECT host_session FROM sessions WHERE ended_at IS NULL AND subagent = '' AND host_session != ''
        GROUP BY host_session, effort_id HAVING count(*) > 1""",
    "a session of one effort in the task of another": """
        SELECT s.id FROM sessions s JOIN efforts e ON e.id = s.effort_id WHERE s.task_id != e.task_id""",
    "two efforts of a task with one ordinal": "SELECT 1 FROM efforts GROUP BY task_id, ordinal HAVING count(*) > 1",
    "a session that ended before it began": "SELECT id FROM sessions WHERE ended_at < created_at",
    "an agent on a finished effort": """
        SELECT a.id FROM agents a JOIN efforts e ON e.id = a.effort_id WHERE e.lifecycle = 'finished'""",
}


def broken(store: Store) -> list[str]:
    """Which invariants of the layers do not hold."""
    found = store.read(lambda c: [what for what, sql in INVARIANTS.items() if c.execute(sql).fetchone() is not None])
    (sound,) = store.read(lambda c: c.execute("PRAGMA integrity_check").fetchone())
    return found if sound == "ok" else [*found, str(sound)]
