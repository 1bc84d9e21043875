"""Calls and answers of agents other than Claude Code: `python -m tests.wire.foreign` writes the goldens anew."""

import json
from functools import cache
from pathlib import Path

import msgspec

from synaptic.model.call import Answer, Call, Request
from synaptic.model.decision import Decision, Kind
from synaptic.model.effect import Deliver
from synaptic.model.event import ToolEvent
from synaptic.wire.adapters import adapter
from tests.wire.answers import SITUATIONS

HERE = Path(__file__).parent
AGENTS = ("codex", "gemini", "qwen", "droid")
LEFT_OUT = ("ask and rewrite", "deny with extras")
"""Situations that add nothing here."""


def payloads(agent: str) -> list[Path]:
    return sorted((HERE / agent).glob("*.json"))


def native_name(file: Path) -> str:
    return file.name.partition(".")[0]


@cache
def recorded(agent: str, name: str) -> Call:
    """The call of a recorded payload, by the file's name without its ending."""
    file = HERE / agent / f"{name}.json"
    return adapter(agent).decode(Request(agent, native_name(file), file.read_bytes(), "1"))


def decode(agent: str, event: str = "", /, **payload: object) -> Call:
    return adapter(agent).decode(Request(agent, event, json.dumps(payload).encode(), "1", {"A": "b"}))


def answer(call: Call, decision: Decision) -> Answer:
    wire = adapter(call.agent)
    return wire.encode(call, wire.degrade(call, decision))


def body(call: Call, decision: Decision) -> dict | None:
    stdout = answer(call, decision).stdout
    return json.loads(stdout) if stdout else None


def denied(reason: str = "because") -> Decision:
    return Decision(kind=Kind.DENY, by="demo.hook", reason=reason)


def kept(decision: Decision) -> list[str]:
    """What is told later."""
    return [effect.text for effect in decision.effects if isinstance(effect, Deliver)]


def answered(call: Call, decision: Decision) -> dict[str, object]:
    """What leaves, and what was noted and kept on the way."""
    wire = adapter(call.agent)
    if decision.input is not None and isinstance(call.event, ToolEvent):
        decision = msgspec.structs.replace(decision, input=call.event.tool.changed(command="echo safe"))
    decision = wire.degrade(call, decision)
    said = wire.encode(call, decision)
    row = {
        "stdout": json.loads(said.stdout) if said.stdout else "",
        "stderr": said.stderr.decode(),
        "exit": said.exit,
        "notes": [step.note for step in decision.trace],
        "later": kept(decision),
    }
    return {key: value for key, value in row.items() if value}


def table(agent: str) -> dict[str, dict[str, dict[str, object]]]:
    calls = {file.stem: recorded(agent, file.stem) for file in payloads(agent)}
    situations = {name: said for name, said in SITUATIONS.items() if name not in LEFT_OUT}
    return {name: {title: answered(call, said) for title, said in situations.items()} for name, call in calls.items()}


def golden(agent: str) -> Path:
    return HERE / f"{agent}_answers.json"


def written(agent: str) -> str:
    """The table as JSON, one answer a line."""
    rows = []
    for name, said in table(agent).items():
        lines = [f"  {json.dumps(title)}: {json.dumps(row)}" for title, row in said.items()]
        rows.append(f" {json.dumps(name)}: {{\n" + ",\n".join(lines) + "\n }")
    return "{\n" + ",\n".join(rows) + "\n}\n"


if __name__ == "__main__":
    for one in AGENTS:
        golden(one).write_text(written(one))
