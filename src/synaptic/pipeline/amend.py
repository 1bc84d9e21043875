"""What follows the merge: a decision is amended by what earlier events have left, in one written order."""

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

import msgspec

from synaptic.agents.base import Adapter
from synaptic.agents.shared.discover import OWN_NAME
from synaptic.model.call import Call
from synaptic.model.decision import Decision, Kind
from synaptic.model.event import PermissionRequest, PreToolUse, SessionStart, Timing, ToolEvent, UserPromptSubmit
from synaptic.model.grant import make_code
from synaptic.model.state import Change, State
from synaptic.pipeline.decide import Deliberation
from synaptic.pipeline.escalate import escalate_refusal, fingerprint_call
from synaptic.pipeline.hints import add_documents, make_log_lines, tell_hints
from synaptic.pipeline.lifting import quote_call
from synaptic.policies.base import load_policies
from synaptic.policies.facts import Facts
from synaptic.policies.prompt import is_typed
from synaptic.policies.sane.refuse import has_record, record_refusal
from synaptic.store.record import Delivery

REFUSALS_SECTION = "session:refusals"
HANDLE_TEXT = "[synaptic {policies}, a person may allow it: synaptic allow {code}]"
NO_EXCEPTION_TEXT = "[synaptic {policies}: nobody can make an exception to this]"
TOLD_TEXT = "Synaptic refused `{what}` ({policy}). If you want it to run once, type: synaptic allow {code}"
MOST_TOLD = 160
"""Characters of a call that a message to the person quotes."""
"""How often a session was refused the same call by the same policy, since its user last spoke."""
MAX_REFUSALS = 100
"""Different refused calls of a session whose repetitions are counted; the section is written whole each time."""
ASKED = "?"
"""Behind a call's name in that section: when the user was asked about it, and the number of that call."""


class Recollection(Protocol):
    """What earlier events have left. Nothing is remembered where the store cannot be read: no method raises."""

    stop_cap: int
    """Blocks of a stop in a row after which the agent may stop."""

    def read_refusals(self, call: Call) -> Mapping[str, object]:
        """How often the session was refused, by the call's fingerprint."""

    def has_run(self, call: Call, number: str, since: float) -> bool:
        """Whether the agent has reported, since then, the result of that call of the same tool in the same session."""

    def read_audit(self, call: Call) -> State | None:
        """The refusals noted so far, where the project keeps a list of them; None where it does not."""

    def read_told_hints(self, call: Call) -> tuple[object, ...]:
        """Abilities and documents that the session has heard of."""

    def find_documents(self, call: Call, intent: dict[str, object]) -> Iterable[dict[str, object]]:
        """Documents of the project that fit an intent."""

    def take_notices(self) -> Iterable[str]:
        """What a session should hear once, at its start: what was skipped, what is broken."""

    def count_stop_blocks(self, call: Call) -> int:
        """How often in a row the agent was kept from stopping."""

    def find_deliveries(self, call: Call) -> tuple[Delivery, ...]:
        """Texts that wait for an event which reaches the model."""


class AmendContext(msgspec.Struct, frozen=True, kw_only=True):
    """One event on its way through the amendments."""

    call: Call
    wire: Adapter
    memory: Recollection
    hook_log: str
    carried: tuple[Delivery, ...]
    counted: "dict[str, _Repeats]" = msgspec.field(default_factory=dict)
    """How often each policy has refused this call before: looked up once."""


Amendment = Callable[[Decision, AmendContext], Decision]


class AmendedDecision(msgspec.Struct, frozen=True):
    """The decision as the agent is told, and the deliveries that it carries."""

    decision: Decision
    carried: tuple[Delivery, ...]


def amend_decision(call: Call, made: Deliberation, wire: Adapter, memory: Recollection) -> AmendedDecision:
    """All amendments, in this order."""
    carried = _find_deliveries(call, wire, memory)
    about = AmendContext(call=call, wire=wire, memory=memory, hook_log=made.hook_log, carried=carried)
    decision = made.decision
    for amendment in LAST_AMENDMENTS if _has_nothing_to_amend(decision, about) else AMENDMENTS:
        decision = amendment(decision, about)
    return AmendedDecision(decision, carried)


def _has_nothing_to_amend(decision: Decision, about: AmendContext) -> bool:
    """Whether silence stays silence: nothing waits to be told, and the event itself brings nothing up."""
    return not about.carried and not isinstance(about.call.event, TELLING_EVENTS) and decision.is_silent


