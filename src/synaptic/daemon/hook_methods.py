"""The agents' hooks over the socket: `hooks.sessionStart` and fourteen more, the same code that `dispatch` leads to."""

import os
import re
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import msgspec

from synaptic.agents.adapters import adapter
from synaptic.daemon.client import new_call_id
from synaptic.daemon.rpc import METHODS, RpcError, environment, issue
from synaptic.facts.gather import gather
from synaptic.hooks.catalog import builtin_hooks
from synaptic.hooks.project import find_root
from synaptic.model.call import Call
from synaptic.model.decision import Verdict
from synaptic.model.errors import StoreError
from synaptic.model.event import EVENTS, Event
from synaptic.model.hook import Builtin, Hook
from synaptic.model.layers import LAYER_EFFECTS, OpenSession
from synaptic.pipeline.merge import Said, merge
from synaptic.policies.base import Policy, policies
from synaptic.policies.facts import Facts
from synaptic.policies.fleet.handled import Handled, Handler
from synaptic.store import layers
from synaptic.store.layer_effects import Applied

if TYPE_CHECKING:
    from synaptic.daemon.server import Daemon
    from synaptic.engine.walk import Engine

AGENT = "claude"
"""Whose vocabulary the methods speak."""
BASE = ("session_id", "cwd")
"""Fields that every event must have. The transcript, the permission mode and the event's own name may be missing."""
TOOL = ("tool_name", "tool_input")


class Served(msgspec.Struct, frozen=True):
    """One method: the agent's event, the policy that handles it, and what its arguments must have."""

    event: str
    policy: str
    required: tuple[str, ...] = ()


SERVED: Mapping[str, Served] = {
    "sessionStart": Served("SessionStart", "fleet.session-start", ("source",)),
    "sessionEnd": Served("SessionEnd", "fleet.session-end", ("reason",)),
    "preCompact": Served("PreCompact", "fleet.pre-compact", ("trigger",)),
    "preToolUse": Served("PreToolUse", "fleet.pre-tool-use", TOOL),
    "postToolUse": Served("PostToolUse", "fleet.post-tool-use", TOOL),
    "postToolUseFailure": Served("PostToolUseFailure", "fleet.post-tool-use-failure", (*TOOL, "error")),
    "stop": Served("Stop", "fleet.stop"),
    "userPrompt": Served("UserPromptSubmit", "fleet.user-prompt", ("prompt",)),
    "notification": Served("Notification", "fleet.notification", ("message", "notification_type")),
    "permissionRequest": Served("PermissionRequest", "fleet.permission-request", TOOL),
    "teammateIdle": Served("TeammateIdle", "fleet.teammate-idle", ("teammate_name", "team_name")),
    "taskCompleted": Served("TaskCompleted", "fleet.task-completed", ("task_id", "task_subject")),
    "subagentStart": Served("SubagentStart", "fleet.subagent-start", ("agent_id", "agent_type")),
    "subagentStop": Served("SubagentStop", "fleet.subagent-stop", ("agent_id", "agent_type")),
    "configChange": Served("ConfigChange", "fleet.config-change", ("source",)),
}


async def answered(engine: "Engine", name: str, params: Mapping[str, object]) -> dict[str, object]:
    """One hook, by name. What is unknown is answered permissively; arguments that cannot be are an RpcError."""
    served = SERVED[name]
    call = _call(name, served, params)
    hook, policy = _registered(engine, call, served)
    handler = cast(Handler, policy)
    facts = await gather(call, frozenset(policy.needs), engine.means)
    try:
        handled = handler.handle(call.event, facts)
        applied = _applied(engine, call, handled.verdict)
    except StoreError:  # nothing was written: so nothing is known and nothing is held against the agent
        handled, applied = handler.handle(call.event, Facts(root=facts.root, now=facts.now)), Applied()
    finally:
        engine.store.decided(call.id)
    return _answer(call, hook, handled, applied)


def _call(name: str, served: Served, params: Mapping[str, object]) -> Call:
    payload = {_snake(key): value for key, value in params.items() if value is not None}
    missing = [field for field in (*BASE, *served.required) if field not in payload]
    if missing:
        issues = tuple(f"{field}: is required" for field in missing)
        raise RpcError("VALIDATION_ERROR", f"hooks.{name}: {', '.join(missing)} missing", issues)
    payload["hook_event_name"] = served.event
    try:
        event: Event = msgspec.convert(payload, EVENTS[served.event])
    except msgspec.ValidationError as error:
        raise RpcError("VALIDATION_ERROR", f"hooks.{name}: {error}", (issue(str(error)),)) from error
    env = {"HOME": os.environ.get("HOME", ""), **environment()}
    root = find_root({}, env, event.cwd)
    return Call(id=new_call_id(), agent=AGENT, event=event, payload=payload, root=root, at=time.time(), env=env)


def _snake(key: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda letter: f"_{letter[1].lower()}", key)


def _registered(engine: "Engine", call: Call, served: Served) -> tuple[Hook, Policy]:
    """The policy as the project's config sets it; with its defaults where the config has it off."""
    for hook in engine.catalogs.get(call.root).hooks:
        if hook.id == served.policy and isinstance(hook.handler, Builtin):
            return hook, cast(Policy, hook.handler.policy)
    policy = policies()[served.policy]()
    return builtin_hooks((policy,))[0], policy


def _applied(engine: "Engine", call: Call, verdict: Verdict | None) -> Applied:
    effects = tuple(effect for effect in verdict.effects if isinstance(effect, LAYER_EFFECTS)) if verdict else ()
    return layers.perform(engine.store, effects, call.at, call.event.session_id) if effects else Applied()


def _answer(call: Call, hook: Hook, handled: Handled, applied: Applied) -> dict[str, object]:
    """The method's own result, beside what the agent would be told for this event."""
    opened = handled.verdict and any(isinstance(effect, OpenSession) for effect in handled.verdict.effects)
    made = {"sessionId": applied.session} if opened else {}
    return {**_said(call, hook, handled.verdict), **handled.answer, **made}


def _said(call: Call, hook: Hook, verdict: Verdict | None) -> dict[str, object]:
    if verdict is None:
        return {}
    wire = adapter(AGENT)
    decision = wire.degrade(call, merge(call.event.TIMING, [Said(hook=hook, outcome=verdict)]))
    printed = wire.encode(call, decision).stdout
    return msgspec.json.decode(printed, type=dict[str, object]) if printed.startswith(b"{") else {}


def _register(name: str) -> None:
    async def handler(daemon: "Daemon", params: dict[str, Any]) -> object:
        return await answered(daemon.engine, name, params)

    METHODS[f"hooks.{name}"] = (dict[str, Any], handler)


for _name in SERVED:
    _register(_name)
