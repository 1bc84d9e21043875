"""The loop: blocking hooks one after another, each seeing the input as rewritten so far; a deny ends it."""

import time
from collections.abc import Mapping
from typing import Protocol

import msgspec

from synaptic.model.call import Call
from synaptic.model.decision import POLICIES, Decision, Failure, Fault, Kind, Recorded, Step, Verdict
from synaptic.model.effect import Effect
from synaptic.model.errand import Ended, Errand
from synaptic.model.event import Timing, ToolEvent
from synaptic.model.hook import Hook
from synaptic.model.tool import Input
from synaptic.pipeline.merge import Said, merge
from synaptic.pipeline.select import Panel
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts, with_command
from synaptic.runners.base import Invocation

Outcome = Verdict | Failure | None
REWRITES = 4
"""More rounds of looking at rewritten input than this, and the hooks are rewriting each other for ever."""


class Runtime(Protocol):
    """What the loop needs from the world around it."""

    variables: Mapping[str, str]
    deadline: float
    """On the monotonic clock; hooks that have not run by then count as failed."""

    async def facts(self, call: Call, needs: frozenset[str]) -> Facts: ...

    def refusal(self, hook: Hook) -> str | None:
        """Why a hook must not run, or None."""

    async def execute(self, invocation: Invocation) -> Outcome: ...

    async def errand(self, call: Call, errand: Errand) -> Ended:
        """Run what a policy needs the word of."""

    def start(self, invocation: Invocation) -> Failure | None:
        """Launch a hook that nobody waits for; None when it runs."""


async def run(call: Call, panel: Panel, runtime: Runtime) -> Decision:
    """The decision of all hooks for one call."""
    walk = Walk(call, panel, runtime)
    await walk.chain()
    if walk.rewritten and not walk.denied:
        await walk.recheck()
    decision = merge(call.event.TIMING, walk.said, walk.final, walk.others)
    if not walk.recorded:
        return decision
    return msgspec.structs.replace(decision, effects=walk.recorded + decision.effects)


