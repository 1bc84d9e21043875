"""The same refusal again: outputs at one, two, three, and the entry `halted` at five."""

import json

from synaptic.model import sane
from synaptic.model.decision import Kind
from synaptic.model.event import PreToolUse
from synaptic.model.state import State, apply_change
from synaptic.policies.facts import Facts
from synaptic.policies.sane.refuse import refuse_call

EVENT = PreToolUse(tool_name="Edit", tool_input={"file_path": "/p/a.py"}, session_id="s1")


def refusals(times: int, event: PreToolUse = EVENT) -> tuple[list[str], dict[str, object]]:
    """The reasons of so many refusals in a row, and the section after them."""
    section: dict[str, object] = sane.default_section(sane.ENFORCEMENT)
    reasons = []
    for _ in range(times):
        verdict = refuse_call(
            "sane.x", event, Facts(root="/p", now=0.0, state=State({sane.ENFORCEMENT: section})), "No.\nMore."
        )
        assert verdict.says is Kind.DENY
        reasons.append(verdict.reason)
        section = apply_change(section, verdict.effects[0])
    return reasons, section


def test_a_refusal_is_among_the_recent_blocks_and_in_the_logs() -> None:
    """S1-079, S1-086, S1-191, S1-192"""
    verdict = refuse_call("sane.x", EVENT, Facts(root="/p", now=0.0), "No.\nMore.")
    change, tools, audit = verdict.effects
    assert change.append == {
        "blocks": {"gate": "sane.x", "tool": "Edit", "target": "/p/a.py", "at": "1970-01-01T00:00:00Z"}
    }
    assert tools.path == "/p/.claude/sanetools.log"
    assert json.loads(tools.line) == {
        "timestamp": "1970-01-01T00:00:00Z",
        "tool": "Edit",
        "blocked": True,
        "reason": "No.",
    }
    assert audit.path == "/p/.claude/audit.jsonl"
    assert json.loads(audit.line) == {
        "timestamp": "1970-01-01T00:00:00Z",
        "session_id": "s1",
        "tool": "Edit",
        "file": "/p/a.py",
        "outcome": "blocked",
        "error": "No.\nMore.",
    }


def test_it_grows_stronger_and_never_opens() -> None:
    """S1-079, S1-080: the sixth is refused as the fifth was."""
    reasons, section = refusals(6)
    assert "refused a moment ago" not in reasons[0] and "HALT" not in reasons[0]
    assert "refused a moment ago" in reasons[1]
    assert all("HALT" in reason for reason in reasons[2:])
    assert section["halted"] is True and section["halted_reason"] == "6x consecutive sane.x"
    assert section["halted_at"] == "1970-01-01T00:00:00Z"
    assert refusals(4)[1]["halted"] is False


def test_at_most_fifty_blocks_are_kept() -> None:
    blocks = refusals(60)[1]["blocks"]
    assert isinstance(blocks, list) and len(blocks) == 50
