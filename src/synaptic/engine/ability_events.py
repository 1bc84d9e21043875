"""The ability event that a tool event stands for, as an orchestrator would send it."""

import time

import msgspec

from synaptic.model.call import Call
from synaptic.model.event import Event, ToolEvent
from synaptic.model.hook import Builtin
from synaptic.pipeline.select import Panel
from synaptic.policies.routing.ability_events import AbilityEvents

BLOCKING_ONLY = "SYNAPTIC_BLOCKING_ONLY"
"""In the environment of an orchestrator's request: only hooks that block are asked."""


def raised(call: Call, asked: Panel) -> Call | None:
    """The call of that event; None where no policy maps this one."""
    policies = (hook.handler.policy for hook in asked.hooks if isinstance(hook.handler, Builtin))
    mapping = next((policy for policy in policies if isinstance(policy, AbilityEvents)), None)
    if mapping is None or not isinstance(call.event, ToolEvent):
        return None
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(call.at))
    event = mapping.raised(call.event, at)
    return msgspec.structs.replace(call, event=event, payload=_payload(event, call)) if event else None


def _payload(event: Event, call: Call) -> dict[str, object]:
    """The context as an orchestrator would send it."""
    fields = {key: value for key, value in msgspec.structs.asdict(event).items() if value not in ("", None)}
    caller = {"source": "ai_session", "agent": call.agent}
    return {**fields, "event_type": event.hook_event_name, "repository_root": call.root, "caller": caller}
