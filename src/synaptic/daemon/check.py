"""What the policies say about a call, without state: the answer to `synaptic check`, thousands a second."""

import time
from collections.abc import Mapping

import msgspec

from synaptic.daemon.facts.base import USER_HOME, Means, gather
from synaptic.model.call import Call, Request
from synaptic.model.decision import Decision, Failure, Fault, Kind, Verdict
from synaptic.model.errand import Ended, Errand
from synaptic.model.errors import StoreError
from synaptic.model.facts import Facts
from synaptic.model.home import Home
from synaptic.model.hook import Builtin, Hook
from synaptic.pipeline.match import Index
from synaptic.pipeline.run import run
from synaptic.registry.catalog import Catalog, Catalogs
from synaptic.registry.project import find_root
from synaptic.runners.base import Invocation
from synaptic.runners.execute import Runners
from synaptic.store.db import Store
from synaptic.wire.adapters import adapter

WORDS = {Kind.DENY: "deny", Kind.ASK: "ask", Kind.REWRITE: "rewrite"}


class Checker:
    """The policies of a user and a project, asked about calls that nobody is making."""

    def __init__(self, home: Home) -> None:
        self._catalogs = Catalogs(home)
        self._world = _Stateless(Means(Store.in_memory(home, StoreError("nothing is written")), Runners(home.spool)))
        self._indexes: dict[str, tuple[Catalog, Index]] = {}

    async def decide(self, question: Mapping[str, object]) -> Decision:
        """The decision about `tool_name`, `tool_input`, `cwd` (and `hook_event_name`, `agent`). Raises PayloadError."""
        agent = str(question.get("agent") or "claude")
        event = str(question.get("hook_event_name") or "PreToolUse")
        request = Request(agent=agent, event=event, stdin=msgspec.json.encode(question), id="check", env={})
        wire = adapter(agent)
        call = wire.decode(request)
        root = find_root(call.payload, {"HOME": USER_HOME}, call.event.cwd)
        call = msgspec.structs.replace(call, root=root, at=time.time())
        decision = await run(call, self._index(root).select(call), self._world)
        return wire.degrade(call, decision)

    def _index(self, root: str) -> Index:
        catalog = self._catalogs.get(root)
        kept = self._indexes.get(root)
        if kept is None or kept[0] is not catalog:
            builtin = (hook for hook in catalog.hooks if isinstance(hook.handler, Builtin))
            kept = self._indexes[root] = (catalog, Index(builtin))
        return kept[1]


def summary(decision: Decision) -> dict[str, object]:
    """One line of `check --jsonl`."""
    return {
        "decision": WORDS.get(decision.kind, "allow"),
        "policy": decision.by or None,
        "reason": decision.reason or None,
        "updated_input": decision.input,
    }


class _Stateless:
    """A world in which only policies run, and nothing is known but the call and its repository."""

    variables: Mapping[str, str] = {}
    deadline = float("inf")

    def __init__(self, means: Means) -> None:
        self._means = means

    async def facts(self, call: Call, needs: frozenset[str]) -> Facts:
        return await gather(call, needs, self._means)

    def refusal(self, hook: Hook) -> str | None:
        return None

    async def execute(self, invocation: Invocation) -> Verdict | Failure | None:
        return Failure(Fault.MISSING, "only policies are asked here")

    async def errand(self, call: Call, errand: Errand) -> Ended:
        return Ended(trouble="is not run here")

    def start(self, invocation: Invocation) -> Failure | None:
        return Failure(Fault.MISSING, "only policies are asked here")
