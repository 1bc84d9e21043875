"""Synaptic's own dialect, for orchestrators of abilities.

In: one JSON object with `event_type` (or the event as the command argument), `session_id`, `timestamp` and the
fields of its event; `user_message` is the prompt, `repository_root` the working directory when there is no `cwd`.
A missing or odd field is a warning on stderr, a field nobody knows stays for the handlers.

Out: the merged HookResult as one JSON object, or nothing. `messages_to_user` also carries what hooks told the user
or the model. A denied event has `error` (the reason, or `blocked_by_policy` when a hook said so) and exit code 2;
everything else is exit code 0. Only events before the act can be denied.
"""

from synaptic.agents.base import Capability
from synaptic.agents.shared.degrade import change, degrade_decision, note_degraded
from synaptic.agents.shared.payload import Payload, find_event_name, read_object, to_event, to_json, to_line
from synaptic.model.call import Answer, Call, Request
from synaptic.model.decision import Decision, Kind
from synaptic.model.event import EVENTS, Timing, Unknown
from synaptic.model.result import BLOCKED_ERROR, HookResult

EVENT_KEYS = ("event_type", "hook_event_name")
REQUIRED_FIELDS = {
    "UserPromptSubmit": ("user_message",),
    "PreAbilityCall": ("ability_id",),
    "PostAbilityCall": ("ability_id", "status"),
}
BASE_FIELDS = ("session_id", "timestamp")
FIELD_CHOICES = {
    "stage": ("understand", "plan", "act", "review"),
    "status": ("success", "failure", "skipped"),
}
FIELD_ALIASES = {"prompt": "user_message", "cwd": "repository_root"}

BEFORE_CAPABILITY = Capability(deny=True, context=True, feedback=True)
OTHER_CAPABILITY = Capability(context=True, feedback=True)


class OwnDialectAdapter:
    """The adapter of ability orchestrators, which use our own event format."""

    name = "synaptic"

    def decode(self, request: Request) -> Call:
        payload, repaired = read_object(request)
        key = EVENT_KEYS[0] if EVENT_KEYS[0] in payload else EVENT_KEYS[1]
        name, doubt = find_event_name(request, payload, key)
        odd = _find_odd_fields(name, payload)
        event, dropped = to_event(EVENTS.get(name, Unknown), _to_canonical_fields(name, payload), self.name)
        return Call(
            id=request.id,
            agent=request.agent,
            event=event,
            payload=payload,
            env=request.env,
            warnings=repaired + doubt + odd + dropped,
        )

    def to_canonical(self, event: str) -> str:
        return event

    def get_capability(self, event: str) -> Capability:
        kind = EVENTS.get(event)
        if kind is None:
            return Capability()
        return BEFORE_CAPABILITY if kind.TIMING is Timing.BEFORE else OTHER_CAPABILITY

    def degrade(self, call: Call, decision: Decision) -> Decision:
        decision = degrade_decision(decision, self.get_capability(call.event.hook_event_name), self.name)
        if decision.kind is Kind.DENY or not decision.result or decision.result.error != BLOCKED_ERROR:
            return decision
        kept = change(decision, result=change(decision.result, error=""))
        return note_degraded(decision, (kept, f"{BLOCKED_ERROR} without a deny: the error was left out"), self.name)

    def encode(self, call: Call, decision: Decision) -> Answer:
        warnings = dict.fromkeys(call.warnings + decision.warnings)
        stderr = b"".join(map(to_line, warnings))
        result = _build_result(decision)
        stdout = to_json(result) if result != HookResult() else b""
        return Answer(stdout=stdout, stderr=stderr, exit=2 if decision.kind is Kind.DENY else 0)

    def refuse(self, event: str, reason: str) -> Answer:
        if not self.get_capability(event).deny:
            return Answer(stderr=to_line(reason))
        return Answer(stdout=to_json(HookResult(error=reason)), stderr=to_line(reason), exit=2)


ADAPTER = OwnDialectAdapter()


def _to_canonical_fields(name: str, payload: Payload) -> Payload:
    """The fields of the event; handlers still get the context exactly as it was sent."""
    aliased = {key: payload[alias] for key, alias in FIELD_ALIASES.items() if isinstance(payload.get(alias), str)}
    return {**aliased, **payload, **dict.fromkeys(EVENT_KEYS, name)}


def _find_odd_fields(name: str, payload: Payload) -> tuple[str, ...]:
    needed = (*BASE_FIELDS, *REQUIRED_FIELDS.get(name, ()))
    missing = [f"synaptic: {name}.{key} is missing" for key in needed if payload.get(key) is None]
    unusual = [
        f"synaptic: {name}.{key} is {value!r}, expected {', '.join(known)}"
        for key, known in FIELD_CHOICES.items()
        if isinstance(value := payload.get(key), str) and value not in known
    ]
    return (*missing, *unusual)


def _build_result(decision: Decision) -> HookResult:
    result = decision.result or HookResult()
    texts = (*result.messages_to_user, *decision.messages, *decision.feedback, *decision.context)
    if decision.kind is not Kind.DENY:
        return change(result, messages_to_user=_drop_repeats(texts))
    reason = decision.reason.strip() or f"denied by {decision.by or 'a hook'}"
    error = BLOCKED_ERROR if result.error == BLOCKED_ERROR else reason
    # A guard's reason is its error and its messages: whoever reads those has read it.
    known = (error, f"{error}: {' '.join(result.messages_to_user)}")
    texts = (*texts, *(text for text in (result.error, reason) if text not in known))
    return change(result, messages_to_user=_drop_repeats(texts), error=error)


def _drop_repeats(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for text in texts if text))
