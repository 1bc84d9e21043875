"""Many opinions, one decision: a pure function, so that every decision can be replayed and explained."""

from collections.abc import Iterable, Sequence

import msgspec

from synaptic.model.decision import Decision, Failure, Kind, Step, Verdict
from synaptic.model.event import Timing
from synaptic.model.hook import Hook
from synaptic.model.result import HookResult
from synaptic.model.tool import Input

SILENCE = Verdict()


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """What one hook said at one point of the walk."""

    hook: Hook
    outcome: Verdict | Failure | None = None
    micros: int = 0
    phase: str = "run"
    note: str = ""

    @property
    def verdict(self) -> Verdict:
        """The opinion: silence for a failed hook, unless its failure is set to deny."""
        if isinstance(self.outcome, Failure):
            return self._failed(self.outcome) if self.hook.on_error == "deny" else SILENCE
        return self.outcome or SILENCE

    def _failed(self, failure: Failure) -> Verdict:
        return Verdict(says=Kind.DENY, reason=f"{self.hook.id} failed ({failure.message}) and is set to deny on error")


def merge(timing: Timing, said: Sequence[Said], final: Input | None = None, others: tuple[Step, ...] = ()) -> Decision:
    """All that was said, as one decision. `final` is the input after all rewrites, when it differs from the first.

    `others` are the steps of policies that had nothing to say or were not asked: one for all of them.
    """
    if not said:
        return Decision(trace=others)
    spoken = [one for one in said if one.outcome is not None]  # most hooks are silent: they leave their step only
    verdicts = [(one.hook.id, one.verdict) for one in spoken]
    first = [one.verdict for one in spoken if one.phase != "recheck"]
    common = Decision(
        context=_flat(verdict.context for verdict in first),
        messages=_flat(verdict.messages for verdict in first),
        warnings=_flat(_warnings(one) for one in spoken),
        extras={key: value for verdict in first for key, value in verdict.extras.items()},
        result=merge_results([(name, verdict.result) for name, verdict in verdicts if verdict.result is not None]),
        effects=_flat(_effects(one) for one in spoken),
        trace=others[:1] + tuple(_step(one) for one in said) + others[1:],
    )
    if timing is not Timing.BEFORE:
        return _after(common, verdicts)
    return _before(common, verdicts, final)


def _before(common: Decision, verdicts: Sequence[tuple[str, Verdict]], final: Input | None) -> Decision:
    """Deny wins over ask, ask over rewrite, rewrite over allow; among equals the first hook is named."""
    for kind in (Kind.DENY, Kind.ASK):
        if speakers := [(name, verdict) for name, verdict in verdicts if verdict.says is kind]:
            name, verdict = speakers[0]
            kept = final if kind is Kind.ASK else None
            return _replace(common, kind=kind, by=name, reason=_reason(name, verdict), input=kept)
    allowing = [(name, verdict) for name, verdict in verdicts if verdict.says is Kind.ALLOW]
    if final is not None:
        rewriting = [(name, verdict) for name, verdict in verdicts if verdict.input is not None]
        reason = "; ".join(dict.fromkeys(verdict.reason for _, verdict in rewriting if verdict.reason))
        by = rewriting[-1][0] if rewriting else ""
        return _replace(common, kind=Kind.REWRITE, by=by, reason=reason, input=final, allowed=bool(allowing))
    if allowing:
        name, verdict = allowing[0]
        return _replace(common, kind=Kind.ALLOW, by=name, reason=verdict.reason, allowed=True)
    return _replace(common, kind=_quiet_kind(common))


def _after(common: Decision, verdicts: Sequence[tuple[str, Verdict]]) -> Decision:
    """Nothing told after the act is a verdict on it: a block becomes feedback, the rest has no effect."""
    blocks = [(name, _reason(name, verdict)) for name, verdict in verdicts if verdict.says is Kind.DENY]
    late = [
        f"{name}: {verdict.kind} has no effect after the act"
        for name, verdict in verdicts
        if verdict.says is Kind.ASK or verdict.input is not None
    ]
    told = _replace(common, feedback=tuple(reason for _, reason in blocks), warnings=common.warnings + tuple(late))
    if blocks:
        return _replace(told, kind=Kind.ADVISE, by=blocks[0][0], reason=blocks[0][1])
    return _replace(told, kind=_quiet_kind(told))


