"""The `result` dialect: structured hints of a YAML hook, read tolerantly into a HookResult."""

from typing import Any

from synaptic.model.decision import Kind, Verdict
from synaptic.model.event import Event, Timing
from synaptic.model.hook import Hook
from synaptic.model.result import HookResult, Items
from synaptic.runners.output import event_name, named

DISTINCT = frozenset(
    ("messages_to_user", "suggested_abilities", "suggested_documents", "new_intent", "follow_up_actions",
     "usage_recorded", "block_execution")
)  # fmt: skip
"""Keys that no other dialect has; `logs` and `error` alone prove nothing under another protocol."""
KNOWN = DISTINCT - {"block_execution"} | {"logs", "error"}
FOREIGN = frozenset(("action", "decision", "hookSpecificOutput"))


def speaks(hook: Hook, answer: dict[str, Any]) -> bool:
    """Whether the answer is of this dialect; with protocol `result` every object is, and unknown keys are kept."""
    return hook.protocol == "result" or not DISTINCT.isdisjoint(answer)


def read(hook: Hook, event: Event, answer: dict[str, Any]) -> Verdict:
    """Read one answer of this dialect; wrong parts are left out with a warning."""
    reader = _Reader(hook, answer)
    result = reader.result()
    warnings = list(reader.warnings)
    wants_block = bool(result.error) or answer.get("block_execution") is True
    refusal = _refusal(hook, event) if wants_block else ""
    blocks = wants_block and not refusal
    if refusal:
        warnings.append(refusal)
    return Verdict(
        says=Kind.DENY if blocks else Kind.NONE,
        reason=_reason(hook, result) if blocks else "",
        messages=result.messages_to_user,
        result=None if result == HookResult() else result,
        warnings=tuple(warnings),
    )


def _refusal(hook: Hook, event: Event) -> str:
    """Explain why a block is ignored; empty when it counts."""
    if event.TIMING is not Timing.BEFORE:
        what = f"asks to block {event_name(event)}, which cannot be blocked"
        return f"{named(hook)} {what}: misconfigured, ignored"
    if not hook.blocking:
        return f"{named(hook)} asks to block but is not `blocking: true` in {hook.source or 'its file'}: ignored"
    return ""


def _reason(hook: Hook, result: HookResult) -> str:
    parts = (result.error or f"blocked by {hook.id}", " ".join(result.messages_to_user))
    return ": ".join(part for part in parts if part)


class _Reader:
    """Reads an answer key by key and collects warnings."""

    def __init__(self, hook: Hook, answer: dict[str, Any]) -> None:
        self.hook = hook
        self.answer = answer
        self.warnings: list[str] = []

    def result(self) -> HookResult:
        extra = {key: value for key, value in self.answer.items() if key not in KNOWN | FOREIGN}
        return HookResult(
            logs=self.logs(),
            messages_to_user=self.messages(),
            suggested_abilities=self.suggestions("suggested_abilities", "id"),
            suggested_documents=self.suggestions("suggested_documents", "path"),
            new_intent=self.intent(),
            follow_up_actions=self.actions(),
            usage_recorded=self.answer.get("usage_recorded") is True,
            error=self.error(),
            extra=extra,
        )

    def wrong(self, problem: str) -> None:
        self.warnings.append(f"{named(self.hook)}: {problem}: left out")

    def items(self, key: str) -> list[Any]:
        value = self.answer.get(key)
        if value is None:
            return []
        if isinstance(value, list):
            return value
        self.wrong(f"{key} is no list")
        return []

    def logs(self) -> Items:
        found: list[dict[str, Any]] = []
        for item in self.items("logs"):
            if isinstance(item, str):
                found.append({"level": "info", "message": item})
            elif isinstance(item, dict):
                found.append({"level": "info", **item})
            else:
                self.wrong("a log entry is neither text nor object")
        return tuple(found)

    def messages(self) -> tuple[str, ...]:
        if isinstance(one := self.answer.get("messages_to_user"), str):
            return (one,)
        items = self.items("messages_to_user")
        if not all(isinstance(item, str) for item in items):
            self.wrong("a message to the user is no text")
        return tuple(item for item in items if isinstance(item, str) and item)

    def suggestions(self, key: str, name: str) -> Items:
        found: list[dict[str, Any]] = []
        for item in self.items(key):
            whole = {name: item} if isinstance(item, str) else item
            if isinstance(whole, dict) and isinstance(whole.get(name), str) and whole[name]:
                found.append(whole)
            else:
                self.wrong(f"an entry of {key} has no `{name}`")
        return tuple(found)

    def intent(self) -> dict[str, Any] | None:
        value = self.answer.get("new_intent")
        if value is None:
            return None
        if isinstance(value, dict) and isinstance(value.get("intent"), str) and value["intent"]:
            return value
        self.wrong("new_intent has no `intent`")
        return None

    def actions(self) -> Items:
        found: list[dict[str, Any]] = []
        for item in self.items("follow_up_actions"):
            payload = item.get("payload", {}) if isinstance(item, dict) else None
            if not isinstance(payload, dict) or not isinstance(item.get("kind"), str):
                self.wrong("a follow-up action has no `kind` or its payload is no object")
                continue
            # Hooks commonly write `{"kind": "open_file", "path": ...}` without a payload object.
            beside = {key: value for key, value in item.items() if key not in ("kind", "payload")}
            found.append({"kind": item["kind"], "payload": {**beside, **payload}})
        return tuple(found)

    def error(self) -> str:
        value = self.answer.get("error")
        if value and isinstance(value, dict):
            parts = [value.get("code"), value.get("message")]
            return ": ".join(str(part) for part in parts if part) or "error"
        if isinstance(value, str):
            return value.strip()
        if not value:
            return ""
        self.wrong("error is neither text nor object")
        return ""
