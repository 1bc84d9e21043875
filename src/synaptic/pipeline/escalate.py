"""The same refused call again: a stronger reason, then a question to the user, then a word to them. Never an allow."""

import hashlib

import msgspec

from synaptic.model.decision import Decision, Kind, TraceStep
from synaptic.model.tool import Tool
from synaptic.store.redact import cut_text

ATTENDED_MODES = frozenset({"default", "acceptEdits", "plan"})
"""Permission modes in which a question reaches a person; in every other one, a deny stays a deny."""
ASK_AT, TELL_AT = 2, 3
"""Refusals before this one: the user is asked once, and told from then on."""
STRONGER_TEXT = (
    "This exact call was refused before, and it will be refused again. Do not repeat or rephrase it: do what the "
    "reason says, or tell the user what you need."
)
INSISTS_TEXT = "The agent has asked for this {times} times although it was refused by {by}: {reason}"
STOPPED_TEXT = "Stop here: {times} identical calls were refused. Say what you were trying to do and wait for the user."
TOLD_TEXT = "An agent keeps trying a refused call ({times} times): {tool} {what}. Refused by {by}: {reason}"
MAX_SHOWN_CHARS = 120


def fingerprint_call(tool: Tool, policy: str) -> str:
    """A short name for a call and who refuses it: the same for the same act, however it is described."""
    # Whitespace in a command is folded, so that an agent cannot reset the count by spacing the same call differently.
    said = (
        " ".join(tool.command.split())
        if tool.command
        else msgspec.json.encode(tool.input, order="sorted", enc_hook=str)
    )
    text = said if isinstance(said, bytes) else said.encode("utf-8", "replace")
    return hashlib.sha256(f"{policy}\0{tool.name}\0".encode("utf-8", "replace") + text).hexdigest()[:16]


def escalate_refusal(decision: Decision, tool: Tool, before: int, mode: str = "") -> Decision:
    """A deny after `before` refusals of the same call. Anything but a deny stays as it is."""
    if decision.kind is not Kind.DENY or before < 1:
        return decision
    times = before + 1
    if before == ASK_AT and mode in ATTENDED_MODES:
        asked = INSISTS_TEXT.format(times=times, by=decision.by, reason=decision.reason)
        return _change_decision(
            decision, f"refusal {times} of the same call: the user is asked", kind=Kind.ASK, reason=asked
        )
    if before < TELL_AT:
        reason = f"{decision.reason}\n{STRONGER_TEXT}"
        return _change_decision(decision, f"refusal {times} of the same call: a stronger reason", reason=reason)
    what = cut_text(tool.command or next(iter(tool.paths), ""), MAX_SHOWN_CHARS)
    told = TOLD_TEXT.format(
        times=times, tool=tool.name, what=what, by=decision.by, reason=decision.reason.partition("\n")[0]
    )
    reason = f"{decision.reason}\n{STOPPED_TEXT.format(times=times)}"
    note = f"refusal {times} of the same call: the user is told"
    return _change_decision(decision, note, reason=reason, messages=(*decision.messages, told))


def _change_decision(decision: Decision, note: str, **changes: object) -> Decision:
    kind = changes.get("kind", decision.kind)
    step = TraceStep(hook="engine", kind=Kind(str(kind)), phase="escalated", note=note)
    return msgspec.structs.replace(decision, trace=(*decision.trace, step), **changes)
