"""The world around the walk of one event: the same walk decides, rehearses, checks and tries one hook."""

import time
from collections.abc import Callable, Mapping

import msgspec

from synaptic.engine.grants import CallGrants
from synaptic.engine.outside_call import ask_outside
from synaptic.engine.recollection import StoreRecollection, make_trust
from synaptic.facts.gather import EngineMeans, gather_facts
from synaptic.hooks.catalog import HookCatalog
from synaptic.hooks.select import SelectedHooks, compile_selection
from synaptic.hooks.trust import HookStanding
from synaptic.model.call import Call
from synaptic.model.decision import Failure, Fault, Verdict
from synaptic.model.errand import Errand, ErrandResult
from synaptic.model.event import Timing
from synaptic.model.hook import Hook, OutsidePolicy
from synaptic.pipeline.decide import Deliberation
from synaptic.pipeline.lifting import NO_LOOK, GrantLook, Refusal
from synaptic.pipeline.merge import HookOutcome, merge_outcomes
from synaptic.policies.facts import Facts
from synaptic.runners import errands
from synaptic.runners.base import Invocation
from synaptic.runners.environment import clean_variables
from synaptic.runners.spool import PreparedRun
from synaptic.store.changed_files import SessionHistory


class EventRuntime:
    """An event that happens: every hook is asked, it is written down, and those that nobody waits for are launched."""

    happens = True
    """Whether the event is written to the journal and its effects are carried out."""

    def __init__(self, catalog: HookCatalog, means: EngineMeans, seconds: float) -> None:
        self.variables: Mapping[str, str] = catalog.variables
        self.deadline = time.monotonic() + seconds
        self.doubt = catalog.doubt
        self._catalog = catalog
        self._means = means
        self.memory = StoreRecollection(means.store, catalog)
        self.grants: CallGrants | None = CallGrants(means.store, catalog)
        """Exceptions; None where nobody knows who has sent the call."""
        self._told: dict[tuple[int, frozenset[str]], tuple[Call, Facts]] = {}
        """What policies from outside were told of which call."""
        self.prepared: list[PreparedRun] = []
        """Hooks that nobody waits for: launched once the call is ours, never by two who decide it."""
        self.looks: list[FactLook] = []
        """The facts that policies were shown, about which call."""

    def select(self, call: Call) -> SelectedHooks:
        return self._catalog.index.select(call)

    def listens_to(self, event: str) -> bool:
        return self._catalog.index.listens_to(event)

    def recall_session(self, call: Call) -> SessionHistory:
        return self.memory.recall_session(call)

    async def gather_facts(self, call: Call, needs: frozenset[str]) -> Facts:
        facts = await gather_facts(call, needs, self._means)
        self.looks.append((call, needs, facts))
        return facts

    def explain_refusal(self, hook: Hook) -> str | None:
        standing = self._examine(hook)
        # A tampered or missing script is a failure of a hook that the user wanted, never a hook that nobody asked for.
        return standing.refusal if standing.refusal and not standing.fails else None

    async def execute(self, invocation: Invocation) -> Verdict | Failure | None:
        standing = self._examine(invocation.hook)
        if isinstance(invocation.hook.handler, OutsidePolicy):  # it may fail only where it is about the call
            return await self._consult(invocation, invocation.hook.handler, standing)
        if standing.refusal:
            return Failure(Fault.MISSING, standing.refusal)
        return await self._means.runners.run(self._bind(invocation, standing))

    async def _consult(
        self, invocation: Invocation, handler: OutsidePolicy, standing: HookStanding
    ) -> Verdict | Failure | None:
        """Ask a policy from outside, with the facts that it needs; those of one call are gathered once."""
        key = (id(invocation.call), handler.needs)
        if key not in self._told:
            # The call is kept with them: no other can have its id meanwhile.
            self._told[key] = (invocation.call, await self.gather_facts(invocation.call, handler.needs))
        return await ask_outside(self._means.runners.policies, invocation, self._told[key][1], standing)

    def look_for_grant(self, refusal: Refusal) -> GrantLook:
        return self.grants.look(refusal) if self.grants else NO_LOOK

    async def run_errand(self, call: Call, errand: Errand) -> ErrandResult:
        return await errands.run_errand(errand, clean_variables(call.env), self.deadline - time.monotonic())

    def start(self, invocation: Invocation) -> Failure | None:
        standing = self._examine(invocation.hook)
        if standing.refusal:
            return Failure(Fault.MISSING, standing.refusal)
        run = self._means.runners.prepare(self._bind(invocation, standing))
        if isinstance(run, Failure):
            return run
        self.prepared.append(run)
        return None

    async def finish(self, made: Deliberation) -> Deliberation:
        """After all hooks that are awaited."""
        return made

    def _examine(self, hook: Hook) -> HookStanding:
        return make_trust(self._catalog, self._means.store).examine(hook)

    def _bind(self, invocation: Invocation, standing: HookStanding) -> Invocation:
        """The run with the contents that may run: the runner opens a file once and runs what it has compared."""
        if standing.contents is None:
            return invocation
        variables = {**invocation.variables, **self._means.runners.project_variables}
        if invocation.hook.scope == "project":
            variables["CLAUDE_PROJECT_DIR"] = (
                invocation.hook.root or self._catalog.root
            )  # what was covered is seen from there
        return msgspec.structs.replace(invocation, contents=standing.contents, variables=variables)


