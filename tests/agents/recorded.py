"""Recorded calls of every agent, and what is asked of them again and again."""

import json
from functools import cache
from pathlib import Path

from synaptic.agents.shared.discover import find_adapter, list_agent_names
from synaptic.model.call import Answer, Call, Request
from synaptic.model.decision import Decision, Kind
from synaptic.model.effect import Deliver

HERE = Path(__file__).parent
AGENTS = tuple(agent for agent in list_agent_names() if agent != "claude")
"""The other agents: Claude Code has tests of its own."""
UNNAMED = ("cline", "opencode", "cursor")
"""The payload alone names the event."""


def payloads(agent: str) -> list[Path]:
    """What was recorded; that of Cursor is written after its documentation."""
    return sorted(file for file in (HERE / agent).rglob("*.json") if file.parent.name != "schemas")


@cache
def calls(agent: str) -> dict[str, Call]:
    """Every recorded call, by its file's path below the agent's folder, without the ending."""
    files = {str(file.relative_to(HERE / agent).with_suffix("")): file for file in payloads(agent)}
    return {name: find_adapter(agent).decode(request(agent, file)) for name, file in files.items()}


def recorded(agent: str, name: str) -> Call:
    return calls(agent)[name]


def request(agent: str, file: Path) -> Request:
    """A payload as the agent sent it: Amp says in the environment which tool runs."""
    if agent == "amp":
        found = json.loads(file.read_bytes())
        return Request(agent, "PreToolUse", json.dumps(found["stdin"]).encode(), "1", found["env"])
    event = "" if agent in UNNAMED else file.name.partition(".")[0]
    return Request(agent, event, file.read_bytes(), "1")


def decode(agent: str, event: str = "", /, **payload: object) -> Call:
    return find_adapter(agent).decode(Request(agent, event, json.dumps(payload).encode(), "1", {"A": "b"}))


def answer(call: Call, decision: Decision) -> Answer:
    wire = find_adapter(call.agent)
    return wire.encode(call, wire.degrade(call, decision))


def body(call: Call, decision: Decision) -> dict | None:
    stdout = answer(call, decision).stdout
    return json.loads(stdout) if stdout else None


def denied(reason: str = "because") -> Decision:
    return Decision(kind=Kind.DENY, by="demo.hook", reason=reason)


def kept(decision: Decision) -> list[str]:
    """What is told later."""
    return [effect.text for effect in decision.effects if isinstance(effect, Deliver)]
