"""What policies would have said that are only watched: asked after the answer, one by one, about the call as it left.

Nothing here decides, remembers or starts anything. A verdict becomes one step of the trace.
"""

import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager

import msgspec

from synaptic.hooks.select import HookIndex, SelectedHooks
from synaptic.model.call import Call
from synaptic.model.decision import Failure, Fault, Kind, TraceStep, Verdict
from synaptic.model.hook import Hook
from synaptic.pipeline.patch_files import drop_asked, split_by_file
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts, join_facts

SHADOW = "shadow"
"""The phase of such a step."""
GatherFacts = Callable[[Call, frozenset[str]], Awaitable[Facts]]
TimeLimit = Callable[[], AbstractContextManager[None]]
"""Opened around one policy's look: whatever takes longer ends with an error."""


class ShadowTimeoutError(Exception):
    """A watched policy took too long about one call."""


async def judge_in_shadow(call: Call, index: HookIndex, gather: GatherFacts, limit: TimeLimit) -> tuple[TraceStep, ...]:
    """A step for each watched policy that would have said something, or has failed."""
    selected = index.select(call)
    steps = await _judge_selected(call, selected, gather, limit)
    for part in split_by_file(call):
        steps += await _judge_selected(part, drop_asked(index.select(part), selected), gather, limit)
    return steps


async def _judge_selected(
    call: Call, selected: SelectedHooks, gather: GatherFacts, limit: TimeLimit
) -> tuple[TraceStep, ...]:
    if not selected.hooks:
        return ()
    facts = await gather(call, selected.needs)
    speaking = selected.speakers.find_speakers(call.event, facts)
    if selected.speakers.has_rules and (more := selected.list_needs(speaking)):
        facts = join_facts(facts, await gather(call, more), more)
    return tuple(
        step
        for place in speaking
        if (policy := selected.policies[place]) is not None
        for step in _ask_policy(selected.hooks[place], policy, (call, facts), limit)
    )


def _ask_policy(hook: Hook, policy: Policy, about: tuple[Call, Facts], limit: TimeLimit) -> Iterator[TraceStep]:
    call, facts = about
    started = time.perf_counter_ns()
    answer: Verdict | Failure | None
    if missing := [f"{need}: {facts.failed[need]}" for need in policy.needs if need in facts.failed]:
        answer = Failure(Fault.CRASH, f"what it needs could not be found out: {'; '.join(missing)}")
    else:
        try:
            with limit():
                answer = policy.check(call.event, facts)
        except ShadowTimeoutError as error:
            answer = Failure(Fault.TIMEOUT, str(error))
        except Exception as error:  # noqa: BLE001 - a defect of one policy, which nobody waits for
            answer = Failure(Fault.CRASH, f"{type(error).__name__}: {error}")
    micros = (time.perf_counter_ns() - started) // 1000
    if answer is not None and (step := _make_step(hook, answer)):
        yield msgspec.structs.replace(step, micros=micros)


def _make_step(hook: Hook, answer: Verdict | Failure) -> TraceStep | None:
    step = TraceStep(hook=hook.id, priority=hook.priority, phase=SHADOW, source=hook.source)
    if isinstance(answer, Failure):
        return msgspec.structs.replace(step, note=answer.message, fault=str(answer.fault))
    if answer.errand is not None:
        note = f"would first run {' '.join(answer.errand.argv)}, so nobody knows what it would have said"
        return msgspec.structs.replace(step, note=note)
    if answer.kind is Kind.NONE:
        return None
    return msgspec.structs.replace(step, kind=answer.kind, reason=_choose_reason(answer))


def _choose_reason(verdict: Verdict) -> str:
    return verdict.reason or "\n".join((*verdict.context, *verdict.messages))
