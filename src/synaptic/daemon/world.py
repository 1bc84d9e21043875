"""The world around the loop for one event: facts, trust, runners, and how much time is left."""

import time
from collections.abc import Mapping

from synaptic.daemon.facts.base import Means, gather
from synaptic.model.call import Call
from synaptic.model.decision import Failure, Verdict
from synaptic.model.facts import Facts
from synaptic.model.hook import Hook
from synaptic.registry.catalog import Catalog
from synaptic.registry.trust import Trust
from synaptic.runners.base import Invocation


class World:
    """What the loop is given. Hooks nobody waits for are launched at once."""

    def __init__(self, catalog: Catalog, trust: Trust, means: Means, seconds: float) -> None:
        self.variables: Mapping[str, str] = catalog.variables
        self.deadline = time.monotonic() + seconds
        self._trust = trust
        self._means = means

    async def facts(self, call: Call, needs: frozenset[str]) -> Facts:
        return await gather(call, needs, self._means)

    def refusal(self, hook: Hook) -> str | None:
        return self._trust.refusal(hook) if hook.scope == "project" else None

    async def execute(self, invocation: Invocation) -> Verdict | Failure | None:
        return await self._means.runners.run(invocation)

    def start(self, invocation: Invocation) -> Failure | None:
        return self._means.runners.start(invocation)


class Rehearsal(World):
    """The same world for a dry run: what would be launched is run and awaited, so that its answer can be shown."""

    def __init__(self, catalog: Catalog, trust: Trust, means: Means, seconds: float) -> None:
        super().__init__(catalog, trust, means, seconds)
        self.started: list[Invocation] = []

    def start(self, invocation: Invocation) -> Failure | None:
        self.started.append(invocation)
        return None