def merge_results(results: Sequence[tuple[str, HookResult]]) -> HookResult | None:
    """Structured results of several hooks: lists in hook order with their source, the best of each suggestion."""
    if not results:
        return None
    intents = _flat(((result.new_intent,) if result.new_intent else ()) + result.intents for _, result in results)
    return HookResult(
        logs=_sourced((name, result.logs) for name, result in results),
        messages_to_user=_flat(result.messages_to_user for _, result in results),
        suggested_abilities=_best(_sourced((name, result.suggested_abilities) for name, result in results)),
        suggested_documents=_sourced((name, result.suggested_documents) for name, result in results),
        new_intent=intents[0] if intents else None,
        intents=intents if len(intents) > 1 else (),
        follow_up_actions=_sourced((name, result.follow_up_actions) for name, result in results),
        usage_recorded=any(result.usage_recorded for _, result in results),
        error=next((result.error for _, result in results if result.error), ""),
        extra={name: result.extra for name, result in results if result.extra},
    )


def _sourced(parts: Iterable[tuple[str, tuple[dict[str, object], ...]]]) -> tuple[dict[str, object], ...]:
    return tuple({**item, "hook": item.get("hook", name)} for name, items in parts for item in items)


def _best(suggestions: Sequence[dict[str, object]]) -> tuple[dict[str, object], ...]:
    """One suggestion per ability: the highest confidence, all reasons."""
    best: dict[object, dict[str, object]] = {}
    for suggestion in suggestions:
        known = best.get(suggestion.get("id"))
        best[suggestion.get("id")] = suggestion if known is None else _joined(known, suggestion)
    return tuple(best.values())


def _joined(one: dict[str, object], other: dict[str, object]) -> dict[str, object]:
    winner = other if _confidence(other) > _confidence(one) else one
    reasons = dict.fromkeys(str(item["reason"]) for item in (one, other) if item.get("reason"))
    return {**winner, "reason": "; ".join(reasons)}


def _confidence(suggestion: dict[str, object]) -> float:
    value = suggestion.get("confidence")
    return float(value) if isinstance(value, int | float) else 0.0


def _warnings(one: Said) -> tuple[str, ...]:
    if not isinstance(one.outcome, Failure):
        return one.verdict.warnings
    consequence = "denied" if one.hook.on_error == "deny" else "went on without it"
    message = one.outcome.message
    who = "" if one.hook.id in message else f"hook {one.hook.id}: "
    return (f"{who}{message}; {consequence}",)


def _effects(one: Said) -> tuple[object, ...]:
    """A recheck looks again at the same call: only what it newly refuses is written down."""
    return one.verdict.effects if one.phase != "recheck" or one.verdict.says is Kind.DENY else ()


def _step(one: Said) -> Step:
    hook = one.hook
    if one.outcome is None:
        return Step(
            hook=hook.id,
            priority=hook.priority,
            phase=one.phase,
            note=one.note,
            micros=one.micros,
            source=hook.source,
        )
    failure = one.outcome if isinstance(one.outcome, Failure) else None
    verdict = one.verdict
    return Step(
        hook=one.hook.id,
        kind=verdict.kind,
        priority=one.hook.priority,
        phase=one.phase,
        reason=verdict.reason,
        note=one.note or (failure.message if failure else ""),
        micros=one.micros,
        fault=str(failure.fault) if failure else "",
        source=one.hook.source,
    )


def _reason(name: str, verdict: Verdict) -> str:
    return verdict.reason or f"refused by {name}"


def _quiet_kind(decision: Decision) -> Kind:
    return Kind.ADVISE if decision.context or decision.messages else Kind.NONE


def _flat(parts: Iterable[Sequence[object]]) -> tuple:  # type: ignore[type-arg]
    return tuple(item for part in parts for item in part)


def _replace(decision: Decision, **changes: object) -> Decision:
    return msgspec.structs.replace(decision, **changes)