FactLook = tuple[Call, frozenset[str], Facts]
RuntimeKind = Callable[[HookCatalog, EngineMeans, float], EventRuntime]


class DryRun(EventRuntime):
    """Nothing is written. What would be launched is run and awaited, so that its answer can be shown."""

    happens = False

    def __init__(self, catalog: HookCatalog, means: EngineMeans, seconds: float) -> None:
        super().__init__(catalog, means, seconds)
        self._started: list[Invocation] = []

    async def run_errand(self, call: Call, errand: Errand) -> ErrandResult:
        """Not run in a dry run: a linter would change the files that it checks."""
        return ErrandResult(trouble=f"is not run in a rehearsal ({' '.join(errand.argv)})")

    def start(self, invocation: Invocation) -> Failure | None:
        self._started.append(invocation)
        return None

    async def finish(self, made: Deliberation) -> Deliberation:
        decision = made.decision
        for invocation in self._started:
            answer = await self.execute(invocation)
            outcome = HookOutcome(hook=invocation.hook, answer=answer, phase="background")
            steps = merge_outcomes(Timing.OBSERVE, [outcome]).trace
            decision = msgspec.structs.replace(decision, trace=decision.trace + steps)
        return msgspec.structs.replace(made, decision=decision)


class Consultation(DryRun):
    """A call that nobody makes: hooks that would be awaited are asked. The others cannot change the answer."""

    def start(self, invocation: Invocation) -> Failure | None:
        return None


class OneHook(DryRun):
    """A dry run of one hook, whatever its conditions are."""

    def __init__(self, hook: Hook, catalog: HookCatalog, means: EngineMeans, seconds: float) -> None:
        super().__init__(catalog, means, seconds)
        self._selected = compile_selection((hook,))

    def select(self, call: Call) -> SelectedHooks:
        return self._selected

    def listens_to(self, event: str) -> bool:
        return False  # this one hook is asked about this one event


class PoliciesOnly(EventRuntime):
    """A dry run of the built-in policies: no script runs, however long it takes."""

    happens = False

    def __init__(self, catalog: HookCatalog, means: EngineMeans, seconds: float) -> None:
        super().__init__(catalog, means, seconds)
        self.deadline = float("inf")

    def select(self, call: Call) -> SelectedHooks:
        return self._catalog.policy_index.select(call)

    def listens_to(self, event: str) -> bool:
        return self._catalog.policy_index.listens_to(event)

    async def execute(self, invocation: Invocation) -> Verdict | Failure | None:
        return Failure(Fault.MISSING, "only policies are asked here")

    async def run_errand(self, call: Call, errand: Errand) -> ErrandResult:
        return ErrandResult(trouble="is not run here")

    def start(self, invocation: Invocation) -> Failure | None:
        return Failure(Fault.MISSING, "only policies are asked here")
