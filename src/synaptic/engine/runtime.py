"""The world around the loop for one event: facts, trust, runners, and how much time is left."""

import time
from collections.abc import Mapping

from synaptic.facts.gather import Means, gather
from synaptic.hooks.catalog import Catalog
from synaptic.hooks.trust import Trust
from synaptic.model.call import Call
from synaptic.model.decision import Failure, Fault, Verdict
from synaptic.model.errand import Ended, Errand
from synaptic.model.hook import Hook
from synaptic.policies.facts import Facts
from synaptic.runners import errands
from synaptic.runners.base import Invocation


class World:
    """What the loop is given. Hooks nobody waits for are launched at once."""

    def __init__(self, catalog: Catalog, trust: Trust, means: Means, seconds: float) -> None:
        self.variables: Mapping[str, str] = catalog.variables
        self.deadline = time.monotonic() + seconds
        self._catalog = catalog
        self._trust = trust
        self._means = means

    async def facts(self, call: Call, needs: frozenset[str]) -> Facts:
        return await gather(call, needs, self._means)

    def refusal(self, hook: Hook) -> str | None:
        # A tampered script is a failure of a hook that the user wanted, never a hook that nobody asked for.
        if hook.scope != "project" or self._catalog.tampered(hook):
            return None
        return self._trust.refusal(hook)

    async def execute(self, invocation: Invocation) -> Verdict | Failure | None:
        return self.tampered(invocation) or await self._means.runners.run(invocation)

    async def errand(self, call: Call, errand: Errand) -> Ended:
        return await errands.run(errand, call.env, self.deadline - time.monotonic())

    def start(self, invocation: Invocation) -> Failure | None:
        return self.tampered(invocation) or self._means.runners.start(invocation)

    def tampered(self, invocation: Invocation) -> Failure | None:
        """A script that is not as its package was installed: not run, and what that means is its `on_error`."""
        told = self._catalog.tampered(invocation.hook)
        return Failure(Fault.MISSING, told) if told else None


class Rehearsal(World):
    """The same world for a dry run: what would be launched is run and awaited, so that its answer can be shown."""

    def __init__(self, catalog: Catalog, trust: Trust, means: Means, seconds: float) -> None:
        super().__init__(catalog, trust, means, seconds)
        self.started: list[Invocation] = []

    async def errand(self, call: Call, errand: Errand) -> Ended:
        """Not in a dry run: a linter mends what it finds."""
        return Ended(trouble=f"is not run in a rehearsal ({' '.join(errand.argv)})")

    def start(self, invocation: Invocation) -> Failure | None:
        self.started.append(invocation)
        return None
