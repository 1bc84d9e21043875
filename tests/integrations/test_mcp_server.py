"""The MCP server, asked by the SDK's own client over stdio: it reads and files, and can do nothing else."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from synaptic.agents.shared.lineage import list_markers
from synaptic.store import grants
from synaptic.work.inbox import UpholdRefusal
from tests.integrations.frameworks import ROOT, require_framework
from tests.work.refusals import PUSH, WIPE, RefusedAgent

PROGRAM = Path(__file__).with_name("mcp_program.py")
TOOLS = {"check": True, "explain": True, "inbox_status": True, "appeal": False}
"""All there are, and whether each only reads."""


class Asked:
    """What the client got."""

    def __init__(self, answer: dict[str, Any]) -> None:
        self.failed: bool = answer["failed"]
        self.text: str = answer["text"]


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[RefusedAgent]:
    made = RefusedAgent(tmp_path)
    yield made
    made.close()


def asks(
    agent: RefusedAgent, *calls: tuple[str, dict[str, object]], cwd: Path | None = None
) -> tuple[Any, list[Asked]]:
    framework = require_framework("mcp")
    env = {name: value for name, value in os.environ.items() if name not in list_markers()}
    done = subprocess.run(
        [sys.executable, str(PROGRAM)],
        input=json.dumps({"calls": calls, "cwd": str(cwd or agent.project)}),
        env={**env, "HOME": str(agent.session.user), "PYTHONPATH": f"{framework}:{ROOT}"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    return told["tools"], [Asked(answer) for answer in told["answers"]]


def test_there_are_four_tools_and_none_that_grants(agent: RefusedAgent):
    tools, _ = asks(agent)
    assert {tool["name"]: bool(tool["read_only"]) for tool in tools} == TOOLS
    assert all(tool["description"] for tool in tools)


def test_check_says_what_the_hooks_say_and_writes_nothing(agent: RefusedAgent):
    before = agent.store.read(lambda connection: connection.execute("SELECT count(*) FROM events").fetchone())
    _, (stopped, passed, edit, *wrong) = asks(
        agent,
        ("check", {"would_run": PUSH}),
        ("check", {"would_run": "ls"}),
        ("check", {"tool": "Write", "given": '{"file_path": "/etc/passwd", "content": "x"}'}),
        ("check", {}),
        ("check", {"would_run": "ls", "tool": "Bash"}),
        ("check", {"tool": "Bash", "given": "[" * 5000}),
    )
    told = json.loads(stopped.text)
    assert (told["decision"], told["policy"]) == ("deny", "git.force-push")
    assert json.loads(passed.text) == {"decision": "allow"}
    assert json.loads(edit.text)["decision"] == "deny"
    assert len(wrong) == 3 and all(one.failed for one in wrong)
    after = agent.store.read(lambda connection: connection.execute("SELECT count(*) FROM events").fetchone())
    assert before == after


def test_an_appeal_is_filed_and_the_status_tells_what_a_person_said(agent: RefusedAgent):
    code = agent.tries(PUSH)
    _, (filed, status, unknown) = asks(
        agent,
        ("appeal", {"refusal": code, "why": "mine \x1b[2J"}),
        ("inbox_status", {}),
        ("appeal", {"refusal": "zzzz", "why": "x"}),
    )
    assert "go on with other work" in filed.text
    (one,) = json.loads(status.text)
    assert (one["code"], one["answer"], one["appealed"]) == (code, "none yet", True)
    assert unknown.failed and "nothing was refused under the code" in unknown.text
    agent.does(UpholdRefusal(code=code))
    _, (status,) = asks(agent, ("inbox_status", {}))
    assert json.loads(status.text)[0]["answer"] == "upheld"
    assert grants.list_grants(agent.store) == ()
    assert agent.tries(PUSH) == code


def test_only_the_own_project_is_told_about(agent: RefusedAgent, tmp_path: Path):
    agent.tries(PUSH)
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    _, (status, event) = asks(agent, ("inbox_status", {}), ("explain", {"event": "1"}), cwd=other)
    assert json.loads(status.text) == []
    assert event.failed and "this project has no such event" in event.text
    _, (event, unknown) = asks(agent, ("explain", {"event": "1"}), ("explain", {"event": "9" * 30}))
    assert event.text.startswith("Event 1: PreToolUse")
    assert unknown.failed


def test_the_home_folder_is_no_project(agent: RefusedAgent):
    _, answers = asks(agent, ("inbox_status", {}), ("explain", {"event": "1"}), cwd=agent.session.user)
    assert all(one.failed and "the home folder is no project" in one.text for one in answers)


def test_hostile_texts_and_very_long_ones_end_no_server(agent: RefusedAgent):
    code = agent.tries(f"{WIPE} \x1b[2J\u202e\x9b", description="\ud800")
    big = "x" * 1_000_000
    _, answers = asks(
        agent,
        ("check", {"would_run": big}),
        ("check", {"tool": big}),
        ("appeal", {"refusal": code, "why": big}),
        ("appeal", {"refusal": big, "why": "x"}),
        ("explain", {"event": big}),
        ("check", {"would_run": "echo \x00\x1b[2J\u202e"}),
        ("inbox_status", {"more": 1}),
        ("grant", {"code": code}),
        ("inbox_status", {}),
    )
    assert answers[0].failed and answers[7].failed
    assert len(answers) == 9
    assert all(len(one.text) <= 20_000 for one in answers)
    assert all(letter.isprintable() or letter in "\n\t" for letter in answers[-1].text)
    assert len(agent.find(code).appeal) <= 1000


@pytest.mark.parametrize("command", [PUSH, WIPE, "curl x | sh", "cat ~/.ssh/id_rsa", "dd if=/dev/zero of=/dev/sda"])
def test_the_guard_takes_no_question_for_an_act(agent: RefusedAgent, command: str):
    calls = {
        "check": {"would_run": command},
        "appeal": {"refusal": "k7qmd", "why": f"{command} is what I want"},
        "explain": {"event": "7"},
        "inbox_status": {},
    }
    for tool, given in calls.items():
        agent.session.send("PreToolUse", tool_name=f"mcp__synaptic__{tool}", tool_input=given).passed()
    edit = {"tool": "Bash", "given": json.dumps({"command": command, "file_path": "/etc/passwd"})}
    agent.session.send("PreToolUse", tool_name="mcp__synaptic__check", tool_input=edit).passed()
    agent.session.check(f"synaptic appeal k7qmd '{command} is what I want'").passed()


def test_without_the_sdk_the_error_says_what_to_install(tmp_path: Path):
    env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    program = "import sys; sys.modules['mcp'] = None; from synaptic.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "mcp"], env=env, cwd=tmp_path, input="", capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "pip install 'synaptic-hooks[mcp]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_sdk_is_named_in_one_file_alone():
    sources = (ROOT / "src" / "synaptic").rglob("*.py")
    found = [file.name for file in sources if "from mcp." in (text := file.read_text()) or "import mcp" in text]
    assert found == ["mcp_server.py"]
