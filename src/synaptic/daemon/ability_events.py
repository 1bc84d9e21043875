"""Running the hooks of an event, those of the files it patches, and those of the ability event that it stands for."""

import time
from collections.abc import Callable

import msgspec

from synaptic.daemon.patch_files import file_calls, others, share
from synaptic.model.call import Call
from synaptic.model.decision import Decision, Kind
from synaptic.model.event import Event, ToolEvent
from synaptic.model.hook import Builtin
from synaptic.pipeline.match import Panel, panel
from synaptic.pipeline.run import Runtime, run
from synaptic.policies.routing.ability_events import AbilityEvents

OWN = "synaptic"
BLOCKING_ONLY = "SYNAPTIC_BLOCKING_ONLY"
"""In the environment of an orchestrator's request: only hooks that block are asked."""

Select = Callable[[Call], Panel]


async def decided(call: Call, select: Select, world: Runtime) -> Decision:
    """What all hooks say together."""
    asked = select(call)
    if call.agent == OWN and call.env.get(BLOCKING_ONLY) == "1":
        asked = panel(tuple(hook for hook in asked.hooks if hook.blocking))
    decision = await run(call, asked, world)
    for part in file_calls(call, decision):
        if decision.kind is Kind.DENY:
            break
        decision = _both(decision, share(await run(part, others(select(part), asked), world)))
    if AbilityEvents.id not in asked.policies or decision.kind is Kind.DENY:
        return decision
    derived = _derived(call, asked)
    return _both(decision, await run(derived, select(derived), world)) if derived else decision


def _derived(call: Call, asked: Panel) -> Call | None:
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


def _both(first: Decision, second: Decision) -> Decision:
    """The tool event's decision with what the ability's hooks add; a deny of theirs is a deny of the tool."""
    together = msgspec.structs.replace(
        first,
        context=first.context + second.context,
        messages=first.messages + second.messages,
        feedback=first.feedback + second.feedback,
        warnings=first.warnings + second.warnings,
        effects=first.effects + second.effects,
        trace=first.trace + second.trace,
        result=second.result or first.result,
    )
    if second.kind.rank <= first.kind.rank:
        return together
    strong = second.kind in (Kind.DENY, Kind.ASK)
    why = {"by": second.by, "reason": second.reason} if strong else {}
    kept = {"input": None} if second.kind is Kind.DENY else {}
    return msgspec.structs.replace(together, kind=second.kind, **why, **kept)
