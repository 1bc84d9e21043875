"""A policy of one's own: the contract of built-in ones, as a class or as a function."""

from collections.abc import Callable
from types import new_class
from typing import Any, ClassVar

import msgspec

from synaptic.model.decision import Verdict
from synaptic.model.event import Event
from synaptic.model.outside import DEFAULT_SECONDS, MAX_SECONDS, PRIORITIES
from synaptic.model.presets import PRESETS
from synaptic.policies.base import Policy as BuiltinPolicy
from synaptic.sdk.facts import Facts, OwnFact
from synaptic.sdk.state import State

CheckFunction = Callable[[Any, Any], Verdict | None]
ALWAYS_ON = ""
LONGEST_DOC = 20_000


class Policy(BuiltinPolicy, frozen=True, kw_only=True):
    """A policy of one's own. Subclasses set the class variables, declare options as fields and write `check`."""

    is_shared_form = True
    doc_sections = ()
    known_presets = (ALWAYS_ON, *PRESETS)
    preset = ALWAYS_ON
    """A preset that it is on with; without one it is on wherever its file is."""

    remembers: ClassVar[tuple[type[State], ...]] = ()
    """Its own sections."""
    timeout: ClassVar[float] = DEFAULT_SECONDS
    """Seconds for an answer, own facts included."""

    @classmethod
    def find_defect(cls) -> str:
        """What is wrong with how it is declared; empty when nothing is."""
        if cls.priority not in PRIORITIES:
            return f"priority {cls.priority} is not within {PRIORITIES[0]} to {PRIORITIES[-1]}"
        if not 0 < cls.timeout <= MAX_SECONDS:
            return f"timeout {cls.timeout:g} is not within 0 to {MAX_SECONDS:g} seconds"
        if not (cls.__doc__ or "").strip():
            return "it has no docstring; say in a line what it is about"
        return super().find_defect()

    def judge(self, event: Event, facts: Facts) -> Verdict | None:
        """What it says, after its own facts have been found out."""
        lacking = [need for need in self.needs if isinstance(need, OwnFact) and need not in facts.own]
        if lacking:
            found = {str(need): need.look(event, facts) for need in lacking}
            facts = msgspec.structs.replace(facts, own={**facts.own, **found})
        return self.check(event, facts)

    def check(self, event: Any, facts: Any) -> Verdict | None:
        """The opinion of this policy, from the event and the facts alone."""
        raise TypeError(f"{self.id} has no check")


def policy(id: str, *, events: tuple[type[Event], ...], **settings: Any) -> Callable[[CheckFunction], type[Policy]]:
    """Make a policy of a function of event and facts. `settings` are the class variables of a policy."""

    def make(function: CheckFunction) -> type[Policy]:
        body = {
            "__module__": function.__module__,
            "__qualname__": function.__qualname__,
            "__doc__": function.__doc__,
            "id": id,
            "events": events,
            "check": lambda self, event, facts: function(event, facts),
            "checks_with": staticmethod(function),
            **settings,
        }
        settled = {"frozen": True, "kw_only": True}
        return new_class(function.__name__, (Policy,), settled, lambda names: names.update(body))

    return make
