"""What is answered where the judge itself fails: a defect, bytes that are no event, declarations nobody could read.

Before an act each of these is a question, and a refusal where the agent cannot ask. None of them is ever an allow.
"""

import logging

import msgspec

from synaptic.agents.shared.discover import find_adapter, has_dialect
from synaptic.agents.shared.recognise import is_before_act
from synaptic.engine.alarm import Judgement, OutOfTimeError
from synaptic.engine.decode_call import decode_call
from synaptic.model.call import Answer, Call, Request
from synaptic.model.decision import Decision, Kind
from synaptic.model.event import Timing, ToolEvent

log = logging.getLogger(__name__)

BLOCKING_EXIT = 2
"""What most agents take for a refusal, whatever else they speak."""


def ask_in_doubt(decision: Decision, call: Call, doubt: str) -> Decision:
    """An act that nobody could judge by all that was declared is a question; what is stricter stays."""
    if call.event.TIMING is not Timing.BEFORE or not isinstance(call.event, ToolEvent):
        return decision
    if decision.kind.rank >= Kind.ASK.rank:
        return decision
    reason = (
        f"Synaptic could not read everything that was declared for this project ({doubt}), so this call was not judged "
        "by all of it. Look at it yourself before you allow it. The next call tries again. Type: synaptic doctor"
    )
    return msgspec.structs.replace(decision, kind=Kind.ASK, by="engine", reason=reason, allowed=False)


def answer_defect(request: Request, error: Exception) -> Answer:
    """A question in the place of the decision that a defect has prevented; after the act, the defect itself."""
    wire = find_adapter(request.agent)
    if not is_before_act(request.agent, request.event):
        if isinstance(error, OutOfTimeError):  # whoever asked again would wait as long again
            return Answer(stderr=f"synaptic: this event is not in the journal: {error}\n".encode("utf-8", "replace"))
        raise error
    log.error("call %s could not be judged", request.id, exc_info=error)
    what = f"{type(error).__name__}: {error}"
    reason = (
        f"Synaptic failed and has not judged this call ({what}). Look at it yourself before you allow it, and type: "
        "synaptic doctor"
    )
    try:
        with Judgement():
            call = decode_call(wire, request)
            answer = wire.encode(call, wire.degrade(call, Decision(kind=Kind.ASK, by="engine", reason=reason)))
    except Exception:  # noqa: BLE001 - the dialect itself may be what fails: its plainest answer needs no call
        answer = wire.refuse(request.event, reason)
    line = f"synaptic: this event is not in the journal: {what}\n"
    return msgspec.structs.replace(answer, stderr=answer.stderr + line.encode("utf-8", "replace"))


def answer_unreadable(request: Request, call: Call, warning: str, *, is_closed: bool) -> Answer:
    """A refusal of bytes that are no event, before an act or where the user wants it; otherwise the warning alone."""
    is_before = is_before_act(request.agent, request.event)
    line = f"synaptic: {warning}\n".encode("utf-8", "replace")
    if not has_dialect(request.agent):
        return Answer(stderr=line, exit=BLOCKING_EXIT if is_before else 0)
    wire = find_adapter(request.agent)
    if is_closed or is_before:
        return wire.refuse(request.event, warning)
    return msgspec.structs.replace(wire.encode(call, Decision()), stderr=line)
