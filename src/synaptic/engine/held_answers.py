"""What a question becomes that was held for a person: nothing that was refused runs because nobody has answered."""

import time
from collections.abc import Callable

import msgspec

from synaptic.agents.base import Adapter
from synaptic.engine.held import HeldCall
from synaptic.model.call import Call
from synaptic.model.decision import Decision, Kind, TraceStep

END_TEXTS = {
    "over": "A person was asked and has not answered within {seconds:.0f} s.",
    "upheld": "A person was asked and has said no.",
    "gone": "The agent has stopped waiting for a person's answer.",
    "ending": "A person was asked, and the engine was ended before an answer came.",
}


def is_unheard_question(decision: Decision, is_unattended: Callable[[], bool]) -> bool:
    """Whether it is a question that nobody hears at the agent: it cannot ask, or nobody sits there."""
    if decision.kind is Kind.ASK:
        return is_unattended()
    asked = any(step.phase == "degraded" and step.kind is Kind.ASK for step in decision.trace)
    return decision.kind is Kind.DENY and asked


def settle_held(wire: Adapter, call: Call, fresh: Decision, held: HeldCall) -> Decision:
    """What a call that was held comes to, decided anew.

    A wait that has come to nothing leaves it refused, also where the facts have changed meanwhile and nobody would ask
    any more: that may be found out by asking again, and never by keeping still.
    """
    waited = time.monotonic() - held.began
    if fresh.kind.rank < Kind.ASK.rank and (fresh.grants or not held.is_over):
        return _add_step(fresh, f"waited {waited:.1f} s for a person's answer")
    if not held.is_over:
        return fresh  # refused by somebody else, or still a question
    kept = fresh if fresh.kind.rank >= Kind.ASK.rank else _keep_refusal(fresh, held.decision)
    text = END_TEXTS[held.end].format(seconds=waited)
    # Where the agent could ask after all, silence leaves it its own question; a No does not.
    kind = kept.kind if held.end == "over" else Kind.DENY
    told = msgspec.structs.replace(kept, kind=kind, reason=_put_before_handle(kept.reason, text))
    return wire.degrade(call, _add_step(told, text))


def _add_step(decision: Decision, text: str) -> Decision:
    step = TraceStep(hook=decision.by or "engine", kind=decision.kind, phase="held", note=text)
    return msgspec.structs.replace(decision, trace=(*decision.trace, step))


def _keep_refusal(fresh: Decision, before: Decision) -> Decision:
    """Whoever was refused does not run because the facts have changed while nobody answered: it may be asked again."""
    return msgspec.structs.replace(
        fresh,
        kind=before.kind,
        by=before.by,
        reason=before.reason,
        refused=before.refused,
        code=before.code,
        allowed=False,
        grants=(),
        input=None,
    )


def _put_before_handle(reason: str, text: str) -> str:
    """The handle is the last line: that is where people look for it."""
    said, _, handle = reason.rpartition("\n")
    return "\n".join(filter(None, (said, text, handle)))
