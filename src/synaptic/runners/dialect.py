"""Interpret a hook's answer: JSON of any known dialect, and exit codes by the hook's own protocol only.

| protocol | exit 0 | exit 1 | exit 2 | other exits |
|---|---|---|---|---|
| decision | JSON; other text is a failure | failure | failure | failure |
| native | JSON; text is context where the agent says so | JSON, else failure | block, stderr is the reason | as 1 |
| result | JSON; other text is a failure | failure | failure | failure |
| exitcode | JSON; other text is ignored | JSON and a warning | block, stderr is the reason | failure |
"""

import json
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from synaptic.model.decision import Failure, Kind, Verdict
from synaptic.model.event import Event
from synaptic.model.hook import Hook
from synaptic.runners import action, native, result
from synaptic.runners.output import (
    HookAnswer,
    ProcessOutput,
    describe_hook,
    get_event_name,
    make_crash_failure,
    make_output_failure,
    shorten_text,
)

BLOCK_EXIT = 2
WARN_EXIT = 1
MAX_DEPTH = 100
DIALECTS = (action, native, result)
CONTEXT_EVENTS = frozenset({"SessionStart", "UserPromptSubmit", "UserPromptExpansion", "PostModelSwitch", "PreCompact"})
"""Events on which plain text is meant for the model."""

ParsedAnswer = dict[str, Any] | str | Failure
"""A parsed answer: an object, plain text, or a failure for broken JSON."""


def interpret_output(hook: Hook, event: Event, output: ProcessOutput) -> HookAnswer:
    """Interpret one answer. Never raises, whatever was printed."""
    return PROTOCOL_READERS[hook.protocol](hook, event, output)


def _interpret_decision(hook: Hook, event: Event, output: ProcessOutput) -> HookAnswer:
    if output.exit:
        return make_crash_failure(hook, output)
    answer = _parse_answer(hook, output)
    if isinstance(answer, Failure):
        return answer
    if isinstance(answer, str):
        return (
            make_output_failure(hook, f"printed text that is no decision: {shorten_text(answer)!r}", output)
            if answer
            else None
        )
    if answer and not any(dialect.speaks(hook, answer) for dialect in DIALECTS):
        return make_output_failure(
            hook, f"printed JSON that is no known decision: {shorten_text(output.text)!r}", output
        )
    return _interpret_object(hook, event, answer)


def _interpret_native(hook: Hook, event: Event, output: ProcessOutput) -> HookAnswer:
    answer = _parse_answer(hook, output)
    meaning = _interpret_object(hook, event, answer) if isinstance(answer, dict) else None
    if output.exit == BLOCK_EXIT:
        return _make_block(hook, meaning, output.errors)
    if output.exit:
        # A guard that printed its decision and then failed (a trap under `set -e`) has still decided.
        return meaning if isinstance(meaning, Verdict) else make_crash_failure(hook, output)
    if isinstance(answer, str):
        return _interpret_text(event, answer)
    return answer if isinstance(answer, Failure) else meaning


def _interpret_result(hook: Hook, event: Event, output: ProcessOutput) -> HookAnswer:
    if output.exit:
        return make_crash_failure(hook, output)
    answer = _parse_answer(hook, output)
    if isinstance(answer, str):
        return (
            make_output_failure(hook, f"printed text that is no result: {shorten_text(answer)!r}", output)
            if answer
            else None
        )
    return answer if isinstance(answer, Failure) else _interpret_object(hook, event, answer)


def _interpret_exitcode(hook: Hook, event: Event, output: ProcessOutput) -> HookAnswer:
    answer = _parse_answer(hook, output)
    meaning = _interpret_object(hook, event, answer) if isinstance(answer, dict) else None
    plain = output.errors or (answer if isinstance(answer, str) else "")
    if output.exit == BLOCK_EXIT:
        return _make_block(hook, meaning, plain)
    if output.exit == WARN_EXIT:
        base = meaning if isinstance(meaning, Verdict) else Verdict()
        warning = f"{describe_hook(hook)} warns: {shorten_text(plain) or 'no text'}"
        return msgspec.structs.replace(base, warnings=(*base.warnings, warning))
    return make_crash_failure(hook, output) if output.exit else meaning


