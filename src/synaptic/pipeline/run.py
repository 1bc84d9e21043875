"""The loop: hooks one after another, each seeing the input as rewritten so far; a deny ends it, observers excepted."""

import time
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import msgspec

from synaptic.hooks.select import SelectedHooks, compile_selection
from synaptic.model.call import Call
from synaptic.model.decision import POLICIES, Decision, Failure, Fault, Kind, Recorded, TraceStep, Verdict
from synaptic.model.effect import Effect
from synaptic.model.errand import Errand, ErrandResult
from synaptic.model.event import Timing, ToolEvent
from synaptic.model.hook import Hook
from synaptic.model.tool import Input
from synaptic.pipeline.advice import soften_answer
from synaptic.pipeline.lifting import ANSWERABLE, NO_LOOK, GrantLook, Refusal, lift_verdict
from synaptic.pipeline.merge import TOLD, HookOutcome, merge_outcomes
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts, join_facts
from synaptic.runners.base import Invocation
from synaptic.store.changed_files import SessionHistory

HookAnswer = Verdict | Failure | None
MAX_REWRITES = 4
"""More rounds of looking at rewritten input than this, and the hooks are rewriting each other for ever."""


class Runtime(Protocol):
    """What the loop needs from the world around it: the same loop decides, rehearses and checks."""

    variables: Mapping[str, str]
    deadline: float
    """On the monotonic clock; hooks that have not run by then count as failed."""

    def select(self, call: Call) -> SelectedHooks:
        """The hooks that concern a call."""

    def listens_to(self, event: str) -> bool:
        """Whether any hook is registered for an event."""

    def recall_session(self, call: Call) -> SessionHistory:
        """What the session has done up to now; nothing where that cannot be read."""

    async def gather_facts(self, call: Call, needs: frozenset[str]) -> Facts:
        """What policies may know about a call as it is now."""

    def explain_refusal(self, hook: Hook) -> str | None:
        """Why a hook must not run, or None."""

    async def execute(self, invocation: Invocation) -> HookAnswer:
        """Run a hook that is awaited."""

    async def run_errand(self, call: Call, errand: Errand) -> ErrandResult:
        """Run what a policy needs the word of."""

    def look_for_grant(self, refusal: Refusal) -> GrantLook:
        """What a person would have to lift, and the exception that lifts it."""

    def start(self, invocation: Invocation) -> Failure | None:
        """Launch a hook that nobody waits for; None when it runs."""


async def run_hooks(call: Call, selected: SelectedHooks, runtime: Runtime) -> Decision:
    """The decision of these hooks about one call."""
    chain = HookChain(call, selected, runtime)
    await chain.ask_all()
    if chain.call is call:  # nearly always: nothing was rewritten
        decision = merge_outcomes(call.event.TIMING, chain.outcomes, None, chain.shared_steps)
    else:
        await chain.recheck()
        decision = merge_outcomes(call.event.TIMING, chain.settle_outcomes(), chain.final_input, chain.shared_steps)
    if not chain.recorded:
        return decision
    return msgspec.structs.replace(decision, effects=chain.recorded + decision.effects)


