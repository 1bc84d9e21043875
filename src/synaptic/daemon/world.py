"""The world around the loop for one event: facts, trust, runners, and how much time is left."""

import time
from collections.abc import Mapping
from pathlib import Path

import msgspec

from synaptic.model.call import Call
from synaptic.model.decision import Failure, Verdict
from synaptic.model.errors import StoreError
from synaptic.model.facts import Facts
from synaptic.model.hook import Hook
from synaptic.registry.catalog import Catalog
from synaptic.registry.trust import Trust
from synaptic.runners.base import Invocation
from synaptic.runners.execute import Runners
from synaptic.store import workspaces
from synaptic.store.db import Store

USER_HOME = str(Path.home())


class Means(msgspec.Struct, frozen=True):
    """What an engine works with."""

    store: Store
    runners: Runners


class World:
    """What the loop is given. Hooks nobody waits for are launched at once."""

    def __init__(self, catalog: Catalog, trust: Trust, means: Means, seconds: float) -> None:
        self.variables: Mapping[str, str] = catalog.variables
        self.deadline = time.monotonic() + seconds
        self._trust = trust
        self._means = means

    async def facts(self, call: Call, needs: frozenset[str]) -> Facts:
        home = call.env.get("HOME") or USER_HOME
        extra = self._extra_roots(call) if "extra_roots" in needs else ()
        return Facts(root=call.root, home=home, now=call.at, agent=call.agent, extra_roots=extra)

    def refusal(self, hook: Hook) -> str | None:
        return self._trust.refusal(hook) if hook.scope == "project" else None

    async def execute(self, invocation: Invocation) -> Verdict | Failure | None:
        return await self._means.runners.run(invocation)

    def start(self, invocation: Invocation) -> Failure | None:
        return self._means.runners.start(invocation)

    def _extra_roots(self, call: Call) -> tuple[str, ...]:
        try:
            return workspaces.added(self._means.store, call.event.session_id)
        except StoreError:
            return ()


class Rehearsal(World):
    """The same world for a dry run: what would be launched is run and awaited, so that its answer can be shown."""

    def __init__(self, catalog: Catalog, trust: Trust, means: Means, seconds: float) -> None:
        super().__init__(catalog, trust, means, seconds)
        self.started: list[Invocation] = []

    def start(self, invocation: Invocation) -> Failure | None:
        self.started.append(invocation)
        return None
