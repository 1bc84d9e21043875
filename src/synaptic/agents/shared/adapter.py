"""An adapter made of a dialect, a table of capabilities and the shape of its answers."""

from collections.abc import Callable, Mapping

from synaptic.agents.base import Capability
from synaptic.agents.shared.answers import format_stderr
from synaptic.agents.shared.degrade import change, degrade_decision, note_degraded
from synaptic.agents.shared.payload import Payload, to_json, to_line
from synaptic.agents.shared.translate import Dialect, decode_request, to_native_input
from synaptic.model.call import Answer, Call, Request
from synaptic.model.decision import Decision, Kind
from synaptic.model.effect import Deliver
from synaptic.model.event import Event, Timing, ToolEvent

NO_CAPABILITY = Capability()
UNIVERSAL_EXTRAS: Mapping[str, type] = {
    "continue": bool,
    "stopReason": str,
    "suppressOutput": bool,
    "systemMessage": str,
}
"""Fields beyond the verdict that these agents took over from Claude Code, and their types."""

AnswerShape = Callable[[Call, Decision], Payload]
"""A degraded decision as the JSON that one agent reads; nothing to say is empty."""


def add_timeouts(table: Mapping[str, Capability], default: float, others: Mapping[str, float]) -> dict[str, Capability]:
    """The table with the seconds that the agent is asked to wait."""
    return {event: change(can, timeout=others.get(event, default)) for event, can in table.items()}


class DialectAdapter:
    """The adapter of an agent that reads JSON from a hook's stdout and an exit code of 0."""

    def __init__(self, dialect: Dialect, table: Mapping[str, Capability], shape: AnswerShape) -> None:
        self.name = dialect.agent
        self.dialect = dialect
        self.table = table
        self.shape = shape

    def decode(self, request: Request) -> Call:
        return decode_request(request, self.dialect)

    def to_canonical(self, event: str) -> str:
        return self.dialect.to_canonical(event)

    def get_capability(self, event: str) -> Capability:
        """By the event's canonical or native name."""
        return self.table.get(self.dialect.to_canonical(event), NO_CAPABILITY)

    def degrade(self, call: Call, decision: Decision) -> Decision:
        decision = _drop_bad_extras(_block_to_message(call.event, decision, self.name), self.name)
        can = self.limit_capability(call, decision)
        decision = degrade_decision(_explain_rewrite(degrade_decision(decision, can, self.name)), can, self.name)
        narrow = self.narrow_capability(call, decision, can)
        return decision if narrow is can else degrade_decision(decision, narrow, self.name)

    def encode(self, call: Call, decision: Decision) -> Answer:
        stderr = format_stderr(call, decision)
        if decision.warnings and not self.get_capability(call.event.hook_event_name).message:
            decision = change(decision, warnings=())
        body = self.shape(call, decision)
        return Answer(stdout=to_json(body) if body else b"", stderr=stderr)

    def refuse(self, event: str, reason: str) -> Answer:
        name = self.dialect.to_canonical(event)
        if not self.get_capability(name).deny:
            return Answer(stderr=to_line(reason))
        payload = {"native_event_name": event} if event != name else {}
        call = Call("", self.name, ToolEvent(hook_event_name=name), payload)
        answer = self.encode(call, Decision(kind=Kind.DENY, reason=reason))
        return answer if answer.stderr else change(answer, stderr=to_line(reason))

    def limit_capability(self, call: Call, decision: Decision) -> Capability:
        """What the event can honour of this decision. An input that the agent's arguments cannot express exactly is not
        sent as a rewrite: the agent would run something that no hook has judged."""
        can = self.get_capability(call.event.hook_event_name)
        if can.rewrite and decision.input is not None and to_native_input(call, self.dialect, decision.input) is None:
            return change(can, rewrite=False)
        return can

    def narrow_capability(self, call: Call, decision: Decision, can: Capability) -> Capability:
        """What the decision itself rules out: a prompt that is refused carries nothing to the model."""
        if decision.kind is Kind.DENY and can.context and not isinstance(call.event, ToolEvent):
            return change(can, context=False)
        return can


def _explain_rewrite(decision: Decision) -> Decision:
    """Tell the model why its call was rewritten, now or with the next event that can carry text."""
    why = decision.reason.strip()
    if decision.kind is not Kind.REWRITE or not why or why in decision.context or Deliver(why) in decision.effects:
        return decision
    return change(decision, context=(*decision.context, why))


def _block_to_message(event: Event, decision: Decision, agent: str) -> Decision:
    """Show a block to the user where the event only reports something and nothing can be blocked."""
    if event.TIMING is not Timing.OBSERVE or not decision.feedback:
        return decision
    told = change(decision, feedback=(), messages=(*decision.messages, *decision.feedback))
    return note_degraded(decision, (told, "nothing can be blocked here: told to the user"), agent)


def _drop_bad_extras(decision: Decision, agent: str) -> Decision:
    bad = [name for name, kind in UNIVERSAL_EXTRAS.items() if not isinstance(decision.extras.get(name, kind()), kind)]
    if not bad:
        return decision
    kept = {name: value for name, value in decision.extras.items() if name not in bad}
    return note_degraded(decision, (change(decision, extras=kept), f"value not valid: {', '.join(sorted(bad))}"), agent)
