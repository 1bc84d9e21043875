"""Every ability call, written down and counted."""

from synaptic.model.decision import Verdict
from synaptic.model.effect import AppendLine, Effect, UseAbility
from synaptic.model.event import PostAbilityCall
from synaptic.model.result import HookResult
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.routing.routing_docs import to_repository_path
from synaptic.policies.routing.summary import summarize_text

CALL_LOG = ".system/logs/tool_call.md"
USAGE_CACHE = ".system/cache/ability_usage.json"
CALL_LOG_NAME = "tool_call.md"


class PostToolUseTracker(Policy):
    """Ability calls that leave no trace.

    ## What it does
    After each ability call, appends one line to `.system/logs/tool_call.md`, to the task's own `tool_call.md` when the
    context names one, and counts the call; `.system/cache/ability_usage.json` shows the counts. An ability that is
    used often is reported as such.
    ## Why
    What is really used, and what fails, tells which descriptions to improve.
    ## Known gaps
    A `tool_call_path` outside of the repository is not written.
    """

    id = "routing.post-tool-use-tracker"
    events = (PostAbilityCall,)
    priority = 45
    preset = "routing"
    needs = ("payload", "ability_calls")

    frequent: int = 5
    """Calls from which on an ability is reported as used frequently."""

    def check(self, event: PostAbilityCall, facts: Facts) -> Verdict | None:
        if not event.ability_id or not facts.root:
            return None
        line = _format_line(event)
        paths = dict.fromkeys((f"{facts.root}/{CALL_LOG}", *_list_task_logs(facts)))
        effects: list[Effect] = [AppendLine(path, line) for path in paths]
        used = UseAbility(
            ability=event.ability_id,
            status=event.status,
            millis=event.duration_ms or 0.0,
            file=f"{facts.root}/{USAGE_CACHE}",
        )
        return Verdict(effects=(*effects, used), result=self._build_result(event, facts.ability_calls + 1))

    def _build_result(self, event: PostAbilityCall, calls: int) -> HookResult:
        log = {"level": "info", "message": f"Recorded {event.ability_id} run to {CALL_LOG_NAME}"}
        weight = round(min(0.95, 0.5 + 0.04 * calls), 2)
        signal = {"ability_id": event.ability_id, "signal": "frequent_usage", "weight": weight}
        extra = {"update_matcher_suggestions": [signal]} if calls >= self.frequent else {}
        return HookResult(logs=(log,), usage_recorded=True, extra=extra)


def _format_line(event: PostAbilityCall) -> str:
    key = f" ({event.operation_key})" if event.operation_key else ""
    took = f", {event.duration_ms:g} ms" if event.duration_ms is not None else ""
    texts = [summarize_text(text) for text in (event.input_summary, event.output_summary) if text]
    about = f": {' → '.join(texts)}" if texts else ""
    return f"- {event.timestamp or 'now'} `{event.ability_id}`{key} {event.status or 'unknown'}{took}{about}"


def _list_task_logs(facts: Facts) -> list[str]:
    """The task's own logs: one path, or several in newer contexts."""
    named = facts.payload.get("tool_call_path")
    paths = named if isinstance(named, list | tuple) else [named]
    # The context may name any path: only logs inside the repository are written.
    texts = [
        to_repository_path(path, facts.root) for path in paths if isinstance(path, str) and path.endswith(CALL_LOG_NAME)
    ]
    return [f"{facts.root}/{path}" for path in texts if path]
