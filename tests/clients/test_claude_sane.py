"""The sane process in front of the real client: research, breaker, safemode, and state that nobody talks into it."""

import json
import sys
from pathlib import Path

import pytest

from tests.clients import mcp_server
from tests.clients.claude import ALLOWED, Session
from tests.clients.outcome import Outcome
from tests.clients.script import Rule, Text, Turn, Use, bash, conversation

pytestmark = pytest.mark.client

SERVERS = ("memory", "context7", "github")
WEB = Rule(((Text("A page about parsers, with all that one needs to know."),),), first="^Perform a web search")
TASK = "fix the bug in the parser"
QUESTION = "what does the parser do"


@pytest.fixture
def sane(session: Session) -> Session:
    """A user with the preset `sane`, three MCP servers, and a file to work on."""
    allowed = [*ALLOWED["permissions"]["allow"], "WebSearch", "Grep", *(f"mcp__{name}" for name in SERVERS)]
    session.settings({"permissions": {"allow": allowed}})
    session.bootstrap()
    session.synaptic_home.config.write_text('presets = ["essentials", "sane"]\n')
    (session.project / "parser.py").write_text("broken = True\n")
    server = {"command": sys.executable, "args": [str(Path(mcp_server.__file__))]}
    (session.project / ".mcp.json").write_text(json.dumps({"mcpServers": dict.fromkeys(SERVERS, server)}))
    return session


def run(session: Session, prompt: str, *turns: Turn) -> Outcome:
    servers = ("--mcp-config", str(session.project / ".mcp.json"), "--strict-mcp-config")
    return session.run(WEB, conversation(*turns), prompts=(prompt,), args=servers)


def edit(session: Session) -> Turn:
    path = str(session.project / "parser.py")
    return (Use("Edit", {"file_path": path, "old_string": "True", "new_string": "False"}),)


def read(session: Session) -> Turn:
    return (Use("Read", {"file_path": str(session.project / "parser.py")}),)


def fixed(session: Session) -> bool:
    return "False" in (session.project / "parser.py").read_text()


def test_an_edit_waits_for_five_kinds_of_research(sane: Session) -> None:
    """S1-063, S1-102"""
    outcome = run(
        sane,
        TASK,
        edit(sane),
        read(sane),
        (Use("WebSearch", {"query": "parsers in general"}),),
        *((Use(f"mcp__{name}__search", {}),) for name in SERVERS),
        edit(sane),
    )

    first, *research, last = outcome.results
    assert first.is_error and "missing memory, docs, web, github, local" in first.text
    assert [result.text for result in research if result.is_error] == []
    assert not last.is_error
    assert fixed(sane)


def test_three_failing_commands_trip_the_breaker_and_only_the_user_resets_it(sane: Session) -> None:
    """S1-024, S1-054, S1-060, S1-073, S1-121"""
    outcome = run(sane, QUESTION, bash("exit 1"), bash("exit 2"), bash("exit 3"), read(sane), edit(sane), bash("ls"))

    *_, seen, blocked, listed = outcome.results
    assert not seen.is_error and not listed.is_error
    assert "circuit breaker" in blocked.text and "reset breaker" in blocked.text
    assert not fixed(sane)

    outcome = run(sane, QUESTION, bash("echo 'reset breaker'; echo reset breaker"), read(sane), edit(sane))
    assert "circuit breaker" in outcome.results[-1].text
    assert "reset breaker" in outcome.context
    assert not fixed(sane)

    run(sane, "reset breaker")
    run(sane, QUESTION, read(sane), edit(sane))
    assert fixed(sane)


def test_safemode_blocks_edits_and_a_sentence_does_not_lift_it(sane: Session) -> None:
    """S1-020, S1-021, S1-062"""
    assert "Safemode is on" in run(sane, "s+").context
    for prompt in (QUESTION, "s-expressions are nice"):
        outcome = run(sane, prompt, read(sane), edit(sane))
        assert "Safemode is on" in outcome.results[-1].text
        assert not fixed(sane)

    run(sane, "s-")
    run(sane, QUESTION, read(sane), edit(sane))
    assert fixed(sane)


def test_a_mirror_edited_by_hand_changes_nothing_and_is_reported(sane: Session) -> None:
    """S1-147, S1-151"""
    run(sane, QUESTION, bash("exit 1"), bash("exit 2"), bash("exit 3"))
    mirror = sane.project / ".claude" / "state.json"
    shown = json.loads(mirror.read_text())
    assert shown["circuit_breaker"]["tripped"] is True
    shown["circuit_breaker"].update(tripped=False, failures=0)
    mirror.write_text(json.dumps(shown))

    outcome = run(sane, QUESTION, read(sane), edit(sane))

    assert "circuit breaker" in outcome.results[-1].text
    assert "changed by hand" in outcome.context
    assert json.loads(mirror.read_text())["circuit_breaker"]["tripped"] is True
    assert not fixed(sane)


def test_the_files_of_the_process_are_there_after_a_session(sane: Session) -> None:
    """S1-190"""
    run(sane, TASK, edit(sane), read(sane), bash("exit 1"))

    folder = sane.project / ".claude"
    for name in ("saneprompt.log", "sanetools.log", "sanetrack.log", "sanestop.log", "audit.jsonl"):
        lines = [json.loads(line) for line in (folder / name).read_text().splitlines()]
        assert lines and all(line["timestamp"] for line in lines), name
    assert json.loads((folder / "state.json").read_text())["enforcement"]["blocks"]
