"""The loop: blocking hooks one after another, each seeing the input as rewritten so far; a deny ends it."""

import time
from collections.abc import Mapping, Sequence
from typing import Protocol

from synaptic.model.call import Call
from synaptic.model.decision import Decision, Failure, Fault, Kind, Verdict
from synaptic.model.event import Timing, ToolEvent
from synaptic.model.facts import Facts
from synaptic.model.hook import Builtin, Hook
from synaptic.model.tool import Input
from synaptic.pipeline.merge import Said, merge, out_of_time
from synaptic.policies.base import Policy
from synaptic.runners.base import Invocation

Rank = tuple[int, int, str]
RECHECKS = 24
"""More looks at rewritten input than this, and the hooks are rewriting each other for ever."""


class Runtime(Protocol):
    """What the loop needs from the world around it."""

    variables: Mapping[str, str]
    deadline: float
    """On the monotonic clock; hooks that have not run by then count as failed."""

    async def facts(self, call: Call, needs: frozenset[str]) -> Facts: ...

    def refusal(self, hook: Hook) -> str | None:
        """Why a hook must not run, or None."""

    async def execute(self, invocation: Invocation) -> Verdict | Failure | None: ...

    def start(self, invocation: Invocation) -> Failure | None:
        """Launch a hook that nobody waits for; None when it runs."""


async def run(call: Call, hooks: Sequence[Hook], runtime: Runtime) -> Decision:
    """The decision of all hooks for one call."""
    walk = Walk(call, hooks, runtime)
    await walk.chain()
    if walk.rewritten and not walk.denied:
        await walk.recheck()
    return merge(call.event.TIMING, walk.said, walk.final)


class Walk:
    """The state of one run: the call as rewritten so far, what was said, and who has seen which input."""

    def __init__(self, call: Call, hooks: Sequence[Hook], runtime: Runtime) -> None:
        self.first = call
        self.call = call
        self.hooks = hooks
        self.runtime = runtime
        self.said: list[Said] = []
        self.denied = False
        self._before = call.event.TIMING is Timing.BEFORE
        self._facts: Facts | None = None
        self._seen: dict[Rank, Input] = {}
        self._writers: dict[Rank, str] = {}

    @property
    def rewritten(self) -> bool:
        return self.call is not self.first

    @property
    def final(self) -> Input | None:
        return _input(self.call) if self.rewritten and _input(self.call) != _input(self.first) else None

    async def chain(self) -> None:
        """Every hook in order, until one denies an act that has not happened yet."""
        for position, hook in enumerate(self.hooks):
            if refused := self.runtime.refusal(hook):
                self.said.append(Said(hook=hook, phase="skipped", note=refused))
            elif not hook.blocking:
                self._start(hook)
            else:
                await self._ask(hook)
            if self.denied:
                skipped = self.hooks[position + 1 :]
                self.said.extend(Said(hook=hook, phase="skipped", note="after a deny") for hook in skipped)
                return

    async def recheck(self) -> None:
        """Whoever looked at an older input looks at the final one, so that no rewrite smuggles anything past them."""
        for _ in range(RECHECKS):
            hook = next((hook for hook in self.hooks if self._outdated(hook)), None)
            if hook is None or self.denied:
                return
            await self._ask(hook, phase="recheck")
        names = ", ".join(sorted(set(self._writers.values())))
        endless = Verdict(says=Kind.DENY, reason=f"hooks keep rewriting each other's input: {names}")
        self.said.append(Said(hook=self.hooks[0], outcome=endless, phase="recheck"))

    def _outdated(self, hook: Hook) -> bool:
        return hook.recheck and hook.rank in self._seen and self._seen[hook.rank] is not _input(self.call)

    def _start(self, hook: Hook) -> None:
        failure = self.runtime.start(self._invocation(hook, hook.timeout))
        self.said.append(Said(hook=hook, outcome=failure, phase="started", note="" if failure else "not awaited"))

    async def _ask(self, hook: Hook, phase: str = "run") -> None:
        started = time.perf_counter_ns()
        said = await self._outcome(hook, phase == "recheck")
        micros = (time.perf_counter_ns() - started) // 1000
        self._seen[hook.rank] = _input(self.call)
        outcome, note = self._apply(hook, said.outcome, phase)
        self.said.append(Said(hook=hook, outcome=outcome, micros=micros, phase=phase, note=note))
        self.denied = self._before and self.said[-1].verdict.says is Kind.DENY

    async def _outcome(self, hook: Hook, recheck: bool) -> Said:
        if isinstance(hook.handler, Builtin):
            return Said(hook=hook, outcome=await self._check(hook.handler.policy))
        left = self.runtime.deadline - time.monotonic()
        if left <= 0:
            return out_of_time(hook)
        invocation = self._invocation(hook, min(hook.timeout, left), recheck)
        return Said(hook=hook, outcome=await self.runtime.execute(invocation))

    async def _check(self, policy: object) -> Verdict | Failure | None:
        assert isinstance(policy, Policy)
        if self._facts is None:
            self._facts = await self.runtime.facts(self.first, self._needs())
        try:
            return policy.check(self.call.event, self._facts)
        except Exception as error:  # noqa: BLE001 - one policy's defect must not take the other hooks' verdicts with it
            return Failure(Fault.CRASH, f"{type(error).__name__}: {error}")

    def _needs(self) -> frozenset[str]:
        policies = (hook.handler.policy for hook in self.hooks if isinstance(hook.handler, Builtin))
        return frozenset(need for policy in policies if isinstance(policy, Policy) for need in policy.needs)

    def _apply(self, hook: Hook, outcome: Verdict | Failure | None, phase: str) -> tuple[Verdict | Failure | None, str]:
        """Take over a rewrite. A script rewrites once per event: only policies promise that twice is the same."""
        if not isinstance(outcome, Verdict) or outcome.input is None or outcome.says is Kind.DENY:
            return outcome, ""
        if not self._before or not isinstance(self.call.event, ToolEvent):
            return outcome, "this event has no input to rewrite"
        if phase == "recheck" and hook.rank in self._writers and not isinstance(hook.handler, Builtin):
            return Verdict(says=outcome.says, reason=outcome.reason), "has already rewritten this call"
        if dict(outcome.input) != dict(_input(self.call)):
            self.call = self.call.with_input(outcome.input)
            self._seen[hook.rank] = _input(self.call)
            self._writers[hook.rank] = hook.id
        return outcome, ""

    def _invocation(self, hook: Hook, timeout: float, recheck: bool = False) -> Invocation:
        return Invocation(hook, self.call, self.runtime.variables, timeout, recheck)


def _input(call: Call) -> Input:
    return call.event.tool_input if isinstance(call.event, ToolEvent) else {}
