"""A gate's refusal: the reason, the entry in `enforcement.blocks`, and the lines in the operators' logs."""

from collections.abc import Mapping

import msgspec

from synaptic.model import sane
from synaptic.model.decision import Verdict, deny
from synaptic.model.effect import AppendLine
from synaptic.model.event import ToolEvent
from synaptic.model.state import Change
from synaptic.policies.facts import Facts
from synaptic.policies.sane.stamp import stamp

KEEP_BLOCKS = 50
REMIND, HALT, HALTED = 2, 3, 5
"""How many identical refusals in a row bring a reminder, a halt notice, and the entry `halted`."""
SHOWN = 100


def refuse(gate: str, event: ToolEvent, facts: Facts, reason: str) -> Verdict:
    """The deny of a gate, stronger the more often the same thing was refused in a row."""
    block = {"gate": gate, "tool": event.tool_name, "target": target(event)}
    times = 1 + _in_a_row(facts, block)
    change = Change(
        section=sane.ENFORCEMENT,
        append={"blocks": {**block, "at": stamp(facts.now)}},
        keep=KEEP_BLOCKS,
        put=_halt(gate, times, facts),
    )
    said = {"tool": event.tool_name, "blocked": True, "reason": reason.splitlines()[0]}
    audited = {**call(event), "outcome": "blocked", "error": reason[:SHOWN]}
    return deny(
        reason + _stronger(times), change, line(facts, "sanetools.log", said), line(facts, "audit.jsonl", audited)
    )


def call(event: ToolEvent) -> dict[str, object]:
    """Which call an audit line is about."""
    return {"session_id": event.session_id, "tool": event.tool_name, "file": next(iter(event.tool.paths), None)}


def line(facts: Facts, name: str, values: dict[str, object]) -> AppendLine:
    """One JSON line in a log of the project."""
    text = msgspec.json.encode({"timestamp": stamp(facts.now), **values}, enc_hook=str).decode()
    return AppendLine(f"{facts.root}/.claude/{name}", text)


def target(event: ToolEvent) -> str:
    """What a call is about, in a few characters."""
    tool = event.tool
    return next(iter(tool.paths), "") or (tool.command or tool.text("prompt") or tool.text("pattern"))[:50]


def _in_a_row(facts: Facts, block: Mapping[str, object]) -> int:
    times = 0
    for entry in reversed(facts.state.items(sane.ENFORCEMENT, "blocks")):
        # Same gate, tool and target; only the time differs.
        if not isinstance(entry, dict) or {**entry, **block} != entry:
            break
        times += 1
    return times


def _halt(gate: str, times: int, facts: Facts) -> dict[str, object]:
    if times < HALTED:
        return {}
    return {"halted": True, "halted_at": stamp(facts.now), "halted_reason": f"{times}x consecutive {gate}"}


def _stronger(times: int) -> str:
    if times >= HALT:
        return (
            f"\nHALT: the same call was refused {times} times in a row. It will be refused again. Stop, say what "
            "blocks you, and let the user decide (the user may type `reset blocks`)."
        )
    return "\nThis was refused a moment ago. Do what the reason says before you try again." if times >= REMIND else ""
