"""Reports of calls that were announced, in the dialects of all agents, and of calls that were not."""

import json
import time
from pathlib import Path

import msgspec
import pytest

from synaptic.agents.shared.discover import find_adapter
from synaptic.engine import reports
from synaptic.engine.reports import NOT_OWN_TEXT, find_report_doubt, has_running_call
from synaptic.engine.senders import Senders
from synaptic.model import sane
from synaptic.model.call import Answer, Call, HookProcess
from synaptic.model.decision import Decision, Kind
from synaptic.model.errors import StoreError
from synaptic.model.event import PostToolUse
from synaptic.model.state import Change
from synaptic.store.db import Store
from synaptic.store.record import JournalEntry
from tests.daemon.setting import Setting

AGENTS = Path(__file__).parent.parent / "agents"
PAIRS = [
    ("claude", "PreToolUse.Bash", "PostToolUse.Bash"),
    ("cline", "tool_call.run_commands", "tool_result.run_commands"),
    ("codex", "PreToolUse.Bash", "PostToolUse.Bash"),
    ("codex", "PreToolUse.mcp__fm__touch", "PostToolUse.mcp__fm__touch"),
    ("copilot", "preToolUse.bash", "postToolUse.bash"),
    ("cursor", "preToolUse.Shell", "postToolUse.Shell"),
    ("cursor", "beforeShellExecution", "afterShellExecution"),
    ("droid", "PreToolUse.Execute", "PostToolUse.Execute"),
    ("gemini", "BeforeTool.run_shell_command", "AfterTool.run_shell_command"),
    ("gemini", "BeforeTool.mcp_fm_touch", "AfterTool.mcp_fm_touch"),
    ("opencode", "tool.execute.before.bash", "tool.execute.after.bash"),
    ("qwen", "PreToolUse.run_shell_command", "PostToolUse.run_shell_command"),
]
RESEARCHED = Decision(effects=(Change(section=sane.RESEARCH, put={"web": {}}),))


def entry(event: str, id: str = "", kind: Kind = Kind.NONE, err: str = "") -> JournalEntry:
    return JournalEntry(
        id=1, call="", at=0.0, agent="claude", event=event, session="s", agent_id="", tool="Bash", root="", micros=0,
        size=0, payload=json.dumps({"tool_use_id": id}) if id else None, decision=Decision(kind=kind),
        answer=Answer(stderr=err.encode()),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("entries", "id", "runs"),
    [
        ([], "", False),
        ([("PreToolUse", "a")], "a", True),
        ([("PreToolUse", "a")], "b", False),
        ([("PreToolUse", "a")], "", True),
        ([("PreToolUse", "")], "a", True),
        ([("PreToolUse", "a", Kind.DENY)], "a", False),
        ([("PreToolUse", "a", Kind.ASK)], "a", True),
        ([("PreToolUse", "a"), ("PostToolUse", "a")], "a", False),
        ([("PreToolUse", "a"), ("PostToolUseFailure", "a")], "a", False),
        ([("PreToolUse", "a"), ("PostToolUse", "b")], "a", True),
        ([("PreToolUse", "a"), ("PostToolUse", "a"), ("PreToolUse", "a")], "a", True),
        ([("PreToolUse", ""), ("PreToolUse", ""), ("PostToolUse", "")], "", True),
        ([("PreToolUse", ""), ("PostToolUse", "")], "", False),
        ([("PreToolUse", "a", Kind.NONE, NOT_OWN_TEXT)], "a", False),
        ([("PreToolUse", "a"), ("PostToolUse", "a", Kind.NONE, NOT_OWN_TEXT)], "a", True),
    ],
)
def test_which_calls_run(entries, id, runs):
    """Oldest first here, as they came."""
    assert has_running_call([entry(*one) for one in entries][::-1], id) is runs


@pytest.mark.parametrize(("agent", "before", "after"), PAIRS)
def test_every_agents_calls_are_announced(setting: Setting, agent: str, before: str, after: str):
    """S1-103: whatever they call their tools and wherever they put the id of a call."""
    payloads = {name: (AGENTS / agent / f"{name}.json").read_bytes() for name in (before, after)}
    session = msgspec.json.decode(payloads[before]).get("session_id")
    ahead, told = (
        setting.raw(_find_event(agent, name), _join_session(raw, session), agent) for name, raw in payloads.items()
    )
    setting.answer(ahead)
    call = find_adapter(agent).decode(told)
    store = Store.open(setting.home)
    try:
        assert isinstance(call.event, PostToolUse)
        assert reports.is_announced(store, call)
        assert not reports.is_announced(store, _rename_tool(call))
    finally:
        store.close()


def _find_event(agent: str, name: str) -> str:
    return name.rpartition(".")[0] if agent == "opencode" else name.partition(".")[0]


def _join_session(raw: bytes, session: str | None) -> bytes:
    """Recordings of two sessions as one; ids of calls are those of the first."""
    payload = msgspec.json.decode(raw)
    if session:
        payload["session_id"] = session
    if "tool_use_id" in payload:
        payload["tool_use_id"] = "toolu_01AbCdEfGhIjKlMnOpQrStUv"
    return msgspec.json.encode(payload)


def _rename_tool(call: Call) -> Call:
    return msgspec.structs.replace(call, event=msgspec.structs.replace(call.event, tool_name="WebSearch"))


def make_report(setting: Setting) -> tuple[Senders, Store]:
    store = Store.open(setting.home)
    return Senders(setting.home, store), store


def test_only_what_moves_a_gate_is_looked_up(setting: Setting, monkeypatch: pytest.MonkeyPatch):
    def fail(*_: object, **__: object) -> None:
        raise StoreError("database disk image is malformed")

    senders, store = make_report(setting)
    monkeypatch.setattr(reports.journal, "read_last_entries", fail)
    told = setting.request("PostToolUse")
    sent = msgspec.structs.replace(told, sent=HookProcess((7, "1"), 0.0, time.time()))
    call = find_adapter("claude").decode(told)
    counted = Decision(effects=(Change(section=sane.EDITS, add={"count": 1}),))
    assert find_report_doubt(senders, store, sent, (call, counted)) == ""
    assert find_report_doubt(senders, store, told, (call, RESEARCHED)) == ""
    assert "cannot be read" in find_report_doubt(senders, store, sent, (call, RESEARCHED))
    store.close()


def test_a_failure_is_no_report_that_opens_anything() -> None:
    """One that is not counted would relax the breaker; one that is reset, or a search, may open a gate."""
    counted = Change(section=sane.CIRCUIT_BREAKER, put={"last_error": "x"}, add={"failures": 1})
    tripped = Change(section=sane.CIRCUIT_BREAKER, put={"tripped": True})
    ended = Change(section=sane.CIRCUIT_BREAKER, put={"failures": 0})
    found = Change(section=sane.RESEARCH, put={"web": {}})
    assert not reports._moves_gate((counted, tripped))
    assert reports._moves_gate((counted, found))
    assert reports._moves_gate((ended,))