class Walk:
    """The state of one run: the call as rewritten so far, what was said, and who has seen only an older input."""

    def __init__(self, call: Call, panel: Panel, runtime: Runtime) -> None:
        self.first = call
        self.call = call
        self.panel = panel
        self.runtime = runtime
        self.said: list[Said] = []
        self.recorded: tuple[Effect, ...] = ()
        """What policies without an opinion write down."""
        self.denied = False
        self._before = call.event.TIMING is Timing.BEFORE
        self._facts = Facts()
        self._silent: list[str] = []
        self._unreached: list[str] = []
        self._unasked: set[int] = set()
        """Places in the panel: refused, or not awaited."""
        self._outdated: set[int] = set()
        self._writers: dict[int, str] = {}

    @property
    def rewritten(self) -> bool:
        return self.call is not self.first

    @property
    def final(self) -> Input | None:
        return _input(self.call) if self.rewritten and _input(self.call) != _input(self.first) else None

    @property
    def others(self) -> tuple[Step, ...]:
        """The policies that had nothing to say, for most events all of them, and those that were not asked any more."""
        everybody = self.panel.policies
        names = everybody if len(self._silent) == everybody.count(" ") + 1 else " ".join(self._silent)
        quiet = (Step(hook=POLICIES, phase="quiet", note=names),)
        if not self._unreached:
            return quiet if names else ()
        return (*quiet, Step(hook=POLICIES, phase="skipped", note=f"after a deny: {' '.join(self._unreached)}"))

    async def chain(self) -> None:
        """Every hook in order, until one denies an act that has not happened yet."""
        if self.panel.policies:
            self._facts = await self.runtime.facts(self.first, self.panel.needs)
        facts, event = self._facts, self.call.event
        for place, policy in enumerate(self.panel.members):
            if policy is None:
                await self._ask(place, self.panel.hooks[place])
            else:
                started = time.perf_counter_ns()
                looked: Outcome
                try:
                    looked = policy.check(event, facts)
                except Exception as error:  # noqa: BLE001 - one policy's defect must not take the others' verdicts with it
                    looked = _crashed(error)
                if looked is None:  # most policies, about most events: that costs no more than their own look at it
                    self._silent.append(policy.id)
                    continue
                if type(looked) is Recorded:
                    self._silent.append(policy.id)
                    self.recorded += looked.effects
                    continue
                await self._policy(place, looked, "run", started)
            if self.denied:
                self._leave_out(place + 1)
                return
            facts, event = self._facts, self.call.event

    def _leave_out(self, start: int) -> None:
        for hook, policy in zip(self.panel.hooks[start:], self.panel.members[start:], strict=True):
            if policy is None:
                self.said.append(Said(hook=hook, phase="skipped", note="after a deny"))
            else:
                self._unreached.append(hook.id)

    async def recheck(self) -> None:
        """Whoever looked at an older input looks at the final one, so that no rewrite smuggles anything past them."""
        for _ in range(REWRITES * len(self.panel.hooks)):
            if self.denied or not self._outdated:
                return
            place = min(self._outdated)
            self._outdated.discard(place)
            await self._again(place)
        names = ", ".join(sorted(set(self._writers.values())))
        endless = Verdict(says=Kind.DENY, reason=f"hooks keep rewriting each other's input: {names}")
        self.said.append(Said(hook=self.panel.hooks[next(iter(self._writers))], outcome=endless, phase="recheck"))

    async def _ask(self, place: int, hook: Hook) -> None:
        if refused := self.runtime.refusal(hook):
            self._unasked.add(place)
            self.said.append(Said(hook=hook, phase="skipped", note=refused))
        elif not hook.blocking:
            self._unasked.add(place)
            failure = self.runtime.start(self._invocation(hook, hook.timeout))
            self.said.append(Said(hook=hook, outcome=failure, phase="started", note="" if failure else "not awaited"))
        else:
            await self._script(place, "run")

    async def _again(self, place: int) -> None:
        policy = self.panel.members[place]
        started = time.perf_counter_ns()
        if policy is None:
            await self._script(place, "recheck")
        elif (looked := self._check(policy)) is not None:
            await self._policy(place, looked, "recheck", started)

    async def _policy(self, place: int, looked: Verdict | Failure, phase: str, started: int) -> None:
        """What a policy said, after its errand if it needs one."""
        policy = self.panel.members[place]
        outcome: Outcome = looked
        if policy is not None and isinstance(looked, Verdict) and looked.errand is not None:
            outcome = await self._conclude(policy, looked.errand)
        self._take(place, outcome, phase, started)

    async def _script(self, place: int, phase: str) -> None:
        started = time.perf_counter_ns()
        outcome = await self._execute(self.panel.hooks[place], phase == "recheck")
        self._take(place, outcome, phase, started)

    def _take(self, place: int, outcome: Outcome, phase: str, started: int) -> None:
        micros = (time.perf_counter_ns() - started) // 1000
        hook = self.panel.hooks[place]
        outcome, note = self._apply(place, Said(hook=hook, outcome=outcome, phase=phase))
        self.said.append(Said(hook=hook, outcome=outcome, micros=micros, phase=phase, note=note))
        self.denied = self._before and self.said[-1].verdict.says is Kind.DENY

    async def _execute(self, hook: Hook, recheck: bool) -> Outcome:
        left = self.runtime.deadline - time.monotonic()
        if left <= 0:
            return Failure(Fault.DEADLINE, "the event's deadline had passed")
        return await self.runtime.execute(self._invocation(hook, min(hook.timeout, left), recheck))

    def _check(self, policy: Policy) -> Outcome:
        try:
            return policy.check(self.call.event, self._facts)
        except Exception as error:  # noqa: BLE001 - as in `chain`
            return _crashed(error)

    async def _conclude(self, policy: Policy, errand: Errand) -> Outcome:
        ended = await self.runtime.errand(self.call, errand)
        try:
            return policy.conclude(self.call.event, self._facts, ended)
        except Exception as error:  # noqa: BLE001 - as above
            return _crashed(error)

    def _apply(self, place: int, said: Said) -> tuple[Outcome, str]:
        """Take over a rewrite. A script rewrites once per event: only policies promise that twice is the same."""
        outcome = said.outcome
        if not isinstance(outcome, Verdict) or outcome.input is None or outcome.says is Kind.DENY:
            return outcome, ""
        if not self._before or not isinstance(self.call.event, ToolEvent):
            return outcome, "this event has no input to rewrite"
        if said.phase == "recheck" and place in self._writers and self.panel.members[place] is None:
            return Verdict(says=outcome.says, reason=outcome.reason), "has already rewritten this call"
        if dict(outcome.input) != dict(_input(self.call)):
            self.call = self.call.with_input(outcome.input)
            self._facts = with_command(self._facts, self.call.event)
            self._writers[place] = said.hook.id
            reach = place if said.phase == "run" else len(self.panel.hooks)
            asked = (other for other in range(reach) if other != place and other not in self._unasked)
            self._outdated.update(other for other in asked if self.panel.hooks[other].recheck)
        return outcome, ""

    def _invocation(self, hook: Hook, timeout: float, recheck: bool = False) -> Invocation:
        return Invocation(hook, self.call, self.runtime.variables, timeout, recheck)


def _input(call: Call) -> Input:
    return call.event.tool_input if isinstance(call.event, ToolEvent) else {}


def _crashed(error: Exception) -> Failure:
    return Failure(Fault.CRASH, f"{type(error).__name__}: {error}")
