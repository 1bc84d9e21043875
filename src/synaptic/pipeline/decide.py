"""Deciding one call: its hooks, those of each file that it patches, and those of the further event it stands for."""

import time

import msgspec

from synaptic.agents.shared.discover import OWN_NAME
from synaptic.hooks.select import SelectedHooks, compile_selection
from synaptic.model.call import Call
from synaptic.model.decision import Decision, Kind
from synaptic.model.event import ToolEvent
from synaptic.pipeline.merge import merge_part
from synaptic.pipeline.patch_files import drop_asked, limit_to_share, split_by_file
from synaptic.pipeline.run import Runtime, run_hooks
from synaptic.pipeline.session_stop import add_session_stop, is_stop, make_orchestrator_payload

BLOCKING_ONLY = "SYNAPTIC_BLOCKING_ONLY"
"""In the environment of an orchestrator's request: only hooks that block are asked."""


class Deliberation(msgspec.Struct, frozen=True):
    """What all hooks say together about a call, and where they log."""

    decision: Decision
    hook_log: str = ""
    """A file below the project's root; empty where no policy keeps one."""


async def decide_call(call: Call, runtime: Runtime) -> Deliberation:
    """Ask every hook that the call concerns, as a whole and by its parts. A deny ends it."""
    selected = runtime.select(call)
    if call.agent == OWN_NAME and call.env.get(BLOCKING_ONLY) == "1":
        selected = compile_selection(tuple(hook for hook in selected.hooks if hook.blocking), selected.hook_log)
    decision = await run_hooks(call, selected, runtime)
    log = selected.hook_log
    # The parts are those of the call as it leaves, not as it came: a rewrite may have changed the patch or the ability.
    final = call if decision.input is None else call.with_input(decision.input)
    # A hook that matches `Write|Edit` never sees a patch of several files as such, so it is asked file by file.
    for part in split_by_file(final):
        if decision.kind is Kind.DENY:
            break
        unasked = drop_asked(runtime.select(part), selected)
        decision = merge_part(decision, limit_to_share(await run_hooks(part, unasked, runtime)))
    if selected.deriver is not None and decision.kind is not Kind.DENY and (further := _derive_call(final, selected)):
        concerned = runtime.select(further)
        log = log or concerned.hook_log
        decision = merge_part(decision, await run_hooks(further, concerned, runtime))
    if is_stop(call):
        decision = await add_session_stop(call, selected, decision, runtime)
    return Deliberation(decision, log)


def _derive_call(call: Call, selected: SelectedHooks) -> Call | None:
    """The call of the further event that this one stands for; None where the policy maps it to none."""
    if selected.deriver is None or not isinstance(call.event, ToolEvent):
        return None
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(call.at))
    event = selected.deriver.derive_event(call.event, at)
    return msgspec.structs.replace(call, event=event, payload=make_orchestrator_payload(event, call)) if event else None
