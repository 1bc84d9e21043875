"""What a handler gives back: the answer of its hook method, and the verdict that the pipeline takes."""

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec

from synaptic.model.decision import Verdict, record
from synaptic.model.effect import Effect
from synaptic.policies.facts import Facts


class HandlerResult(msgspec.Struct, frozen=True):
    """The outcome of handling one event. The answer's keys are those of the hook method's result."""

    answer: Mapping[str, object]
    verdict: Verdict | None = None


class PolicyHandler(Protocol):
    """A policy that can be called by name as well."""

    def handle(self, event: Any, facts: Facts) -> HandlerResult:
        """As pure as `check`, whose verdict it holds."""


def build_result(answer: Mapping[str, object], *effects: Effect | None) -> HandlerResult:
    """An answer with the changes that go with it, leaving out those that are None."""
    found = tuple(effect for effect in effects if effect is not None)
    return HandlerResult(answer, record(*found) if found else None)
