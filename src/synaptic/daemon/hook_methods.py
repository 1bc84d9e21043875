"""The agents' hooks over the socket: `hooks.sessionStart` and fourteen more, the same walk that `dispatch` leads to."""

import os
import re
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import msgspec

from synaptic.daemon.client import new_call_id
from synaptic.daemon.lifecycle import clean_environment
from synaptic.daemon.rpc import METHODS, RpcError, format_issue, read_peer, request_environment
from synaptic.engine.commit import DecidedEvent
from synaptic.engine.runtime import EventRuntime
from synaptic.facts.gather import EngineMeans
from synaptic.facts.layers import read_origin
from synaptic.hooks.catalog import HookCatalog, make_builtin_hooks
from synaptic.hooks.select import SelectedHooks, compile_selection
from synaptic.model.call import Call, Request
from synaptic.model.decision import Kind, Verdict
from synaptic.model.errors import StoreError
from synaptic.model.event import EVENTS
from synaptic.model.layers import OpenSession
from synaptic.policies.base import Policy, load_policies
from synaptic.policies.facts import Facts
from synaptic.policies.fleet.handled import HandlerResult, PolicyHandler
from synaptic.store import layers

if TYPE_CHECKING:
    from synaptic.daemon.server import Daemon
    from synaptic.engine.walk import Engine

METHOD_AGENT = "claude"
"""Whose vocabulary the methods speak."""
BASE_FIELDS = ("session_id", "cwd")
"""Fields that every event must have. The transcript, the permission mode and the event's own name may be missing."""
TOOL_FIELDS = ("tool_name", "tool_input")
REFUSING_KINDS = frozenset({Kind.DENY, Kind.ASK})
"""Nobody is there who could be asked: who goes by `allow` alone must not go on."""


class HookMethod(msgspec.Struct, frozen=True):
    """One method: the agent's event, the policy that handles it, and what its arguments must have."""

    event: str
    policy: str
    required: tuple[str, ...] = ()


HOOK_METHODS: Mapping[str, HookMethod] = {
    "sessionStart": HookMethod("SessionStart", "fleet.session-start", ("source",)),
    "sessionEnd": HookMethod("SessionEnd", "fleet.session-end", ("reason",)),
    "preCompact": HookMethod("PreCompact", "fleet.pre-compact", ("trigger",)),
    "preToolUse": HookMethod("PreToolUse", "fleet.pre-tool-use", TOOL_FIELDS),
    "postToolUse": HookMethod("PostToolUse", "fleet.post-tool-use", TOOL_FIELDS),
    "postToolUseFailure": HookMethod("PostToolUseFailure", "fleet.post-tool-use-failure", (*TOOL_FIELDS, "error")),
    "stop": HookMethod("Stop", "fleet.stop"),
    "userPrompt": HookMethod("UserPromptSubmit", "fleet.user-prompt", ("prompt",)),
    "notification": HookMethod("Notification", "fleet.notification", ("message", "notification_type")),
    "permissionRequest": HookMethod("PermissionRequest", "fleet.permission-request", TOOL_FIELDS),
    "teammateIdle": HookMethod("TeammateIdle", "fleet.teammate-idle", ("teammate_name", "team_name")),
    "taskCompleted": HookMethod("TaskCompleted", "fleet.task-completed", ("task_id", "task_subject")),
    "subagentStart": HookMethod("SubagentStart", "fleet.subagent-start", ("agent_id", "agent_type")),
    "subagentStop": HookMethod("SubagentStop", "fleet.subagent-stop", ("agent_id", "agent_type")),
    "configChange": HookMethod("ConfigChange", "fleet.config-change", ("source",)),
}


class HandlerRuntime(EventRuntime):
    """The walk of an event that was called by its method: its handler takes part whatever the config says, since
    whoever calls it by name wants it. All others are asked as for any event."""

    def __init__(self, listener: "HandlerListener", catalog: HookCatalog, means: EngineMeans, seconds: float) -> None:
        super().__init__(catalog, means, seconds)
        self._listener = listener

    def select(self, call: Call) -> SelectedHooks:
        selected = super().select(call)
        if call.event.hook_event_name != self._listener.served.event:
            return selected  # a further event that this one stands for
        return self._listener.join(selected)


