"""What the policies say about a call, without state: the answer to `synaptic check`, thousands a second."""

import time
from collections.abc import Mapping

import msgspec

from synaptic.agents.shared.discover import find_adapter
from synaptic.facts.gather import USER_HOME, Means, gather
from synaptic.hooks.catalog import Catalogs
from synaptic.hooks.project import CONTEXT_KEYS, find_root
from synaptic.model.call import Call, Request
from synaptic.model.decision import Decision, Failure, Fault, Kind, Verdict
from synaptic.model.errand import Ended, Errand
from synaptic.model.errors import StoreError
from synaptic.model.home import Home
from synaptic.model.hook import Builtin, Hook
from synaptic.pipeline.run import run
from synaptic.pipeline.select import Index
from synaptic.policies.facts import Facts
from synaptic.runners.base import Invocation
from synaptic.runners.execute import Runners
from synaptic.store.db import Store

WORDS = {Kind.DENY: "deny", Kind.ASK: "ask", Kind.REWRITE: "rewrite"}


FRESH = 1.0
"""Seconds for which a look at the configuration counts."""


class Checker:
    """The policies of a user and a project, asked about calls that nobody is making."""

    def __init__(self, home: Home) -> None:
        self._catalogs = Catalogs(home)
        self._world = _Stateless(Means(Store.in_memory(home, StoreError("nothing is written")), Runners(home.spool)))
        self._roots: dict[str, str] = {}
        self._indexes: dict[str, tuple[float, Index]] = {}

    async def decide(self, question: Mapping[str, object]) -> Decision:
        """The decision about `tool_name`, `tool_input`, `cwd` (and `hook_event_name`, `agent`). Raises PayloadError."""
        agent = str(question.get("agent") or "claude")
        event = str(question.get("hook_event_name") or "PreToolUse")
        request = Request(agent=agent, event=event, stdin=msgspec.json.encode(question), id="check", env={})
        wire = find_adapter(agent)
        call = wire.decode(request)
        root = self._root(call)
        call = msgspec.structs.replace(call, root=root, at=time.time())
        decision = await run(call, self._index(root).select(call), self._world)
        return wire.degrade(call, decision)

    def _root(self, call: Call) -> str:
        """The project of a folder, looked up once: a batch asks about few folders, many times."""
        cwd = call.event.cwd
        if any(key in call.payload for key in CONTEXT_KEYS) or cwd not in self._roots:
            self._roots[cwd] = find_root(call.payload, {"HOME": USER_HOME}, cwd)
        return self._roots[cwd]

    def _index(self, root: str) -> Index:
        """The policies as they are set now; within a batch, now is a second long."""
        now = time.monotonic()
        kept = self._indexes.get(root)
        if kept is None or kept[0] < now:
            builtin = (hook for hook in self._catalogs.get(root).hooks if isinstance(hook.handler, Builtin))
            kept = self._indexes[root] = (now + FRESH, Index(builtin))
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
