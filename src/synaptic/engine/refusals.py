"""How often a session was refused the same call, since its user last spoke."""

import msgspec

from synaptic.model.call import Call
from synaptic.model.decision import Decision, Kind
from synaptic.model.errors import StoreError
from synaptic.model.event import PreToolUse, UserPromptSubmit
from synaptic.model.state import Change
from synaptic.pipeline.escalate import escalated, fingerprint
from synaptic.policies.fleet.pre_tool_use import Heartbeat
from synaptic.policies.prompt import typed
from synaptic.store import state
from synaptic.store.db import Store

SECTION = "session:refusals"


def counted(store: Store, call: Call, decision: Decision) -> Decision:
    """The decision with what earlier refusals of the same call add to it. A prompt of the user starts anew."""
    event = call.event
    if isinstance(event, UserPromptSubmit):
        spoken = event.session_id and typed(event.prompt, event.source) and _before(store, call)
        return _with(decision, Change(section=SECTION, clear=True)) if spoken else decision
    if not isinstance(event, PreToolUse) or decision.kind is not Kind.DENY or not event.session_id:
        return decision
    if decision.by == Heartbeat.id:
        return decision  # it is about the log that is missing: the same call is welcome after it
    name = fingerprint(event.tool)
    before = _before(store, call).get(name, 0)
    times = before if isinstance(before, int) else 0
    return _with(escalated(decision, event.tool, times, event.permission_mode), Change(section=SECTION, add={name: 1}))


def _before(store: Store, call: Call) -> dict[str, object]:
    owner = state.Owner(call.root, call.event.session_id)
    try:
        return dict(state.read(store, owner, (SECTION,)).section(SECTION))
    except StoreError:
        return {}  # what cannot be counted is refused as if it were the first time


def _with(decision: Decision, change: Change) -> Decision:
    return msgspec.structs.replace(decision, effects=(*decision.effects, change))