PROTOCOL_READERS: Mapping[str, Callable[[Hook, Event, ProcessOutput], HookAnswer]] = {
    "decision": _interpret_decision,
    "native": _interpret_native,
    "result": _interpret_result,
    "exitcode": _interpret_exitcode,
}


def _make_block(hook: Hook, meaning: HookAnswer, reason: str) -> Verdict:
    """Make a block from the exit code; the rest of the JSON is kept, and a reason of its own wins."""
    base = meaning if isinstance(meaning, Verdict) else Verdict()
    if base.says is Kind.DENY:
        return base
    return msgspec.structs.replace(base, says=Kind.DENY, reason=reason or f"blocked by {hook.id}", input=None)


def _interpret_text(event: Event, text: str) -> Verdict | None:
    name = get_event_name(event)
    if not text:
        return None
    if name == "WorktreeCreate":
        return Verdict(extras={"worktreePath": text})
    return Verdict(context=(text,)) if name in CONTEXT_EVENTS else None


def _interpret_object(hook: Hook, event: Event, answer: dict[str, Any]) -> HookAnswer:
    """Read an object by all dialects that recognise it, so that a block in one is not lost to another."""
    said = [dialect.read(hook, event, answer) for dialect in DIALECTS if dialect.speaks(hook, answer)]
    verdicts = [one for one in said if isinstance(one, Verdict)]
    failures = [one for one in said if isinstance(one, Failure)]
    # A readable block counts more than an unreadable part beside it.
    if failures and not any(one.says is Kind.DENY for one in verdicts):
        return failures[0]
    verdict = _merge_verdicts(verdicts)
    return None if verdict == Verdict() else verdict


def _merge_verdicts(verdicts: list[Verdict]) -> Verdict:
    if len(verdicts) == 1:
        return verdicts[0]
    strongest = max(verdicts, key=lambda verdict: verdict.says.rank, default=Verdict())
    inputs = [verdict.input for verdict in verdicts if verdict.input is not None]
    return msgspec.structs.replace(
        strongest,
        input=inputs[-1] if inputs else None,
        context=tuple(text for verdict in verdicts for text in verdict.context),
        messages=tuple(text for verdict in verdicts for text in verdict.messages),
        warnings=tuple(text for verdict in verdicts for text in verdict.warnings),
        extras={key: value for verdict in verdicts for key, value in verdict.extras.items()},
        result=next((verdict.result for verdict in verdicts if verdict.result), None),
    )


def _parse_answer(hook: Hook, output: ProcessOutput) -> ParsedAnswer:
    text = output.text
    if text == "null":
        return ""
    # Lists and bare strings are no answer of any protocol: treated as text, like a script's chatter.
    if not (text.startswith("{") and text.endswith("}")):
        return text
    try:
        answer = _parse_object(text)
    except (ValueError, RecursionError) as problem:
        return make_output_failure(
            hook, f"printed JSON that cannot be read ({problem}): {shorten_text(text)!r}", output
        )
    return (
        make_output_failure(hook, f"printed JSON nested deeper than {MAX_DEPTH} levels", output)
        if _is_too_deep(answer)
        else answer
    )


def _is_too_deep(answer: object) -> bool:
    """Check the depth level by level, without recursion: encoding it later has less stack than decoding had."""
    level = [answer]
    for _ in range(MAX_DEPTH):
        level = [child for value in level for child in _list_children(value)]
        if not level:
            return False
    return True


def _list_children(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _parse_object(text: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(text.encode(), type=dict[str, Any])
    except msgspec.DecodeError:
        # Scripts print raw newlines inside strings, halves of characters, NaN: a block must not get lost by that.
        loose = json.loads(text, strict=False, parse_constant=lambda _: None, parse_float=_parse_finite)
        repaired = json.dumps(loose, ensure_ascii=False)
        return msgspec.json.decode(repaired.encode("utf-8", "replace"), type=dict[str, Any])


def _parse_finite(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None
