"""The `native` dialect: the JSON that Claude Code and its relatives expect from a hook."""

from collections.abc import Mapping
from typing import Any

import msgspec

from synaptic.model.decision import Kind, Verdict
from synaptic.model.event import Event
from synaptic.model.hook import Hook
from synaptic.runners.action import merge_input
from synaptic.runners.output import HookAnswer, get_event_name, make_output_failure

NATIVE_KEYS = frozenset(
    ("hookSpecificOutput", "decision", "continue", "stopReason", "suppressOutput", "systemMessage", "terminalSequence",
     "async")
)  # fmt: skip
DECISION_WORDS: Mapping[str, Kind] = {
    "deny": Kind.DENY, "block": Kind.DENY, "ask": Kind.ASK, "allow": Kind.ALLOW, "approve": Kind.ALLOW,
}  # fmt: skip
CONSUMED_KEYS = frozenset(
    ("hookEventName", "permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext")
)
DEFER = "defer"


def speaks(hook: Hook, answer: dict[str, Any]) -> bool:
    """Whether the answer has a key that belongs to this dialect alone."""
    return not NATIVE_KEYS.isdisjoint(answer)


def read(hook: Hook, event: Event, answer: dict[str, Any]) -> HookAnswer:
    """Read one answer of this dialect; unknown keys are ignored."""
    specific = answer.get("hookSpecificOutput")
    specific = {} if specific is None else specific
    if not isinstance(specific, dict):
        return make_output_failure(hook, "printed a hookSpecificOutput that is no object")
    # A script that answers for another event was written for something else: its decision is not for this call.
    if (name := specific.get("hookEventName", get_event_name(event))) != get_event_name(event):
        return make_output_failure(hook, f"answered for {name!r}, but the event is {get_event_name(event)}")
    parts = _NativeAnswer(hook, event, answer, specific)
    if problem := parts.find_problem():
        return make_output_failure(hook, problem)
    return parts.build_verdict()


class _NativeAnswer(msgspec.Struct, frozen=True):
    """One answer and the places where it can hold a decision."""

    hook: Hook
    event: Event
    answer: dict[str, Any]
    specific: dict[str, Any]

    @property
    def request(self) -> dict[str, Any]:
        """A permission request is answered one level deeper."""
        decision = self.specific.get("decision")
        return decision if isinstance(decision, dict) else {}

    @property
    def input(self) -> object:
        own = self.specific.get("updatedInput")
        return self.request.get("updatedInput") if own is None else own

    def collect_words(self) -> tuple[object, ...]:
        said = (self.specific.get("permissionDecision"), self.request.get("behavior"), self.answer.get("decision"))
        return tuple(word for word in said if word is not None)

    def find_problem(self) -> str:
        for word in self.collect_words():
            if not isinstance(word, str) or word not in (*DECISION_WORDS, DEFER):
                return f"printed decision {word!r}; known are approve, block, allow, ask, deny"
        if self.input is not None and merge_input(self.event, self.input) is None:
            return (
                f"wants to change the input of {get_event_name(self.event)}, but its updatedInput is no object for it"
            )
        return ""

    def build_verdict(self) -> Verdict:
        says = self.find_kind()
        reason = _read_text(self.specific, "permissionDecisionReason") or _read_text(self.request, "message")
        reason = reason or _read_text(self.answer, "reason")
        return Verdict(
            says=says,
            reason=reason or (f"blocked by {self.hook.id}" if says is Kind.DENY else ""),
            input=merge_input(self.event, self.input),
            context=_to_tuple(_read_text(self.specific, "additionalContext")),
            messages=_to_tuple(_read_text(self.answer, "systemMessage")),
            extras=self.collect_extras(),
        )

    def find_kind(self) -> Kind:
        """Find the strongest of all decisions in the answer: a block beside an allow is a block."""
        known = [
            DECISION_WORDS[word] for word in self.collect_words() if isinstance(word, str) and word in DECISION_WORDS
        ]
        return max(known, key=lambda kind: kind.rank, default=Kind.NONE)

    def collect_extras(self) -> dict[str, object]:
        found = {key: value for key, value in self.specific.items() if key not in CONSUMED_KEYS and key != "decision"}
        found |= {key: self.request[key] for key in ("updatedPermissions", "interrupt") if key in self.request}
        found |= {key: self.answer[key] for key in ("stopReason", "terminalSequence") if key in self.answer}
        if self.answer.get("continue") is False:
            found["continue"] = False
        if self.answer.get("suppressOutput") is True:
            found["suppressOutput"] = True
        if self.specific.get("permissionDecision") == DEFER:
            found["permissionDecision"] = DEFER
        return found


def _read_text(source: dict[str, Any], key: str) -> str:
    value = source.get(key)
    return value.strip() if isinstance(value, str) else ""


def _to_tuple(text: str) -> tuple[str, ...]:
    return (text,) if text else ()
