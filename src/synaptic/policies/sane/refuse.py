"""A gate's refusal: the reason, the entry in `enforcement.blocks`, and the lines in the operators' logs."""

from collections.abc import Iterable, Mapping
from functools import lru_cache

import msgspec

from synaptic.model import sane
from synaptic.model.decision import Verdict, deny
from synaptic.model.effect import AppendLine, Effect
from synaptic.model.event import ToolEvent
from synaptic.model.state import Change
from synaptic.policies.facts import Facts
from synaptic.policies.sane.stamp import format_stamp
from synaptic.store.redact import cut_text

KEEP_BLOCKS = 50
REMIND, HALT, HALTED = 2, 3, 5
"""How many identical refusals in a row bring a reminder, a halt notice, and the entry `halted`."""
MAX_AUDITED = 100
_encoder = msgspec.json.Encoder(enc_hook=str)


def refuse_call(gate: str, event: ToolEvent, facts: Facts, reason: str) -> Verdict:
    """The deny of a gate, stronger the more often the same thing was refused in a row."""
    block = _describe_block(gate, event)
    times = 1 + _count_in_a_row(facts, block)
    return deny(reason + _escalate_reason(times), *_record_block(event, facts, reason, (block, times)))


def record_refusal(gate: str, event: ToolEvent, facts: Facts, reason: str) -> tuple[Effect, ...]:
    """What is kept of a refused call, whoever refused it: among the recent refusals, and in the operators' logs."""
    block = _describe_block(gate, event)
    return _record_block(event, facts, reason, (block, 1 + _count_in_a_row(facts, block)))


def _record_block(
    event: ToolEvent, facts: Facts, reason: str, counted: tuple[dict[str, object], int]
) -> tuple[Effect, ...]:
    """`counted`: the refusal, and how often it has come in a row with this one."""
    block, times = counted
    change = Change(
        section=sane.ENFORCEMENT,
        append={"blocks": {**block, "at": format_stamp(facts.now)}},
        keep=KEEP_BLOCKS,
        put=_make_halt(str(block["gate"]), times, facts),
    )
    said = {"tool": event.tool_name, "blocked": True, "reason": reason.partition("\n")[0]}
    audited = {**describe_call(event), "outcome": "blocked", "error": _cut_reason(reason)}
    return change, make_log_line(facts, "sanetools.log", said), make_log_line(facts, "audit.jsonl", audited)


def has_record(effects: Iterable[Effect]) -> bool:
    """Whether a refusal carries its record already."""
    return any(isinstance(effect, Change) and effect.section == sane.ENFORCEMENT for effect in effects)


def describe_call(event: ToolEvent) -> dict[str, object]:
    """Which call an audit line is about."""
    return {"session_id": event.session_id, "tool": event.tool_name, "file": next(iter(event.tool.paths), None)}


def make_log_line(facts: Facts, name: str, values: dict[str, object]) -> AppendLine:
    """One JSON line in a log of the project."""
    text = _encoder.encode({"timestamp": format_stamp(facts.now), **values}).decode()
    return AppendLine(f"{facts.root}/.claude/{name}", text)


def describe_target(event: ToolEvent) -> str:
    """What a call is about, in a few characters."""
    tool = event.tool
    return next(iter(tool.paths), "") or (tool.command or tool.read_text("prompt") or tool.read_text("pattern"))[:50]


@lru_cache(maxsize=64)
def _cut_reason(reason: str) -> str:
    """For the log: a gate gives the same reason again and again, until the agent does what it says."""
    return cut_text(reason, MAX_AUDITED)


def _describe_block(gate: str, event: ToolEvent) -> dict[str, object]:
    return {"gate": gate, "tool": event.tool_name, "target": describe_target(event)}


def _count_in_a_row(facts: Facts, block: Mapping[str, object]) -> int:
    times = 0
    blocks = facts.state.read_section(sane.ENFORCEMENT).get("blocks")
    for entry in reversed(blocks) if isinstance(blocks, list | tuple) else ():
        # Same gate, tool and target; only the time differs.
        if not isinstance(entry, dict) or not block.items() <= entry.items():
            break
        times += 1
    return times


def _make_halt(gate: str, times: int, facts: Facts) -> dict[str, object]:
    if times < HALTED:
        return {}
    return {"halted": True, "halted_at": format_stamp(facts.now), "halted_reason": f"{times}x consecutive {gate}"}


def _escalate_reason(times: int) -> str:
    if times >= HALT:
        return (
            f"\nHALT: the same call was refused {times} times in a row. It will be refused again. Stop, say what "
            "blocks you, and let the user decide (the user may type `reset blocks`)."
        )
    return "\nThis was refused a moment ago. Do what the reason says before you try again." if times >= REMIND else ""
