"""Many opinions, one decision: a pure function, so that every decision can be replayed and explained."""

from collections.abc import Iterable, Sequence

import msgspec

from synaptic.model.decision import Decision, Failure, Kind, TraceStep, Verdict
from synaptic.model.event import Timing
from synaptic.model.grant import RefusedAct
from synaptic.model.hook import Hook
from synaptic.model.once import computed_once
from synaptic.model.result import HookResult
from synaptic.model.tool import Input

SILENCE = Verdict()
MOST_STDERR = 4000
"""Letters of what a failed hook has printed that the journal keeps."""
TOLD = "told"
"""The phase of a gate that was asked for its reason after another one had refused."""


class HookOutcome(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """What one hook said at one point of the walk."""

    hook: Hook
    answer: Verdict | Failure | None = None
    micros: int = 0
    phase: str = "run"
    note: str = ""
    outdated: bool = False
    """It was said about an input that a later hook has rewritten: its refusal stands, its permission does not."""
    refused: RefusedAct | None = None
    """What a person would have to lift, where it refuses or asks."""
    grant: str = ""
    """The exception by which it was lifted."""

    @computed_once
    def verdict(self) -> Verdict:
        """The opinion: silence for a failed hook, unless its failure is set to deny or it is a guard of our own."""
        if isinstance(self.answer, Failure):
            if self.hook.on_error == "deny":
                return self._deny_failure(self.answer)
            return self._ask_failure(self.answer) if self.answer.asks else SILENCE
        return self.answer or SILENCE

    def _ask_failure(self, failure: Failure) -> Verdict:
        return Verdict(
            says=Kind.ASK,
            reason=f"{self.hook.id} failed and has not judged this call ({failure.message}). Look at it yourself "
            "before you allow it, and type: synaptic doctor",
        )

    def _deny_failure(self, failure: Failure) -> Verdict:
        return Verdict(says=Kind.DENY, reason=f"{self.hook.id} failed ({failure.message}) and is set to deny on error")


def merge_outcomes(
    timing: Timing, outcomes: Sequence[HookOutcome], final: Input | None = None, others: tuple[TraceStep, ...] = ()
) -> Decision:
    """All outcomes as one decision. `final` is the input after all rewrites, when it differs from the first.

    `others` are the steps of policies that had nothing to say or were not asked: one for all of them.
    """
    if not outcomes:
        return Decision(trace=others)
    spoken = [one for one in outcomes if one.answer is not None]  # most hooks are silent: they leave their step only
    # A second look repeats what the hook said before, so its texts are not told twice.
    first = [one.verdict for one in spoken if one.phase != "recheck"]
    common = Decision(
        context=_flatten_parts([verdict.context for verdict in first]),
        messages=_flatten_parts([verdict.messages for verdict in first]),
        warnings=_flatten_parts([_list_warnings(one) for one in spoken]),
        extras={key: value for verdict in first for key, value in verdict.extras.items()},
        result=merge_results([(one.hook.id, new) for one in spoken if (new := _find_new_result(one)) is not None]),
        effects=_flatten_parts([_list_effects(one) for one in spoken]),
        trace=(*others[:1], *map(_make_step, outcomes), *others[1:]),
        grants=tuple(dict.fromkeys([one.grant for one in spoken if one.grant])),
    )
    if timing is not Timing.BEFORE:
        return _decide_after(common, spoken)
    return _decide_before(common, spoken, final)


def merge_part(whole: Decision, part: Decision) -> Decision:
    """A decision with what the hooks of a part of the call add: their deny is a deny of the whole."""
    together = _replace_fields(
        whole,
        context=whole.context + part.context,
        messages=whole.messages + part.messages,
        feedback=whole.feedback + part.feedback,
        warnings=whole.warnings + part.warnings,
        effects=whole.effects + part.effects,
        trace=whole.trace + part.trace,
        refused=_join_refused(whole, part),
        grants=tuple(dict.fromkeys(whole.grants + part.grants)),
        result=join_results(whole.result, part.result),
    )
    if part.kind.rank <= whole.kind.rank:
        return together
    together = _replace_fields(together, refused=_join_refused(part, whole))
    if part.kind is Kind.DENY:
        return _replace_fields(together, kind=Kind.DENY, by=part.by, reason=part.reason, input=None)
    if part.kind is Kind.ASK:
        return _replace_fields(together, kind=Kind.ASK, by=part.by, reason=part.reason)
    return _replace_fields(together, kind=part.kind)


def _decide_before(common: Decision, spoken: Sequence[HookOutcome], final: Input | None) -> Decision:
    """Deny wins over ask, ask over rewrite, rewrite over allow; among equals the first hook is named."""
    for kind in (Kind.DENY, Kind.ASK):
        if first := next((one for one in spoken if one.verdict.says is kind), None):
            kept = final if kind is Kind.ASK else None
            told = _replace_fields(common, kind=kind, by=first.hook.id, reason=_list_reasons(spoken, first), input=kept)
            return _replace_fields(told, refused=_list_refused(spoken, first))
    # Permission was given for the input that the hook saw; it does not cover what a later hook made of it.
    allowing = [one for one in spoken if one.verdict.says is Kind.ALLOW and not one.outdated]
    if final is not None:
        rewriting = [one for one in spoken if one.verdict.input is not None]
        reason = "; ".join(dict.fromkeys(one.verdict.reason for one in rewriting if one.verdict.reason))
        by = rewriting[-1].hook.id if rewriting else ""
        return _replace_fields(common, kind=Kind.REWRITE, by=by, reason=reason, input=final, allowed=bool(allowing))
    if allowing:
        return _replace_fields(
            common, kind=Kind.ALLOW, by=allowing[0].hook.id, reason=allowing[0].verdict.reason, allowed=True
        )
    return _replace_fields(common, kind=_choose_quiet_kind(common))


def _decide_after(common: Decision, spoken: Sequence[HookOutcome]) -> Decision:
    """Nothing told after the act is a verdict on it: a block becomes feedback, the rest has no effect."""
    blocks = [one for one in spoken if one.verdict.says is Kind.DENY]
    late = tuple(
        f"{one.hook.id}: {one.verdict.kind} has no effect after the act"
        for one in spoken
        if one.verdict.says is Kind.ASK or one.verdict.input is not None
    )
    told = _replace_fields(common, feedback=tuple(map(_find_reason, blocks)), warnings=common.warnings + late)
    if blocks:
        return _replace_fields(told, kind=Kind.ADVISE, by=blocks[0].hook.id, reason=_find_reason(blocks[0]))
    return _replace_fields(told, kind=_choose_quiet_kind(told))


def _list_refused(spoken: Sequence[HookOutcome], first: HookOutcome) -> tuple[RefusedAct, ...]:
    """All that a person would have to lift for this call to run, the deciding verdict first.

    Nothing, where somebody has refused or asked whom nobody can overrule: a guard that has failed is no opinion.
    """
    against = [first, *(one for one in spoken if one is not first and one.verdict.says in (Kind.DENY, Kind.ASK))]
    found = [one.refused for one in against if one.refused is not None]
    return tuple(dict.fromkeys(found)) if len(found) == len(against) else ()


def _join_refused(first: Decision, other: Decision) -> tuple[RefusedAct, ...]:
    """The same for two parts of a call: nothing, where one of them is refused and nobody can overrule that."""
    if any(one.kind in (Kind.DENY, Kind.ASK) and not one.refused for one in (first, other)):
        return ()
    return tuple(dict.fromkeys(first.refused + other.refused))


def merge_results(results: Sequence[tuple[str, HookResult]]) -> HookResult | None:
    """Structured results of several hooks: lists in hook order with their source, the best of each suggestion."""
    if not results:
        return None
    intents = _flatten_parts(
        ((result.new_intent,) if result.new_intent else ()) + result.intents for _, result in results
    )
    return HookResult(
        logs=_add_sources((name, result.logs) for name, result in results),
        messages_to_user=_flatten_parts(result.messages_to_user for _, result in results),
        suggested_abilities=_pick_best(_add_sources((name, result.suggested_abilities) for name, result in results)),
        suggested_documents=_add_sources((name, result.suggested_documents) for name, result in results),
        new_intent=intents[0] if intents else None,
        intents=intents if len(intents) > 1 else (),
        follow_up_actions=_add_sources((name, result.follow_up_actions) for name, result in results),
        usage_recorded=any(result.usage_recorded for _, result in results),
        error=next((result.error for _, result in results if result.error), ""),
        extra={name: result.extra for name, result in results if result.extra},
    )


def join_results(whole: HookResult | None, part: HookResult | None) -> HookResult | None:
    """Two results that are merged already, with the names of their hooks, as one."""
    if whole is None or part is None:
        return whole or part
    both = merge_results([("", whole), ("", part)])
    return both and msgspec.structs.replace(both, extra={**whole.extra, **part.extra})


def _find_new_result(one: HookOutcome) -> HookResult | None:
    """A second look repeats a result, which counts once; only one that newly refuses has something to add."""
    return one.verdict.result if one.phase != "recheck" or one.verdict.says is Kind.DENY else None


def _add_sources(parts: Iterable[tuple[str, tuple[dict[str, object], ...]]]) -> tuple[dict[str, object], ...]:
    return tuple({**item, "hook": item.get("hook", name)} for name, items in parts for item in items)


def _pick_best(suggestions: Sequence[dict[str, object]]) -> tuple[dict[str, object], ...]:
    """Keep one suggestion per ability, with the highest confidence and the reasons of all."""
    best: dict[object, dict[str, object]] = {}
    for suggestion in suggestions:
        known = best.get(suggestion.get("id"))
        best[suggestion.get("id")] = suggestion if known is None else _join_suggestions(known, suggestion)
    return tuple(best.values())


def _join_suggestions(one: dict[str, object], other: dict[str, object]) -> dict[str, object]:
    winner = other if _read_confidence(other) > _read_confidence(one) else one
    reasons = dict.fromkeys(str(item["reason"]) for item in (one, other) if item.get("reason"))
    return {**winner, "reason": "; ".join(reasons)}


def _read_confidence(suggestion: dict[str, object]) -> float:
    value = suggestion.get("confidence")
    return float(value) if isinstance(value, int | float) else 0.0


def _list_warnings(one: HookOutcome) -> tuple[str, ...]:
    if not isinstance(one.answer, Failure):
        return one.verdict.warnings
    consequence = "denied" if one.hook.on_error == "deny" else "asked" if one.answer.asks else "went on without it"
    message = one.answer.message
    who = "" if one.hook.id in message else f"hook {one.hook.id}: "
    return (f"{who}{message}; {consequence}",)


def _list_effects(one: HookOutcome) -> tuple[object, ...]:
    """A recheck looks again at the same call: only what it newly refuses is written down."""
    return one.verdict.effects if one.phase != "recheck" or one.verdict.says is Kind.DENY else ()


def _make_step(one: HookOutcome) -> TraceStep:
    hook = one.hook
    if one.answer is None:
        return TraceStep(
            hook=hook.id,
            priority=hook.priority,
            phase=one.phase,
            note=one.note,
            micros=one.micros,
            source=hook.source,
        )
    failure = one.answer if isinstance(one.answer, Failure) else None
    verdict = one.verdict
    return TraceStep(
        hook=one.hook.id,
        kind=verdict.kind,
        priority=one.hook.priority,
        phase=one.phase,
        reason=verdict.reason,
        note=one.note or (failure.message if failure else ""),
        micros=one.micros,
        fault=str(failure.fault) if failure else "",
        stderr=failure.stderr[:MOST_STDERR] if failure else "",
        source=one.hook.source,
    )


def _find_reason(one: HookOutcome) -> str:
    return one.verdict.reason or f"refused by {one.hook.id}"


def _list_reasons(spoken: Sequence[HookOutcome], first: HookOutcome) -> str:
    """The reason that has decided; where other gates refuse as well, all of them below each other, by policy."""
    others = [one for one in spoken if one.phase == TOLD and one.verdict.says is Kind.DENY]
    if not others:
        return _find_reason(first)
    return "\n".join(f"{one.hook.id}: {_find_reason(one)}" for one in (first, *others))


def _choose_quiet_kind(decision: Decision) -> Kind:
    return Kind.ADVISE if decision.context or decision.messages else Kind.NONE


def _flatten_parts(parts: Iterable[Sequence[object]]) -> tuple:  # type: ignore[type-arg]
    return tuple([item for part in parts for item in part])


def _replace_fields(decision: Decision, **changes: object) -> Decision:
    return msgspec.structs.replace(decision, **changes)
