"""The real client starts an effort in its running window, logs, and hands over."""

import json
import sqlite3
import sys
from pathlib import Path

import pytest

from tests.clients.claude import Session
from tests.clients.script import Rule, Text, Use, bash, conversation

pytestmark = pytest.mark.client

ENGINE = Path(sys.executable).with_name("synaptic")
PAYLOAD = json.dumps({"summary": "half of it", "lastAction": "echo", "nextSteps": ["the rest"]})


def rows(session: Session, sql: str) -> list[tuple]:
    with sqlite3.connect(session.synaptic_home.database) as other:
        return other.execute(sql).fetchall()


def test_an_effort_that_starts_in_a_running_window_has_that_window(armed: Session):
    """S3-205, S3-143, S3-190: started, stopped without a log, freed by one, handed over"""
    armed.synaptic("config", "set", "presets", '["essentials", "fleet"]')
    outcome = armed.run(
        conversation(
            bash(f"{ENGINE} effort start page --skill build --block-after 3"),
            bash("echo one"),
            bash("echo two"),
            bash("echo three"),
            bash(f"{ENGINE} effort log <<'EOF'\n## Echoed\nrm -rf / was not needed\nEOF"),
            bash("echo four"),
            bash(f"{ENGINE} effort dehydrate <<'EOF'\n{PAYLOAD}\nEOF"),
        )
    )
    texts = [result.text for result in outcome.results]
    assert texts[0].startswith("Effort 1 started: build")
    assert [outcome.results[place].is_error for place in range(7)] == [False, False, False, True, False, False, False]
    assert "heartbeat-block: 3/3" in texts[3]
    log = armed.project / ".tasks/page/1_BUILD_LOG.md"
    assert texts[4] == f"logged: {log}"
    assert log.read_text().endswith("] Echoed\nrm -rf / was not needed\n")
    assert "has ended; its hand-over is kept" in texts[6]
    ((host, ended, payload),) = rows(armed, "SELECT host_session, ended_at, dehydration_payload FROM sessions")
    assert host == armed.journal("PreToolUse")[0].session
    assert ended
    assert json.loads(payload)["summary"] == "half of it"


def test_a_sub_agents_log_frees_nobody_else(armed: Session):
    """S3-145: in its shell the sub-agent looks like its parent"""
    armed.synaptic("config", "set", "presets", '["essentials", "fleet"]')
    armed.synaptic("effort", "start", "page", "--skill", "build")
    task = {"description": "d", "prompt": "SUBTASK", "subagent_type": "general-purpose", "run_in_background": False}
    armed.run(
        Rule((bash("echo below"), bash(f"{ENGINE} effort log 'from below'"), (Text("sub done"),)), first="SUBTASK"),
        conversation(bash("echo one"), bash("echo two"), (Use("Agent", task),)),
    )
    beats = dict(rows(armed, "SELECT subagent = '', heartbeat_counter FROM sessions WHERE created_at > 0"))
    assert (armed.project / ".tasks/page/1_BUILD_LOG.md").read_text() == "from below\n"
    assert beats[1] == 2
    assert beats[0] == 0