def count_refusal(decision: Decision, about: AmendContext) -> Decision:
    """A refusal that is repeated grows firmer; a prompt of the user starts the count anew, and so does their yes."""
    event = about.call.event
    if isinstance(event, UserPromptSubmit):
        speaks = event.session_id and is_typed(event.prompt, event.source) and about.memory.read_refusals(about.call)
        return _add_effect(decision, Change(section=REFUSALS_SECTION, clear=True)) if speaks else decision
    if not isinstance(event, PreToolUse) or not event.session_id:
        return decision
    if decision.grants:
        decision = _forget_lifted(decision, event, about)
    if decision.kind is not Kind.DENY:
        return decision
    policy = load_policies().get(decision.by)
    # Some refusals are not about the call, such as the one for a missing log (decision 81): they never escalate.
    if policy is not None and not policy.counts_repeats:
        return decision
    past = _recall_repeats(event, decision.by, about)
    firmer = escalate_refusal(decision, event.tool, past.before, event.permission_mode)
    name = past.name
    asked = {name + ASKED: [event.tool_use_id, about.call.at]} if firmer.kind is Kind.ASK and event.tool_use_id else {}
    # Added where nothing was answered: two refusals at once both count.
    anew = {name: 0} if past.is_answered else {}
    gone = (name + ASKED,) if past.is_answered else ()
    change = Change(section=REFUSALS_SECTION, put={**anew, **asked}, add={name: 1}, drop=gone, most=MAX_REFUSALS)
    return _add_effect(firmer, change)


class _Repeats(msgspec.Struct, frozen=True):
    """How often a policy has refused this very call since the user last spoke, or said yes to it."""

    name: str
    """Of the call, by the policy."""
    before: int = 0
    is_answered: bool = False
    """The user was asked about it, and it ran."""


def _recall_repeats(event: ToolEvent, policy: str, about: AmendContext) -> _Repeats:
    if policy not in about.counted:
        about.counted[policy] = _read_repeats(event, policy, about)
    return about.counted[policy]


def _read_repeats(event: ToolEvent, policy: str, about: AmendContext) -> _Repeats:
    known, name = about.memory.read_refusals(about.call), fingerprint_call(event.tool, policy)
    before = known.get(name)
    match known.get(name + ASKED):
        case [str(number), int() | float() as since] if about.memory.has_run(about.call, number, since):
            return _Repeats(name, is_answered=True)
    return _Repeats(name, before if isinstance(before, int) else 0)


def _forget_lifted(decision: Decision, event: PreToolUse, about: AmendContext) -> Decision:
    """Where a person has made an exception, nothing was refused that the agent should have stopped asking for."""
    lifted = {fingerprint_call(event.tool, step.hook) for step in decision.trace if step.phase == "lifted"}
    known = about.memory.read_refusals(about.call)
    gone = tuple(key for key in known if key.removesuffix(ASKED) in lifted)
    return _add_effect(decision, Change(section=REFUSALS_SECTION, drop=gone)) if gone else decision


def write_hook_log(decision: Decision, about: AmendContext) -> Decision:
    """What hooks log goes to the file of the policy that keeps one."""
    if decision.result is None or not decision.result.logs or not about.hook_log or not about.call.root:
        return decision
    lines = make_log_lines(about.call, decision.result, about.hook_log)
    return msgspec.structs.replace(decision, effects=decision.effects + lines)


def find_documents(decision: Decision, about: AmendContext) -> Decision:
    """Documents for the intents that hooks have seen in a prompt."""
    if decision.result is None or not about.call.root:
        return decision
    result = add_documents(decision.result, lambda intent: about.memory.find_documents(about.call, intent))
    return msgspec.structs.replace(decision, result=result)


def tell_new_hints(decision: Decision, about: AmendContext) -> Decision:
    """An agent's model is told of every hint once a session.

    An orchestrator that speaks our own dialect gets the hints themselves, and decides what it repeats.
    """
    result = decision.result
    if result is None or about.wire.name == OWN_NAME:
        return decision
    if not result.suggested_abilities and not result.suggested_documents:
        return decision
    return tell_hints(decision, about.memory.read_told_hints(about.call))


def announce_notices(decision: Decision, about: AmendContext) -> Decision:
    """What is broken or was skipped, to a session that starts."""
    if not isinstance(about.call.event, SessionStart):
        return decision
    notices = tuple(f"synaptic: {notice}" for notice in about.memory.take_notices())
    return msgspec.structs.replace(decision, messages=decision.messages + notices)


