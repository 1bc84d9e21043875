"""The `result` dialect: structured hints of a YAML hook, read tolerantly into a HookResult."""

from typing import Any

from synaptic.model.decision import Kind, Verdict
from synaptic.model.event import Event, Timing
from synaptic.model.hook import Hook
from synaptic.model.result import BLOCKED_ERROR, HookResult, Items
from synaptic.runners.output import describe_hook, get_event_name

DISTINCT_KEYS = frozenset(
    ("messages_to_user", "suggested_abilities", "suggested_documents", "new_intent", "follow_up_actions",
     "usage_recorded", "block_execution")
)  # fmt: skip
"""Keys that no other dialect has; `logs` and `error` alone prove nothing under another protocol."""
KNOWN_KEYS = DISTINCT_KEYS - {"block_execution"} | {"logs", "error"}
OTHER_DIALECT_KEYS = frozenset(("action", "decision", "hookSpecificOutput"))


def speaks(hook: Hook, answer: dict[str, Any]) -> bool:
    """Whether the answer is of this dialect; with protocol `result` every object is, and unknown keys are kept."""
    return hook.protocol == "result" or not DISTINCT_KEYS.isdisjoint(answer)


def read(hook: Hook, event: Event, answer: dict[str, Any]) -> Verdict:
    """Read one answer of this dialect; wrong parts are left out with a warning."""
    reader = _ResultReader(hook, answer)
    result = reader.read_result()
    warnings = list(reader.warnings)
    asks = answer.get("block_execution") is True or result.error.partition(":")[0] == BLOCKED_ERROR
    refusal = _explain_ignored_block(hook, event, asks=asks) if asks or result.error else ""
    blocks = (asks or bool(result.error)) and not refusal
    if refusal:
        warnings.append(refusal)
    return Verdict(
        says=Kind.DENY if blocks else Kind.NONE,
        reason=_build_reason(hook, result) if blocks else "",
        messages=result.messages_to_user,
        result=None if result == HookResult() else result,
        warnings=tuple(warnings),
    )


def _explain_ignored_block(hook: Hook, event: Event, *, asks: bool) -> str:
    """Explain why a block, or an error that would be one, is ignored; empty when it counts."""
    if event.TIMING is not Timing.BEFORE:
        what = f"asks to block {get_event_name(event)}, which cannot be blocked"
        return f"{describe_hook(hook)} {what}: misconfigured, ignored"
    where = hook.source or "its file"
    if asks and not hook.can_block:
        return f"{describe_hook(hook)} asks to block but is `blocking: false` in {where}: ignored"
    # An error of another name is a failure of the hook, and what a failure means `blocking` says.
    if not asks and not hook.blocking:
        return f"{describe_hook(hook)} reports an error but is not `blocking: true` in {where}: ignored"
    return ""


def _build_reason(hook: Hook, result: HookResult) -> str:
    parts = (result.error or f"blocked by {hook.id}", " ".join(result.messages_to_user))
    return ": ".join(part for part in parts if part)


class _ResultReader:
    """Reads an answer key by key and collects warnings."""

    def __init__(self, hook: Hook, answer: dict[str, Any]) -> None:
        self.hook = hook
        self.answer = answer
        self.warnings: list[str] = []

    def read_result(self) -> HookResult:
        extra = {key: value for key, value in self.answer.items() if key not in KNOWN_KEYS | OTHER_DIALECT_KEYS}
        return HookResult(
            logs=self.read_logs(),
            messages_to_user=self.read_messages(),
            suggested_abilities=self.read_suggestions("suggested_abilities", "id"),
            suggested_documents=self.read_suggestions("suggested_documents", "path"),
            new_intent=self.read_intent(),
            follow_up_actions=self.read_actions(),
            usage_recorded=self.answer.get("usage_recorded") is True,
            error=self.read_error(),
            extra=extra,
        )

    def warn(self, problem: str) -> None:
        self.warnings.append(f"{describe_hook(self.hook)}: {problem}: left out")

    def read_list(self, key: str) -> list[Any]:
        value = self.answer.get(key)
        if value is None:
            return []
        if isinstance(value, list):
            return value
        self.warn(f"{key} is no list")
        return []

    def read_logs(self) -> Items:
        found: list[dict[str, Any]] = []
        for item in self.read_list("logs"):
            if isinstance(item, str):
                found.append({"level": "info", "message": item})
            elif isinstance(item, dict):
                found.append({"level": "info", **item})
            else:
                self.warn("a log entry is neither text nor object")
        return tuple(found)

    def read_messages(self) -> tuple[str, ...]:
        if isinstance(one := self.answer.get("messages_to_user"), str):
            return (one,)
        items = self.read_list("messages_to_user")
        if not all(isinstance(item, str) for item in items):
            self.warn("a message to the user is no text")
        return tuple(item for item in items if isinstance(item, str) and item)

    def read_suggestions(self, key: str, name: str) -> Items:
        found: list[dict[str, Any]] = []
        for item in self.read_list(key):
            whole = {name: item} if isinstance(item, str) else item
            if isinstance(whole, dict) and isinstance(whole.get(name), str) and whole[name]:
                found.append(whole)
            else:
                self.warn(f"an entry of {key} has no `{name}`")
        return tuple(found)

    def read_intent(self) -> dict[str, Any] | None:
        value = self.answer.get("new_intent")
        if value is None:
            return None
        if isinstance(value, dict) and isinstance(value.get("intent"), str) and value["intent"]:
            return value
        self.warn("new_intent has no `intent`")
        return None

    def read_actions(self) -> Items:
        found: list[dict[str, Any]] = []
        for item in self.read_list("follow_up_actions"):
            payload = item.get("payload", {}) if isinstance(item, dict) else None
            if not isinstance(payload, dict) or not isinstance(item.get("kind"), str):
                self.warn("a follow-up action has no `kind` or its payload is no object")
                continue
            # Hooks commonly write `{"kind": "open_file", "path": ...}` without a payload object.
            beside = {key: value for key, value in item.items() if key not in ("kind", "payload")}
            found.append({"kind": item["kind"], "payload": {**beside, **payload}})
        return tuple(found)

    def read_error(self) -> str:
        value = self.answer.get("error")
        if value and isinstance(value, dict):
            parts = [value.get("code"), value.get("message")]
            return ": ".join(str(part) for part in parts if part) or "error"
        if isinstance(value, str):
            return value.strip()
        if not value:
            return ""
        self.warn("error is neither text nor object")
        return ""
