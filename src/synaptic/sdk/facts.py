"""What a policy of one's own may know: the facts of built-in policies, its own facts, and what it remembers."""

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

import msgspec

from synaptic.model.event import Event
from synaptic.policies.facts import Facts as BuiltinFacts
from synaptic.sdk.state import State

T = TypeVar("T")
S = TypeVar("S", bound=State)


class OwnFact(str, Generic[T]):
    """A fact that a policy finds out itself: its name, and the function that looks."""

    look: Callable[[Any, Any], T]

    def __new__(cls, look: Callable[[Any, Any], T]) -> "OwnFact[T]":
        made = super().__new__(cls, look.__name__)
        made.look = look
        return made

    def __call__(self, event: Event, facts: "Facts") -> T:
        return self.look(event, facts)


def fact(function: Callable[[Any, Any], T]) -> OwnFact[T]:
    """A function of event and facts that looks at the world and changes nothing. Name it in `needs`, `read` it then."""
    return OwnFact(function)


class Facts(BuiltinFacts, frozen=True, kw_only=True):
    """Every fact has a default, so a policy is tested with only those it needs."""

    own: Mapping[str, Any] = {}
    """What the policy's own facts have found, by name."""
    remembered: Mapping[str, Any] = {}
    """Its own sections, by the names of their classes."""
    distrusted: frozenset[str] = frozenset()
    """Sections that somebody else has written: they are as before anything happened."""

    def read(self, fact: OwnFact[T]) -> T:
        """What a fact of one's own has found. Raises KeyError for one that `needs` does not name."""
        if fact not in self.own:
            raise KeyError(f"the fact {fact} is not named in `needs`")
        value: T = self.own[fact]
        return value

    def recall(self, kind: type[S]) -> S:
        """A section of one's own as it was at this event; its defaults where it is not there or not to be believed."""
        try:
            return msgspec.convert(self.remembered.get(kind.__name__, {}), kind)
        except msgspec.ValidationError:
            return kind()  # it was written by another version of this policy
