"""The stop of an agent's session: an agent that stops raises `SessionStop`, with the files that its session changed."""

import asyncio
import time

import msgspec

from synaptic.agents.base import Capability
from synaptic.agents.shared.degrade import degrade_decision
from synaptic.agents.shared.discover import OWN_NAME
from synaptic.hooks.select import SelectedHooks, compile_selection
from synaptic.model.call import Call
from synaptic.model.decision import RAISED, Decision, Kind, TraceStep
from synaptic.model.event import Event, SessionEnd, SessionStop, Stop
from synaptic.pipeline.changed_files import list_changed_files
from synaptic.pipeline.merge import merge_part
from synaptic.pipeline.run import Runtime, run_hooks
from synaptic.store.changed_files import SessionHistory

STOP_EVENT = SessionStop.__name__
TOLD_CAPABILITY = Capability(context=True)
"""What hooks of a stop may say: texts and results. Nothing that they answer holds the agent up, so nothing can loop."""


def is_stop(call: Call) -> bool:
    """Whether an agent's own session stops or ends here: no sub-agent's, and no orchestrator's, which emits its own."""
    return type(call.event) in (Stop, SessionEnd) and not call.event.agent_id and call.agent != OWN_NAME


async def add_session_stop(call: Call, asked: SelectedHooks, decision: Decision, runtime: Runtime) -> Decision:
    """The decision about a stop with what the hooks of `SessionStop` add. An agent that is kept going does not stop."""
    if decision.feedback or decision.kind is Kind.DENY or not runtime.listens_to(STOP_EVENT):
        return decision
    # A long session has much to read: other events go on meanwhile.
    history = await asyncio.to_thread(runtime.recall_session, call)
    if isinstance(call.event, SessionEnd) and history.raised and not history.has_acted:
        return decision  # it has stopped before it ended
    return merge_part(decision, await _ask_hooks(call, asked, history, runtime))


async def _ask_hooks(call: Call, asked: SelectedHooks, history: SessionHistory, runtime: Runtime) -> Decision:
    files = await _find_files(call, history)
    stop = _make_call(call, tuple(files))
    # Conditions on files are about what is new, so that a check runs once for a change, not at each later stop again.
    news = _make_call(call, tuple(path for path, number in files.items() if number > history.raised))
    concerned = _drop_asked_policies(runtime.select(news), asked)
    told = degrade_decision(await run_hooks(stop, concerned, runtime), TOLD_CAPABILITY, STOP_EVENT)
    mark = TraceStep(hook=STOP_EVENT, phase=RAISED, note=f"{len(files)} changed files")
    return msgspec.structs.replace(told, trace=(mark, *told.trace))


async def _find_files(call: Call, history: SessionHistory) -> dict[str, int]:
    if not history.calls or not call.root:
        return {}
    return await asyncio.to_thread(list_changed_files, history.calls, call.root, call.env.get("HOME", ""))


def _drop_asked_policies(found: SelectedHooks, asked: SelectedHooks) -> SelectedHooks:
    """Without the policies that listen to the agent's own event as well: they have had their say about this stop."""
    known = {hook.id for hook, policy in zip(asked.hooks, asked.policies, strict=True) if policy is not None}
    return compile_selection(tuple(hook for hook in found.hooks if hook.id not in known), found.hook_log)


def _make_call(call: Call, changed: tuple[str, ...]) -> Call:
    base = {name: getattr(call.event, name) for name in Event.__struct_fields__}
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(call.at))
    named = {"hook_event_name": STOP_EVENT, "changed_files": changed, "timestamp": at, "repository_root": call.root}
    event = SessionStop(**{**base, **named})
    return msgspec.structs.replace(call, event=event, payload=make_orchestrator_payload(event, call))


def make_orchestrator_payload(event: Event, call: Call) -> dict[str, object]:
    """The context of an event that an agent's own one stands for, as an orchestrator would send it."""
    fields = {key: value for key, value in msgspec.structs.asdict(event).items() if value not in ("", None)}
    caller = {"source": "ai_session", "agent": call.agent}
    return {**fields, "event_type": event.hook_event_name, "repository_root": call.root, "caller": caller}
