"""What one hook says (`Verdict`), how it can fail (`Failure`), and what all of them say together (`Decision`)."""

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from synaptic.model.effect import Effect
from synaptic.model.errand import Errand
from synaptic.model.grant import RefusedAct
from synaptic.model.result import HookResult
from synaptic.model.tool import Input


class Kind(StrEnum):
    """The strongest thing said, weakest first: later members win."""

    NONE = "none"
    ADVISE = "advise"
    ALLOW = "allow"
    REWRITE = "rewrite"
    ASK = "ask"
    DENY = "deny"

    @property
    def rank(self) -> int:
        return RANKS[self]


RANKS: Mapping[Kind, int] = {kind: rank for rank, kind in enumerate(Kind)}


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """One hook's opinion. A hook may rewrite and ask, or allow and advise, at once; `kind` is the strongest part."""

    says: Kind = Kind.NONE
    """DENY, ASK, ALLOW or NONE: the permission, apart from rewrite and advice."""
    reason: str = ""
    input: Input | None = None
    context: tuple[str, ...] = ()
    """Text for the model."""
    messages: tuple[str, ...] = ()
    """Text for the user."""
    effects: tuple[Effect, ...] = ()
    extras: Mapping[str, object] = {}
    """Fields only this agent knows (`updatedToolOutput`, `continue`); encoded when the event honours them."""
    result: HookResult | None = None
    warnings: tuple[str, ...] = ()
    errand: Errand | None = None
    """A policy's: what has to be run before it can answer; `Policy.conclude` gives the answer then."""

    @property
    def kind(self) -> Kind:
        if self.says in (Kind.DENY, Kind.ASK):
            return self.says
        if self.input is not None:
            return Kind.REWRITE
        if self.says is Kind.ALLOW:
            return Kind.ALLOW
        return Kind.ADVISE if self.context or self.messages else Kind.NONE


def deny(reason: str, *effects: Effect) -> Verdict:
    """The act must not happen; the reason says what to do instead."""
    return Verdict(says=Kind.DENY, reason=reason, effects=effects)


def ask(reason: str, *effects: Effect) -> Verdict:
    """A person should decide."""
    return Verdict(says=Kind.ASK, reason=reason, effects=effects)


def allow(reason: str = "", *effects: Effect) -> Verdict:
    """The act needs no further permission."""
    return Verdict(says=Kind.ALLOW, reason=reason, effects=effects)


def rewrite(new: Input, reason: str, *effects: Effect) -> Verdict:
    """The act should happen in another way."""
    return Verdict(input=new, reason=reason, effects=effects)


def advise(text: str, *effects: Effect) -> Verdict:
    """The model should know something."""
    return Verdict(context=(text,), effects=effects)


class Recorded(Verdict, frozen=True, kw_only=True):
    """Nothing to say, something to write down: no opinion, so it leaves no step of its own in the trace."""


def record(*effects: Effect) -> Verdict:
    """Nothing to say, something to write down."""
    return Recorded(effects=effects)


class Fault(StrEnum):
    """How a hook can fail."""

    CRASH = "crash"
    TIMEOUT = "timeout"
    OUTPUT = "bad output"
    MISSING = "missing"
    DEADLINE = "no time left"


class Failure(msgspec.Struct, frozen=True):
    """A hook that could not say anything; what it means is its `on_error`."""

    fault: Fault
    message: str
    stderr: str = ""
    asks: bool = False
    """It is a guard's, before an act: the act is asked about, because nobody has judged it."""


POLICIES = "policies"
"""The name in a trace under which policies that said nothing share a step."""


RAISED = "raised"
"""The phase of a step that says: the event of that name was raised by this one."""


class TraceStep(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of the trace: which hook, in which phase, said what, and how long it took."""

    hook: str
    kind: Kind = Kind.NONE
    priority: int = 0
    phase: str = "run"
    """run, recheck, quiet (nothing to say), started (not awaited), background, skipped, lifted (by a grant), told (by
    a gate, after another one has refused), held (for a person), degraded, escalated, raised."""
    reason: str = ""
    note: str = ""
    micros: int = 0
    fault: str = ""
    source: str = ""
    stderr: str = ""
    """What a hook that failed has printed there."""


class Decision(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The merge of all verdicts, with the trace that explains it."""

    kind: Kind = Kind.NONE
    by: str = ""
    """The hook that decided."""
    reason: str = ""
    input: Input | None = None
    """The final input when it was rewritten; also beside an ASK."""
    allowed: bool = False
    """Some hook said allow explicitly (a rewrite alone is no permission)."""
    context: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    feedback: tuple[str, ...] = ()
    """Blocks of Post and Stop events: told to the model, never a verdict on the past."""
    warnings: tuple[str, ...] = ()
    extras: Mapping[str, object] = {}
    result: HookResult | None = None
    effects: tuple[Effect, ...] = ()
    trace: tuple[TraceStep, ...] = ()
    refused: tuple[RefusedAct, ...] = ()
    """Verdicts that a person could lift, the deciding one first. Not in the journal: `code` is."""
    code: str = ""
    """The handle under which a person finds this refusal."""
    grants: tuple[str, ...] = ()
    """Exceptions without which it would have been refused, or asked about."""

    @property
    def is_silent(self) -> bool:
        """Whether nothing is decided, told, changed or remembered, as about most calls: only the trace is left."""
        return self == Decision(trace=self.trace)
