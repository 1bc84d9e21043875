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
from synaptic.runners.output import Meaning, Output, crashed, event_name, named, snippet, unreadable

BLOCK = 2
WARN = 1
DEPTH = 100
DIALECTS = (action, native, result)
CONTEXT_EVENTS = frozenset({"SessionStart", "UserPromptSubmit", "UserPromptExpansion", "PostModelSwitch", "PreCompact"})
"""Events on which plain text is meant for the model."""

Answer = dict[str, Any] | str | Failure
"""A parsed answer: an object, plain text, or a failure for broken JSON."""


def understand(hook: Hook, event: Event, output: Output) -> Meaning:
    """Interpret one answer. Never raises, whatever was printed."""
    return PROTOCOLS[hook.protocol](hook, event, output)


def _decision(hook: Hook, event: Event, output: Output) -> Meaning:
    if output.exit:
        return crashed(hook, output)
    answer = _read(hook, output)
    if isinstance(answer, Failure):
        return answer
    if isinstance(answer, str):
        return unreadable(hook, f"printed text that is no decision: {snippet(answer)!r}", output) if answer else None
    if answer and not any(dialect.speaks(hook, answer) for dialect in DIALECTS):
        return unreadable(hook, f"printed JSON that is no known decision: {snippet(output.text)!r}", output)
    return _meaning(hook, event, answer)


def _native(hook: Hook, event: Event, output: Output) -> Meaning:
    answer = _read(hook, output)
    meaning = _meaning(hook, event, answer) if isinstance(answer, dict) else None
    if output.exit == BLOCK:
        return _blocked(hook, meaning, output.errors)
    if output.exit:
        # A guard that printed its decision and then failed (a trap under `set -e`) has still decided.
        return meaning if isinstance(meaning, Verdict) else crashed(hook, output)
    if isinstance(answer, str):
        return _plain(event, answer)
    return answer if isinstance(answer, Failure) else meaning


def _result(hook: Hook, event: Event, output: Output) -> Meaning:
    if output.exit:
        return crashed(hook, output)
    answer = _read(hook, output)
    if isinstance(answer, str):
        return unreadable(hook, f"printed text that is no result: {snippet(answer)!r}", output) if answer else None
    return answer if isinstance(answer, Failure) else _meaning(hook, event, answer)


def _exitcode(hook: Hook, event: Event, output: Output) -> Meaning:
    answer = _read(hook, output)
    meaning = _meaning(hook, event, answer) if isinstance(answer, dict) else None
    plain = output.errors or (answer if isinstance(answer, str) else "")
    if output.exit == BLOCK:
        return _blocked(hook, meaning, plain)
    if output.exit == WARN:
        base = meaning if isinstance(meaning, Verdict) else Verdict()
        warning = f"{named(hook)} warns: {snippet(plain) or 'no text'}"
        return msgspec.structs.replace(base, warnings=(*base.warnings, warning))
    return crashed(hook, output) if output.exit else meaning


PROTOCOLS: Mapping[str, Callable[[Hook, Event, Output], Meaning]] = {
    "decision": _decision,
    "native": _native,
    "result": _result,
    "exitcode": _exitcode,
}


def _blocked(hook: Hook, meaning: Meaning, reason: str) -> Verdict:
    """Make a block from the exit code; the rest of the JSON is kept, and a reason of its own wins."""
    base = meaning if isinstance(meaning, Verdict) else Verdict()
    if base.says is Kind.DENY:
        return base
    return msgspec.structs.replace(base, says=Kind.DENY, reason=reason or f"blocked by {hook.id}", input=None)


def _plain(event: Event, text: str) -> Verdict | None:
    name = event_name(event)
    if not text:
        return None
    if name == "WorktreeCreate":
        return Verdict(extras={"worktreePath": text})
    return Verdict(context=(text,)) if name in CONTEXT_EVENTS else None


def _meaning(hook: Hook, event: Event, answer: dict[str, Any]) -> Meaning:
    """Read an object by all dialects that recognise it, so that a block in one is not lost to another."""
    said = [dialect.read(hook, event, answer) for dialect in DIALECTS if dialect.speaks(hook, answer)]
    verdicts = [one for one in said if isinstance(one, Verdict)]
    failures = [one for one in said if isinstance(one, Failure)]
    # A readable block counts more than an unreadable part beside it.
    if failures and not any(one.says is Kind.DENY for one in verdicts):
        return failures[0]
    verdict = _together(verdicts)
    return None if verdict == Verdict() else verdict


def _together(verdicts: list[Verdict]) -> Verdict:
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


def _read(hook: Hook, output: Output) -> Answer:
    text = output.text
    if text == "null":
        return ""
    # Lists and bare strings are no answer of any protocol: treated as text, like a script's chatter.
    if not (text.startswith("{") and text.endswith("}")):
        return text
    try:
        answer = _object(text)
    except (ValueError, RecursionError) as problem:
        return unreadable(hook, f"printed JSON that cannot be read ({problem}): {snippet(text)!r}", output)
    return unreadable(hook, f"printed JSON nested deeper than {DEPTH} levels", output) if _deep(answer) else answer


def _deep(answer: object) -> bool:
    """Check the depth level by level, without recursion: encoding it later has less stack than decoding had."""
    level = [answer]
    for _ in range(DEPTH):
        level = [child for value in level for child in _children(value)]
        if not level:
            return False
    return True


def _children(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _object(text: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(text.encode(), type=dict[str, Any])
    except msgspec.DecodeError:
        # Scripts print raw newlines inside strings, halves of characters, NaN: a block must not get lost by that.
        loose = json.loads(text, strict=False, parse_constant=lambda _: None, parse_float=_finite)
        repaired = json.dumps(loose, ensure_ascii=False)
        return msgspec.json.decode(repaired.encode("utf-8", "replace"), type=dict[str, Any])


def _finite(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None
