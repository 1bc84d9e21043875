"""Deciding one call: its hooks, those of each file that it patches, and those of the ability event it stands for."""

from collections.abc import Callable

import msgspec

from synaptic.agents.shared.discover import OWN
from synaptic.engine.ability_events import BLOCKING_ONLY, raised
from synaptic.engine.patch_files import file_calls, others, share
from synaptic.model.call import Call
from synaptic.model.decision import Decision, Kind
from synaptic.pipeline.run import Runtime, run
from synaptic.pipeline.select import Panel, panel
from synaptic.policies.routing.ability_events import AbilityEvents

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
    derived = raised(call, asked)
    return _both(decision, await run(derived, select(derived), world)) if derived else decision


def _both(first: Decision, second: Decision) -> Decision:
    """A decision with what the hooks of a part of it add: their deny is a deny of the whole."""
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
