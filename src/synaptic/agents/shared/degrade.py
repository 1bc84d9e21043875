"""A decision in terms that an event can honour: one rule per thing that may be impossible, each noted in the trace."""

from collections.abc import Callable

import msgspec

from synaptic.agents.base import Capability
from synaptic.agents.shared.payload import to_json
from synaptic.model.decision import Decision, Kind, TraceStep
from synaptic.model.effect import Deliver
from synaptic.model.tool import Input

MappedDecision = tuple[Decision, str]
DegradeRule = Callable[[Decision, Capability], MappedDecision | None]

change = msgspec.structs.replace


def degrade_decision(decision: Decision, capability: Capability, agent: str) -> Decision:
    """The decision after all rules. Doing it twice changes nothing."""
    for rule in DEGRADE_RULES:
        mapped = rule(decision, capability)
        if mapped:
            decision = note_degraded(decision, mapped, agent)
    return decision


def note_degraded(before: Decision, mapped: MappedDecision, agent: str) -> Decision:
    """Add a `degraded` step to the trace, so that `explain` can tell what was changed for this agent."""
    after, note = mapped
    step = TraceStep(hook=before.by or agent, kind=before.kind, phase="degraded", note=note)
    return change(after, trace=(*after.trace, step))


def drop_input(decision: Decision) -> Decision:
    """The decision as if nobody had rewritten anything."""
    if decision.kind is not Kind.REWRITE:
        return change(decision, input=None)
    return change(decision, input=None, kind=Kind.ALLOW if decision.allowed else _find_remaining_kind(decision))


def _find_remaining_kind(decision: Decision) -> Kind:
    return Kind.ADVISE if decision.context or decision.messages or decision.feedback else Kind.NONE


def _settle_advice(decision: Decision) -> Decision:
    """Turn advice of which no text is left into no decision."""
    return change(decision, kind=_find_remaining_kind(decision)) if decision.kind is Kind.ADVISE else decision


def _degrade_rewrite(decision: Decision, can: Capability) -> MappedDecision | None:
    if decision.input is None:
        empty = decision.kind is Kind.REWRITE
        return (drop_input(decision), "rewrite of nothing: dropped") if empty else None
    if can.rewrite:
        return None
    if decision.kind is Kind.DENY:
        return change(decision, input=None), "a denied call is not rewritten"
    # The person who is asked has to see what would run instead: the question is all that reaches them.
    if decision.kind is Kind.ASK:
        return change(
            decision, input=None, reason=_describe_rewrite(decision)
        ), "rewrite not possible here: told in the question"
    if can.deny:
        denied = change(decision, kind=Kind.DENY, input=None, allowed=False, reason=_describe_rewrite(decision))
        return denied, "rewrite not possible here: denied with the corrected input in the reason"
    return drop_input(decision), "rewrite not possible here: dropped"


def _describe_rewrite(decision: Decision) -> str:
    return f"{decision.reason}\nUse instead: {_show_input(decision.input or {})}".strip()


def _show_input(new: Input) -> str:
    command = new.get("command")
    return command if isinstance(command, str) else to_json(new).decode()


def _degrade_ask(decision: Decision, can: Capability) -> MappedDecision | None:
    if decision.kind is not Kind.ASK or can.ask:
        return None
    if can.deny:
        return change(decision, kind=Kind.DENY), "ask not possible here: denied"
    told = change(decision, messages=_add_text(decision.messages, decision.reason))
    return change(told, kind=_find_remaining_kind(told)), "ask not possible here: told to the user"


def _degrade_deny(decision: Decision, can: Capability) -> MappedDecision | None:
    if decision.kind is not Kind.DENY or can.deny:
        return None
    if can.feedback:
        told = change(decision, feedback=_add_text(decision.feedback, decision.reason))
        return change(told, kind=_find_remaining_kind(told)), "deny not possible here: told to the model"
    told = change(decision, messages=_add_text(decision.messages, decision.reason))
    return change(told, kind=_find_remaining_kind(told)), "deny not possible here: told to the user"


def _add_text(texts: tuple[str, ...], text: str) -> tuple[str, ...]:
    return (*texts, text) if text and text not in texts else texts


def _degrade_feedback(decision: Decision, can: Capability) -> MappedDecision | None:
    if not decision.feedback or can.feedback:
        return None
    told = change(decision, feedback=(), context=(*decision.context, *decision.feedback))
    return told, "feedback not possible here: told as context"


def _degrade_allow(decision: Decision, can: Capability) -> MappedDecision | None:
    if decision.kind is not Kind.ALLOW or can.allow:
        return None
    return change(decision, kind=_find_remaining_kind(decision), allowed=False), "there is no permission to give here"


def _degrade_context(decision: Decision, can: Capability) -> MappedDecision | None:
    if not decision.context or can.context:
        return None
    # Never dropped: the store keeps the text until the session has an event that reaches the model.
    later = tuple(Deliver(text) for text in decision.context)
    kept = _settle_advice(change(decision, context=(), effects=(*decision.effects, *later)))
    return kept, "context not possible here: kept for the session's next event that can carry it"


def _degrade_message(decision: Decision, can: Capability) -> MappedDecision | None:
    if not decision.messages or can.message:
        return None
    told = _settle_advice(change(decision, messages=(), warnings=(*decision.warnings, *decision.messages)))
    return told, "message to the user not possible here: written to stderr"


def _degrade_extras(decision: Decision, can: Capability) -> MappedDecision | None:
    unknown = sorted(str(name) for name in decision.extras if name not in can.extras)
    if not unknown:
        return None
    kept = {name: value for name, value in decision.extras.items() if name in can.extras}
    return change(decision, extras=kept), f"not honoured here: {', '.join(unknown)}"


DEGRADE_RULES: tuple[DegradeRule, ...] = (
    _degrade_rewrite,
    _degrade_ask,
    _degrade_deny,
    _degrade_feedback,
    _degrade_allow,
    _degrade_context,
    _degrade_message,
    _degrade_extras,
)
"""In this order: what one rule makes, a later one may still have to map."""
