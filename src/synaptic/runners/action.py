"""The `decision` dialect: one action, approve, block or modify."""

from typing import Any

from synaptic.model.decision import Kind, Verdict
from synaptic.model.event import Event, ToolEvent
from synaptic.model.hook import Hook
from synaptic.runners.output import HookAnswer, get_event_name, make_output_failure

DECISION_ACTIONS = ("approve", "block", "modify")


def speaks(hook: Hook, answer: dict[str, Any]) -> bool:
    """Whether the answer is of this dialect; with protocol `decision` any `action` is, so that a typo is reported."""
    return "action" in answer if hook.protocol == "decision" else answer.get("action") in DECISION_ACTIONS


def read(hook: Hook, event: Event, answer: dict[str, Any]) -> HookAnswer:
    """Read one answer of this dialect."""
    reason = answer.get("reason")
    why = reason.strip() if isinstance(reason, str) else ""
    match answer["action"]:
        case "approve":
            return None  # as much as silence: no objection, and no permission that the user did not give
        case "block":
            return Verdict(says=Kind.DENY, reason=why or f"blocked by {hook.id}")
        case "modify":
            new = merge_input(event, answer.get("input"))
            problem = f"wants to modify {get_event_name(event)} without an object in `input`"
            return make_output_failure(hook, problem) if new is None else Verdict(input=new, reason=why)
        case other:
            return make_output_failure(hook, f"printed action {other!r}; known are {', '.join(DECISION_ACTIONS)}")


def merge_input(event: Event, new: object) -> dict[str, object] | None:
    """Merge a partial input into the tool input; None when the event has none or the new input is no object."""
    if not isinstance(event, ToolEvent) or not isinstance(new, dict):
        return None
    return {**event.tool_input, **new}