def cap_stop_blocks(decision: Decision, about: AmendContext) -> Decision:
    """Let the agent stop after a number of blocks in a row, even if the agent's own loop protection fails."""
    if about.call.event.TIMING is not Timing.STOP or not decision.feedback:
        return decision
    blocked = about.memory.count_stop_blocks(about.call)
    if blocked < about.memory.stop_cap:
        return decision
    told = f"{decision.by} wanted to keep the agent from stopping for the {blocked + 1}th time; it may stop"
    return msgspec.structs.replace(decision, feedback=(), reason="", warnings=(*decision.warnings, told))


def carry_deliveries(decision: Decision, about: AmendContext) -> Decision:
    """Texts that have been waiting for an event which reaches the model."""
    if not about.carried:
        return decision
    texts = tuple(delivery.text for delivery in about.carried)
    return msgspec.structs.replace(decision, context=decision.context + texts)


def add_handle(decision: Decision, about: AmendContext) -> Decision:
    """How a person finds a refusal or a question again and may lift it, for the model and, the first time, for them."""
    if not decision.refused or not about.call.id:
        return decision
    names = ", ".join(dict.fromkeys(act.policy for act in decision.refused))
    if not all(act.is_grantable for act in decision.refused):
        return _replace_reason(decision, NO_EXCEPTION_TEXT.format(policies=names))
    code = make_code(decision.refused, about.call.root)
    handled = _replace_reason(decision, HANDLE_TEXT.format(policies=names, code=code))
    told = () if _is_told_otherwise(decision, about) else (_tell_person(decision, about.call, code),)
    return msgspec.structs.replace(handled, code=code, messages=handled.messages + told)


def _is_told_otherwise(decision: Decision, about: AmendContext) -> bool:
    """Whether the person is asked by the agent itself, or was told of this refusal before."""
    event = about.call.event
    if decision.kind is Kind.ASK and about.wire.get_capability(event.hook_event_name).ask:
        return True
    return isinstance(event, ToolEvent) and bool(_recall_repeats(event, decision.by, about).before)


def _tell_person(decision: Decision, call: Call, code: str) -> str:
    return TOLD_TEXT.format(policy=decision.by, what=quote_call(call, MOST_TOLD), code=code)


def _replace_reason(decision: Decision, handle: str) -> Decision:
    return msgspec.structs.replace(decision, reason=f"{decision.reason}\n{handle}" if decision.reason else handle)


def degrade_for_agent(decision: Decision, about: AmendContext) -> Decision:
    """The decision in terms that this agent can honour on this event."""
    return about.wire.degrade(about.call, decision)


def note_refusal(decision: Decision, about: AmendContext) -> Decision:
    """A refused tool call is among the project's recent refusals and in its logs, whoever refused it."""
    call, event = about.call, about.call.event
    if decision.kind is not Kind.DENY or not isinstance(event, PreToolUse | PermissionRequest) or not call.root:
        return decision
    # The gates that keep these files carry the record with their verdict: how often they refused decides what they say.
    known = None if has_record(decision.effects) else about.memory.read_audit(call)
    if known is None:
        return decision
    facts = Facts(root=call.root, now=call.at, state=known)
    noted = record_refusal(decision.by or "engine", event, facts, decision.reason)
    return msgspec.structs.replace(decision, effects=decision.effects + noted)


def _find_deliveries(call: Call, wire: Adapter, memory: Recollection) -> tuple[Delivery, ...]:
    event = call.event
    if not event.session_id or not wire.get_capability(event.hook_event_name).context:
        return ()
    return memory.find_deliveries(call)


def _add_effect(decision: Decision, change: Change) -> Decision:
    return msgspec.structs.replace(decision, effects=(*decision.effects, change))


TELLING_EVENTS = (UserPromptSubmit, SessionStart)
"""Events at which something may be remembered or announced that no hook has brought up."""
LAST_AMENDMENTS: tuple[Amendment, ...] = (
    degrade_for_agent,  # everything before it is mapped to what this agent can honour
    note_refusal,  # last: a question that this agent cannot ask has become a refusal
)
AMENDMENTS: tuple[Amendment, ...] = (
    count_refusal,  # first: what a repeated refusal becomes is what everything after it is told beside
    write_hook_log,  # the lines of the hooks themselves, before documents are added to their results
    find_documents,  # before hints, which are told once and must be complete
    tell_new_hints,
    announce_notices,
    cap_stop_blocks,  # after all that may block a stop
    carry_deliveries,  # after the cap: what waited is no reason to go on
    add_handle,  # before it is said in the agent's own terms: a question may become a refusal there
    *LAST_AMENDMENTS,
)
