"""What the policies say about a call, without state: the answer to `synaptic check`, thousands a second."""

import time
from collections.abc import Mapping

import msgspec

from synaptic.engine.runtime import PoliciesOnly
from synaptic.engine.walk import Engine
from synaptic.facts.gather import USER_HOME, EngineMeans
from synaptic.hooks.catalog import HookCatalog, HookCatalogs
from synaptic.hooks.project import CONTEXT_KEYS, find_root
from synaptic.model.call import Call, Request
from synaptic.model.decision import Decision, Kind
from synaptic.model.errors import StoreError
from synaptic.model.home import Home
from synaptic.runners.execute import HookRunners
from synaptic.store.db import Store

DECISION_WORDS = {Kind.DENY: "deny", Kind.ASK: "ask", Kind.REWRITE: "rewrite"}
CHECK_ENVIRONMENT = {"HOME": USER_HOME}
FRESH_SECONDS = 1.0
"""How long a look at the configuration counts."""


class Checker:
    """The policies of a user and a project, asked about calls that nobody is making."""

    def __init__(self, home: Home) -> None:
        store = Store.open_in_memory(home, StoreError("nothing is written"))
        self.engine = Engine(home, EngineMeans(store, HookRunners(home.spool)), RecentCatalogs(home))

    async def decide(self, question: Mapping[str, object]) -> Decision:
        """The decision about `tool_name`, `tool_input`, `cwd` (and `hook_event_name`, `agent`). Raises PayloadError."""
        agent = str(question.get("agent") or "claude")
        event = str(question.get("hook_event_name") or "PreToolUse")
        stdin = msgspec.json.encode(question)
        request = Request(agent=agent, event=event, stdin=stdin, id="check", env=CHECK_ENVIRONMENT)
        return await self.engine.judge(request, PoliciesOnly)


class RecentCatalogs(HookCatalogs):
    """Catalogs as they were a moment ago: a batch asks about few folders, many times."""

    def __init__(self, home: Home) -> None:
        super().__init__(home)
        self._roots: dict[str, str] = {}
        self._recent: dict[str, tuple[float, HookCatalog]] = {}

    async def open_for_call(self, call: Call, env: Mapping[str, str]) -> HookCatalog:
        root, now = self._find_root(call, env), time.monotonic()
        known = self._recent.get(root)
        if known is None or known[0] < now:
            known = self._recent[root] = (now + FRESH_SECONDS, self.get(root))
        return known[1]

    def _find_root(self, call: Call, env: Mapping[str, str]) -> str:
        cwd = call.event.cwd
        # A root that the payload names must not be cached under the folder: the next call may name another one.
        if any(key in call.payload for key in CONTEXT_KEYS):
            return find_root(call.payload, env, cwd)
        if cwd not in self._roots:
            self._roots[cwd] = find_root(call.payload, env, cwd)
        return self._roots[cwd]


def summarize_decision(decision: Decision) -> dict[str, object]:
    """One line of `check --jsonl`."""
    return {
        "decision": DECISION_WORDS.get(decision.kind, "allow"),
        "policy": decision.by or None,
        "reason": decision.reason or None,
        "updated_input": decision.input,
    }