class HandlerListener:
    """Stands in for the handler's policy during the walk, to keep the whole answer and not only the verdict."""

    is_named_when_quiet = True

    def __init__(self, served: HookMethod) -> None:
        self.served = served
        self.policy: Policy = load_policies()[served.policy]()
        """With its defaults, until the config says otherwise."""
        self.handled: HandlerResult | None = None
        self.needs: tuple[str, ...] = ()
        self.id = served.policy

    def join(self, selected: SelectedHooks) -> SelectedHooks:
        """The selection with the handler among it, and this listener in the handler's place."""
        if not any(hook.id == self.id for hook in selected.hooks):
            hooks = (*selected.hooks, *make_builtin_hooks((self.policy,)))
            # In its usual place: guards before it refuse before it counts anything.
            selected = compile_selection(tuple(sorted(hooks, key=lambda hook: hook.rank)))
        place = next(number for number, hook in enumerate(selected.hooks) if hook.id == self.id)
        found = selected.policies[place]
        if found is not None:
            self.policy = found
        # No policy, but it has what the walk uses of one: `id`, `needs`, `check`, and that it is named when quiet.
        heard = (*selected.policies[:place], cast(Policy, self), *selected.policies[place + 1 :])
        return msgspec.structs.replace(selected, policies=heard)

    def check(self, event: Any, facts: Facts) -> Verdict | None:
        handled = cast(PolicyHandler, self.policy).handle(event, facts)
        # The first look is what is written down; a second one, after a rewrite, counts only when it refuses.
        if self.handled is None or (handled.verdict is not None and handled.verdict.says is Kind.DENY):
            self.handled = handled
        return handled.verdict

    def answer(self, call: Call) -> Mapping[str, object]:
        """What the handler answers; as if it knew nothing, where the walk ended before it was asked."""
        return (self.handled or self.handle_without_facts(call)).answer

    def handle_without_facts(self, call: Call) -> HandlerResult:
        return cast(PolicyHandler, self.policy).handle(call.event, Facts(root=call.root, now=call.at))


async def call_hook(engine: "Engine", name: str, params: Mapping[str, object]) -> dict[str, object]:
    """One hook, by name. What is unknown is answered permissively; arguments that cannot be are an RpcError."""
    served = HOOK_METHODS[name]
    listener = HandlerListener(served)
    request = engine.senders.examine(_build_request(name, served, params), read_peer())
    event = await engine.walk(request, partial(HandlerRuntime, listener))
    if not event.is_written and event.decision.by in ("", served.policy):
        # Nothing was written: so nothing is known, and nothing is held against the agent.
        return dict(listener.handle_without_facts(event.call).answer)
    # Later ones win: the handler's answer over the agent's words, and a refusal by any hook over both.
    return {
        **_read_agent_answer(event),
        **listener.answer(event.call),
        **_make_refusal(event, listener),
        **_find_opened_session(engine, event),
    }


def _build_request(name: str, served: HookMethod, params: Mapping[str, object]) -> Request:
    # Only the names on top: keys inside `tool_input` are the tool's own, and policies look for them as they are.
    payload = {_to_snake_case(key): value for key, value in params.items() if value is not None}
    missing = [field for field in (*BASE_FIELDS, *served.required) if field not in payload]
    if missing:
        issues = tuple(f"{field}: is required" for field in missing)
        raise RpcError("VALIDATION_ERROR", f"hooks.{name}: {', '.join(missing)} missing", issues)
    payload["hook_event_name"] = served.event
    try:
        # Only checked here, for an error that names the field; the engine reads the bytes as it does for `dispatch`.
        msgspec.convert(payload, EVENTS[served.event])
    except msgspec.ValidationError as error:
        raise RpcError("VALIDATION_ERROR", f"hooks.{name}: {error}", (format_issue(str(error)),)) from error
    env = {**clean_environment(os.environ), **request_environment()}
    return Request(
        agent=METHOD_AGENT, event=served.event, stdin=msgspec.json.encode(payload), id=new_call_id(), env=env
    )


def _to_snake_case(key: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda letter: f"_{letter[1].lower()}", key)


def _read_agent_answer(event: DecidedEvent) -> dict[str, object]:
    """What the agent would be told for this event."""
    printed = event.answer.stdout
    return msgspec.json.decode(printed, type=dict[str, object]) if printed.startswith(b"{") else {}


def _make_refusal(event: DecidedEvent, listener: HandlerListener) -> dict[str, object]:
    """A method that answers with `allow` says so whoever refused."""
    decision = event.decision
    if decision.kind not in REFUSING_KINDS or "allow" not in listener.answer(event.call):
        return {}
    return {"allow": False, "reason": decision.reason}


def _find_opened_session(engine: "Engine", event: DecidedEvent) -> dict[str, object]:
    """Find the number of the session that the event has opened: known once it is written."""
    if not any(isinstance(effect, OpenSession) for effect in event.decision.effects):
        return {}
    try:
        session = layers.resolve_layers(engine.store, read_origin(event.call)).session if event.is_written else None
    except StoreError:
        session = None
    return {"sessionId": session.id if session else None}


def _register_hook(name: str) -> None:
    async def handler(daemon: "Daemon", params: dict[str, Any]) -> object:
        return await call_hook(daemon.engine, name, params)

    METHODS[f"hooks.{name}"] = (dict[str, Any], handler)


for _name in HOOK_METHODS:
    _register_hook(_name)