class HookChain:
    """The state of one run: the call as rewritten so far, what was said, and who has seen only an older input."""

    def __init__(self, call: Call, selected: SelectedHooks, runtime: Runtime) -> None:
        self.first = call
        self.call = call
        self.selected = selected
        self.runtime = runtime
        self.outcomes: list[HookOutcome] = []
        self.recorded: tuple[Effect, ...] = ()
        """What policies without an opinion write down."""
        self.is_denied = False
        self._is_before = call.event.TIMING is Timing.BEFORE
        self._facts = Facts()
        self._facts_of: Call | None = None
        """The call that the facts are about."""
        self._speaking: Sequence[int] = ()
        """Places of those that may have something to say about it."""
        self._calls: list[Call] = []
        """For each outcome, the call as its hook left it."""
        self._spoken: set[int] = set()
        """Places of policies that had an opinion."""
        self._reached = 0
        """How many places had their turn before a deny."""
        self._unreached: list[str] = []
        self._heard: list[str] = []
        """Gates that were asked after another one had refused, and would have let the call through."""
        self._asked = 0
        """How many places of the selection have had their turn."""
        self._not_awaited: set[int] = set()
        """Places in the selection: refused, or not awaited."""
        self._narrowed_for: Call | None = None
        self._outdated: set[int] = set()
        """Places whose hook has not seen the call as it is now."""
        self._writers: dict[int, str] = {}

    @property
    def final_input(self) -> Input | None:
        return _get_input(self.call) if _get_input(self.call) != _get_input(self.first) else None

    @property
    def shared_steps(self) -> tuple[TraceStep, ...]:
        """The policies that had nothing to say, for most events all of them, and those that were not asked any more."""
        has_whole = not self._spoken and self._reached == len(self.selected.policies)
        names = self.selected.policy_names if has_whole else " ".join((*self._list_silent(), *self._heard))
        quiet = (TraceStep(hook=POLICIES, phase="quiet", note=names),)
        if not self._unreached:
            return quiet if names else ()
        return (*quiet, TraceStep(hook=POLICIES, phase="skipped", note=f"after a deny: {' '.join(self._unreached)}"))

    def _list_silent(self) -> Iterable[str]:
        names = list(self.selected.names[: self._reached])
        for place in self._spoken:
            if place < self._reached:
                names[place] = ""
        return filter(None, names)

    def settle_outcomes(self) -> list[HookOutcome]:
        """What was said, with a mark on everything that was said about an input which is no longer the final one."""
        return [
            one if about is self.call else msgspec.structs.replace(one, outdated=True)
            for one, about in zip(self.outcomes, self._calls, strict=True)
        ]

    async def ask_all(self) -> None:
        """Every hook in order, until one denies an act that has not happened yet."""
        while self._asked < len(self.selected.hooks):  # a rewrite may concern hooks that join at the end
            await self._ask_from(self._asked)

    async def _ask_from(self, start: int) -> None:
        facts: Facts | None = None
        event, policies = self.call.event, self.selected.policies
        waiting: Sequence[int] = range(start, len(policies))
        read_clock = time.perf_counter_ns
        while waiting:
            for place in waiting:
                policy = policies[place]
                if policy is None:
                    await self._ask_hook(place)
                elif facts is None:
                    # Facts are about the call as it is when a policy looks. A rewrite makes them old, and they are
                    # gathered again only when another policy looks: most rewrites are the last word in the chain.
                    facts = await self._gather_current_facts()
                    waiting = self._speaking[bisect_left(self._speaking, place) :]
                    break
                else:
                    started = read_clock()
                    looked: HookAnswer
                    try:
                        looked = policy.check(event, facts)
                    except Exception as error:  # noqa: BLE001 - one policy's defect must not take the others' verdicts with it
                        looked = _make_crash(error, policy.guards(event))
                    if looked is None:  # most policies, about most events: that costs no more than their own look at it
                        continue
                    if type(looked) is Recorded:
                        self.recorded += looked.effects
                        continue
                    self._spoken.add(place)
                    await self._take_policy(place, looked, "run", started)
                if self.is_denied:
                    self._reached = place + 1
                    await self._close_chain(place + 1)
                    self._asked = len(self.selected.policies)
                    return
                if self.call is not self._facts_of:
                    facts, event, waiting = None, self.call.event, range(place + 1, len(policies))
                    break
            else:
                break
        self._asked = self._reached = len(policies)

    async def recheck(self) -> None:
        """Whoever looked at an older input looks at the final one, so that no rewrite smuggles anything past them.

        A second look may rewrite again, after which all others have to look again: it ends because policies are
        idempotent and scripts rewrite once. Hooks that break that promise are stopped by the count of rounds.
        """
        for _ in range(MAX_REWRITES * len(self.selected.hooks)):
            if self.is_denied:
                return
            if self._outdated:
                await self._drop_silent()
            if self._outdated:
                place = min(self._outdated)
                self._outdated.discard(place)
                await self._look_again(place)
                if self.is_denied:
                    for other in sorted(self._find_gates(place) & self._outdated):
                        self._hear_gate(other)
            elif self._asked < len(self.selected.hooks):  # a second look's rewrite concerns it for the first time
                self._asked += 1
                await self._ask_hook(self._asked - 1)
            else:
                return
        names = ", ".join(sorted(set(self._writers.values())))
        endless = Verdict(says=Kind.DENY, reason=f"hooks keep rewriting each other's input: {names}")
        self._note_outcome(
            HookOutcome(hook=self.selected.hooks[next(iter(self._writers))], answer=endless, phase="recheck")
        )

    async def _drop_silent(self) -> None:
        """Of those who have to look again, leave out the policies that have nothing to say about the call as it is."""
        policies = self.selected.policies
        if self._narrowed_for is self.call or all(policies[place] is None for place in self._outdated):
            return
        await self._gather_current_facts()
        self._narrowed_for = self.call
        self._outdated.intersection_update(self._speaking)

    async def _close_chain(self, start: int) -> None:
        """After a deny: hooks that only observe are told of the call, the others have nothing left to decide."""
        gates, hooks = self._find_gates(start - 1), self.selected.hooks
        unreached = list(self.selected.names[start:])
        for place in sorted(place for place in gates | self.selected.others if place >= start):
            if place in gates:
                unreached[place - start] = "" if self._hear_gate(place) else unreached[place - start]
            elif hooks[place].observes:
                await self._ask_hook(place)
            else:
                self._note_outcome(HookOutcome(hook=hooks[place], phase="skipped", note="after a deny"))
        self._unreached += filter(None, unreached)

    def _find_gates(self, closer: int) -> frozenset[int]:
        """Places of the gates to hear after a refusal, so that nobody has to try again for each of their reasons.

        Only a gate's refusal asks others: what is dangerous in itself is no better once a plan was written.
        """
        gates = self.selected.gates
        return gates.intersection(self._speaking) if closer in gates else frozenset()

    def _hear_gate(self, place: int) -> bool:
        """Ask a gate for its reason alone: it counts, opens and records nothing. False when it has failed."""
        policy, started = self.selected.policies[place], time.perf_counter_ns()
        looked = _check_policy(policy, self.call, self._facts) if policy is not None else None
        if isinstance(looked, Failure):  # it is asked about once it is that gate's turn
            return False
        if looked is not None and looked.says is Kind.DENY:
            told = Verdict(says=Kind.DENY, reason=looked.reason, context=looked.context)
            self._take_answer(place, told, TOLD, started)
        elif place >= self._reached:  # in a second look it is named already
            self._heard.append(self.selected.hooks[place].id)
        return True

    async def _ask_hook(self, place: int) -> None:
        """Ask a script, HTTP or function hook for the first time; policies are asked in the loop above."""
        hook = self.selected.hooks[place]
        if refused := self.runtime.explain_refusal(hook):
            self._not_awaited.add(place)
            self._note_outcome(HookOutcome(hook=hook, phase="skipped", note=refused))
        elif not hook.awaited:
            self._not_awaited.add(place)
            failure = self.runtime.start(self._make_invocation(hook, hook.timeout))
            note = "" if failure else "not awaited"
            self._note_outcome(HookOutcome(hook=hook, answer=failure, phase="started", note=note))
        else:
            await self._take_script(place, "run")

    async def _look_again(self, place: int) -> None:
        policy = self.selected.policies[place]
        if policy is None:
            await self._take_script(place, "recheck")
            return
        facts, started = await self._gather_current_facts(), time.perf_counter_ns()
        looked = _check_policy(policy, self.call, facts)
        if looked is not None:
            await self._take_policy(place, looked, "recheck", started)

    async def _gather_current_facts(self) -> Facts:
        if self._facts_of is not self.call:
            facts = await self.runtime.gather_facts(self.call, self.selected.needs)
            self._speaking = self.selected.speakers.find_speakers(self.call.event, facts)
            # What only rules ask for is looked up once one of them may speak.
            if self.selected.speakers.has_rules and (more := self.selected.list_needs(self._speaking)):
                facts = join_facts(facts, await self.runtime.gather_facts(self.call, more), more)
            self._facts, self._facts_of = facts, self.call
            if facts.failed:
                self._note_failed_facts(facts.failed)
        return self._facts

    def _note_failed_facts(self, failed: Mapping[str, str]) -> None:
        """The first guard that needs what could not be gathered: it cannot know, so a person decides.

        One that only advises decides nothing, so nobody is asked for its sake: it is told that it could not look.
        """
        unheard: HookOutcome | None = None
        for place, (hook, policy) in enumerate(zip(self.selected.hooks, self.selected.policies, strict=True)):
            if policy is None or not policy.guards(self.call.event):
                continue
            if place not in self._speaking:  # who has nothing to say about this command needs to know nothing
                continue
            if missing := [f"{need}: {failed[need]}" for need in policy.needs if need in failed]:
                failure = Failure(Fault.CRASH, f"what it needs could not be found out: {'; '.join(missing)}", asks=True)
                if hook.mode == "enforce":
                    self._note_outcome(HookOutcome(hook=hook, answer=failure))
                    return
                unheard = unheard or HookOutcome(hook=hook, answer=msgspec.structs.replace(failure, asks=False))
        if unheard:
            self._note_outcome(unheard)

    async def _take_policy(self, place: int, looked: Verdict | Failure, phase: str, started: int) -> None:
        """What a policy said, after its errand if it needs one."""
        policy = self.selected.policies[place]
        answer: HookAnswer = looked
        if policy is not None and isinstance(looked, Verdict) and looked.errand is not None:
            answer = await self._conclude_errand(policy, looked.errand)
        if phase == "recheck" and place not in self._spoken and self.selected.hooks[place].mode != "enforce":
            self._spoken.add(place)
            phase = "run"  # advice that nobody has heard yet: what a second look says is not told again
        self._take_answer(place, answer, phase, started)

    async def _take_script(self, place: int, phase: str) -> None:
        started = time.perf_counter_ns()
        answer = await self._execute_hook(place, phase == "recheck")
        self._take_answer(place, answer, phase, started)

    def _take_answer(self, place: int, answer: HookAnswer, phase: str, started: int) -> None:
        micros = (time.perf_counter_ns() - started) // 1000
        hook = self.selected.hooks[place]
        look, softened = NO_LOOK, ""
        if hook.mode != "enforce":
            answer, softened = soften_answer(hook.id, answer)
        if self._is_before and isinstance(answer, Verdict) and answer.says in ANSWERABLE:
            look = self.runtime.look_for_grant(
                Refusal(hook, self.selected.policies[place], self.first, self.call, answer)
            )
            answer = lift_verdict(answer) if look.grant else answer
        answer, note = self._apply_answer(place, answer, phase)
        self._note_outcome(
            HookOutcome(
                hook=hook,
                answer=answer,
                micros=micros,
                phase="lifted" if look.grant else phase,
                note=note or look.note or softened,
                refused=None if look.grant else look.act,
                grant=look.grant,
            )
        )
        self.is_denied = self.is_denied or (self._is_before and self.outcomes[-1].verdict.says is Kind.DENY)

    def _note_outcome(self, outcome: HookOutcome) -> None:
        self.outcomes.append(outcome)
        self._calls.append(self.call)

    async def _execute_hook(self, place: int, recheck: bool) -> HookAnswer:
        # The agent stops waiting at its own time-out and goes on: an answer after that would protect nothing.
        left = self.runtime.deadline - time.monotonic()
        if left <= 0:
            return Failure(Fault.DEADLINE, "the event's deadline had passed")
        hook, share = self.selected.hooks[place], left / 2 if self._keeps_others_waiting(place) else left
        return await self.runtime.execute(self._make_invocation(hook, min(hook.timeout, share), recheck))

    def _keeps_others_waiting(self, place: int) -> bool:
        """Whether hooks behind one that only observes may still decide: it must not take all the time that is left."""
        behind = zip(self.selected.hooks[place + 1 :], self.selected.policies[place + 1 :], strict=True)
        return self.selected.hooks[place].observes and any(hook.blocking and policy is None for hook, policy in behind)

    async def _conclude_errand(self, policy: Policy, errand: Errand) -> HookAnswer:
        ended = await self.runtime.run_errand(self.call, errand)
        try:
            return policy.conclude(self.call.event, self._facts, ended)
        except Exception as error:  # noqa: BLE001 - as in `_ask_from`
            return _make_crash(error, policy.guards(self.call.event))

    def _apply_answer(self, place: int, answer: HookAnswer, phase: str) -> tuple[HookAnswer, str]:
        """Take over a rewrite. A script rewrites once per event: only policies promise that twice is the same."""
        if not isinstance(answer, Verdict) or answer.input is None or answer.says is Kind.DENY:
            return answer, ""
        if self.is_denied:
            return msgspec.structs.replace(answer, input=None), "a denied call is not rewritten"
        if not self._is_before or not isinstance(self.call.event, ToolEvent):
            return answer, "this event has no input to rewrite"
        # A script that appends a flag would append it again at every look (decision 8).
        if phase == "recheck" and place in self._writers and self.selected.policies[place] is None:
            return Verdict(says=answer.says, reason=answer.reason), "has already rewritten this call"
        if dict(answer.input) != dict(_get_input(self.call)):
            self._rewrite_call(place, answer.input, phase)
        return answer, ""

    def _rewrite_call(self, place: int, new: Input, phase: str) -> None:
        self.call = self.call.with_input(new)
        self._writers[place] = self.selected.hooks[place].id
        self._join_concerned()
        # In the chain, hooks after this place have their turn still to come; in a recheck everybody has looked.
        reach = place if phase == "run" else self._asked
        others = (other for other in range(reach) if other != place and other not in self._not_awaited)
        self._outdated.update(other for other in others if self.selected.hooks[other].recheck)

    def _join_concerned(self) -> None:
        """Hooks whose conditions hold for the new input only. They come last, so that nobody's place changes."""
        concerned = self.runtime.select(self.call)
        known = {hook.id for hook in self.selected.hooks}
        if new := tuple(hook for hook in concerned.hooks if hook.id not in known):
            self.selected = compile_selection(self.selected.hooks + new)

    def _make_invocation(self, hook: Hook, timeout: float, recheck: bool = False) -> Invocation:
        return Invocation(hook, self.call, self.runtime.variables, timeout, recheck)


def _check_policy(policy: Policy, call: Call, facts: Facts) -> HookAnswer:
    try:
        return policy.check(call.event, facts)
    except Exception as error:  # noqa: BLE001 - as in `_ask_from`
        return _make_crash(error, policy.guards(call.event))


def _get_input(call: Call) -> Input:
    return call.event.tool_input if isinstance(call.event, ToolEvent) else {}


def _make_crash(error: Exception, asks: bool) -> Failure:
    return Failure(Fault.CRASH, f"{type(error).__name__}: {error}", asks=asks)
