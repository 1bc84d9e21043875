"""The world around a past event: recorded facts, and what everybody else said then. Nothing is run, read or asked."""

import re
from collections import deque
from collections.abc import Iterable, Mapping
from functools import lru_cache

import msgspec

from synaptic.engine.basis import FOLLOWING, name_call
from synaptic.engine.past_facts import PastBasis, PastLook
from synaptic.hooks.catalog import HookCatalog
from synaptic.hooks.select import SelectedHooks
from synaptic.model.call import Call
from synaptic.model.decision import Decision, Failure, Fault, Kind, TraceStep, Verdict
from synaptic.model.errand import Errand, ErrandResult
from synaptic.model.event import ToolEvent
from synaptic.model.grant import RefusedAct
from synaptic.model.hook import Hook
from synaptic.model.state import State
from synaptic.pipeline.escalate import fingerprint_call
from synaptic.pipeline.lifting import ANSWERABLE, NO_LOOK, GrantLook, Refusal, is_liftable
from synaptic.pipeline.merge import TOLD
from synaptic.policies.facts import Facts, read_command
from synaptic.runners.base import Invocation
from synaptic.shell.reading import CommandReading
from synaptic.store.changed_files import SessionHistory
from synaptic.store.record import Delivery

AFTER_DENY = "after a deny"
REPEATED = re.compile(r"refusal (\d{1,9}) of the same call")
STOPPED = re.compile(r"from stopping for the (\d{1,9})th time")
LONGEST_KEPT = 2000
"""Characters of a command that is kept with all that is known of it."""
NOTICE = "synaptic: "
"""Before what is broken or was skipped, in the messages of a session's start."""
LIFTED = "lifted"
ANSWERED = ("run", "recheck", LIFTED)


class NotReplayableError(Exception):
    """What the event rests on is not in the record."""


class PastRuntime:
    """One past event. `doubts` says what had to be guessed."""

    deadline = float("inf")

    def __init__(self, basis: PastBasis, first: Call, said: Decision) -> None:
        self._basis, self._first, self._said = basis, first, said
        self._catalog: HookCatalog = basis.catalog.catalog
        self.variables: Mapping[str, str] = self._catalog.variables
        self.memory = PastMemory(said, self._catalog)
        self.doubts: dict[str, None] = {}
        self._steps: dict[str, deque[TraceStep]] = {}
        self._refusals: dict[str, deque[TraceStep]] | None = None

    def select(self, call: Call) -> SelectedHooks:
        return self._catalog.index.select(call)

    def listens_to(self, event: str) -> bool:
        return False  # what a session has changed up to then is not in the record

    def recall_session(self, call: Call) -> SessionHistory:
        return SessionHistory()

    async def gather_facts(self, call: Call, needs: frozenset[str]) -> Facts:
        look = self._basis.looks.get(name_call(call, self._first))
        if look is None:
            look = self._guess_look(needs)
        home = call.env.get("HOME", "")
        facts = msgspec.structs.replace(
            look.facts,
            root=call.root,
            home=home,
            now=call.at,
            agent=call.agent,
            command=_read_command(call, home),
            payload=call.payload if "payload" in needs else {},
        )
        if missing := needs - look.needs - FOLLOWING:
            self._note_missing(call, facts, missing)
        return facts

    def _guess_look(self, needs: frozenset[str]) -> PastLook:
        """Facts about a call that nobody looked at: those of the call that it was made of."""
        if not self._basis.looks:
            return PastLook(Facts(), frozenset())
        if needs - FOLLOWING:
            self.doubts["nobody looked at the call as it would have become"] = None
        return next(iter(self._basis.looks.values()))

    def _note_missing(self, call: Call, facts: Facts, missing: frozenset[str]) -> None:
        selected = self.select(call)
        for place in selected.speakers.find_speakers(call.event, facts):
            policy = selected.policies[place]
            if policy is not None and (gone := missing.intersection(policy.needs)):
                self.doubts[f"{policy.id} needs facts that were not gathered then ({', '.join(sorted(gone))})"] = None

    def explain_refusal(self, hook: Hook) -> str | None:
        step = self._find_step(hook, ("skipped",))
        return step.note if step and not step.note.startswith(AFTER_DENY) else None

    async def execute(self, invocation: Invocation) -> Verdict | Failure | None:
        hook = invocation.hook
        steps = self._find_steps(hook)
        while steps and steps[0].phase not in ANSWERED:
            steps.popleft()
        if not steps:
            if not invocation.recheck:
                self.doubts[f"{hook.id} was not asked then"] = None
            return None
        return self._repeat(steps.popleft())

    def _find_steps(self, hook: Hook) -> deque[TraceStep]:
        """What it said then and was not repeated yet. Policies are never looked up: they say it again by themselves."""
        if hook.id not in self._steps:
            self._steps[hook.id] = deque(step for step in self._said.trace if step.hook == hook.id)
        return self._steps[hook.id]

    def _repeat(self, step: TraceStep) -> Verdict | Failure | None:
        if step.fault:
            return Failure(Fault(step.fault), step.note, asks=step.kind is Kind.ASK)
        match step.kind:
            case Kind.NONE:
                return None
            case Kind.ADVISE:
                return Verdict(context=(step.reason,))
            case Kind.REWRITE:
                return self._repeat_rewrite(step)
            case _:
                return Verdict(says=step.kind, reason=step.reason)

    def _repeat_rewrite(self, step: TraceStep) -> Verdict | None:
        writers = {one.hook for one in self._said.trace if one.kind is Kind.REWRITE and one.phase in ANSWERED}
        if self._said.input is None or len(writers) > 1:
            raise NotReplayableError(f"what {step.hook} made of the call is not in the journal")
        return Verdict(input=dict(self._said.input), reason=step.reason)

    async def run_errand(self, call: Call, errand: Errand) -> ErrandResult:
        raise NotReplayableError(f"a policy ran `{errand.name or errand.argv[0]}`, and what that said is not kept")

    def look_for_grant(self, refusal: Refusal) -> GrantLook:
        if not isinstance(refusal.first.event, ToolEvent):
            return NO_LOOK
        act = RefusedAct(
            policy=refusal.hook.id,
            options="",
            fingerprint="",
            asks=refusal.verdict.says is Kind.ASK,
            is_grantable=is_liftable(refusal.hook.id, self._catalog.config.grants.never),
        )
        step = self._take_refusal(refusal.hook)
        holds = act.is_grantable and not self._basis.catalog.is_set_otherwise(refusal.hook)
        if step is None or step.phase != LIFTED or not self._said.grants or not holds:
            return GrantLook(act)
        grant = next((id for id in self._said.grants if id in step.note), self._said.grants[0])
        return GrantLook(act, grant, step.note)

    def _take_refusal(self, hook: Hook) -> TraceStep | None:
        """What became of its next refusal then: one of the call as it came may be lifted, and the next one not."""
        if self._refusals is None:
            self._refusals = {}
            for step in self._said.trace:
                if is_refusal(step):
                    self._refusals.setdefault(step.hook, deque()).append(step)
        refusals = self._refusals.get(hook.id)
        return refusals.popleft() if refusals else None

    def start(self, invocation: Invocation) -> Failure | None:
        step = self._find_step(invocation.hook, ("started",))
        return Failure(Fault(step.fault), step.note) if step and step.fault else None

    def _find_step(self, hook: Hook, phases: Iterable[str]) -> TraceStep | None:
        return next((step for step in self._said.trace if step.hook == hook.id and step.phase in phases), None)


