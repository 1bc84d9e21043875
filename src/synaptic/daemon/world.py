"""The world around the loop for one event: facts, trust, runners, and how much time is left."""

import time
from collections.abc import Mapping
from pathlib import Path

from synaptic.model.call import Call
from synaptic.model.decision import Failure, Verdict
from synaptic.model.facts import Facts
from synaptic.model.hook import Hook
from synaptic.registry.catalog import Catalog
from synaptic.registry.trust import Trust
from synaptic.runners.base import Invocation
from synaptic.runners.execute import Runners

USER_HOME = str(Path.home())


class World:
    """What the loop is given. Hooks nobody waits for are launched at once."""

    def __init__(self, catalog: Catalog, trust: Trust, runners: Runners, seconds: float) -> None:
        self.variables: Mapping[str, str] = catalog.variables
        self.deadline = time.monotonic() + seconds
        self._trust = trust
        self._runners = runners

    async def facts(self, call: Call, needs: frozenset[str]) -> Facts:
        home = call.env.get("HOME") or USER_HOME
        return Facts(root=call.root, home=home, now=call.at, agent=call.agent)

    def refusal(self, hook: Hook) -> str | None:
        return self._trust.refusal(hook) if hook.scope == "project" else None

    async def execute(self, invocation: Invocation) -> Verdict | Failure | None:
        return await self._runners.run(invocation)

    def start(self, invocation: Invocation) -> Failure | None:
        return self._runners.start(invocation)


class Rehearsal(World):
    """The same world for a dry run: what would be launched is run and awaited, so that its answer can be shown."""

    def __init__(self, catalog: Catalog, trust: Trust, runners: Runners, seconds: float) -> None:
        super().__init__(catalog, trust, runners, seconds)
        self.started: list[Invocation] = []

    def start(self, invocation: Invocation) -> Failure | None:
        self.started.append(invocation)
        return None