def _read_command(call: Call, home: str) -> CommandReading | None:
    """The command of a call. A journal has the same ones again and again, hours apart."""
    event = call.event
    text = event.tool.command if isinstance(event, ToolEvent) else ""
    if not text or len(text) > LONGEST_KEPT:
        return read_command(event, call.root, home)
    return _read_again(text, event.cwd or call.root, home, event.subject == "PowerShell")


def is_refusal(step: TraceStep) -> bool:
    """Whether an exception was looked for, and perhaps found."""
    return step.phase == LIFTED or (step.phase in (*ANSWERED, TOLD) and step.kind in ANSWERABLE and not step.fault)


@lru_cache(maxsize=1024)
def _read_again(text: str, cwd: str, home: str, is_powershell: bool) -> CommandReading:
    return CommandReading(text, cwd, home, is_powershell)


class PastMemory:
    """What earlier events had left then, as far as the decision tells."""

    def __init__(self, said: Decision, catalog: HookCatalog) -> None:
        self._said = said
        self.stop_cap = catalog.config.stop_cap

    def read_refusals(self, call: Call) -> Mapping[str, object]:
        notes = (REPEATED.match(step.note) for step in self._said.trace if step.phase == "escalated")
        found = next(filter(None, notes), None)
        if found is None or not isinstance(call.event, ToolEvent):
            return {}
        return {fingerprint_call(call.event.tool, self._said.by): int(found[1]) - 1}

    def has_run(self, call: Call, number: str, since: float) -> bool:
        return False

    def read_audit(self, call: Call) -> State | None:
        return None

    def read_told_hints(self, call: Call) -> tuple[object, ...]:
        return ()

    def find_documents(self, call: Call, intent: dict[str, object]) -> Iterable[dict[str, object]]:
        return ()

    def take_notices(self) -> Iterable[str]:
        """What was told then: where nothing else is, an agent that cannot take it is told nothing."""
        return [text.removeprefix(NOTICE) for text in self._said.messages if text.startswith(NOTICE)]

    def count_stop_blocks(self, call: Call) -> int:
        found = next(filter(None, map(STOPPED.search, self._said.warnings)), None)
        return int(found[1]) - 1 if found else 0

    def find_deliveries(self, call: Call) -> tuple[Delivery, ...]:
        return ()
