"""What the hooks, or the policies alone, say about a call that nobody makes: the answer to `synaptic check`."""

import itertools
import time
from collections.abc import Mapping

import msgspec

from synaptic.engine.runtime import Consultation, PoliciesOnly, RuntimeKind
from synaptic.engine.walk import Engine
from synaptic.facts.gather import USER_HOME, EngineMeans
from synaptic.hooks.catalog import HookCatalog, HookCatalogs
from synaptic.hooks.project import CONTEXT_KEYS, find_root
from synaptic.model.call import Call, Request
from synaptic.model.decision import POLICIES, Decision, Kind, TraceStep
from synaptic.model.errors import StoreError
from synaptic.model.home import Home
from synaptic.runners.execute import HookRunners
from synaptic.store.db import Store

DECISION_WORDS = {Kind.DENY: "deny", Kind.ASK: "ask", Kind.REWRITE: "rewrite"}
BUILT_IN = "built in"
"""The source of every policy."""
CHECK_ENVIRONMENT = {"HOME": USER_HOME}
_numbers = itertools.count(1)
FRESH_SECONDS = 1.0
"""How long a look at the configuration counts."""


class Checker:
    """The hooks of a user and a project, asked about calls that nobody is making.

    `everything`: all that is registered and trusted, with state as it is, as an agent would meet it. Otherwise the
    policies alone, without state: thousands of calls a second, and no script runs.
    """

    def __init__(self, home: Home, *, everything: bool = False, env: Mapping[str, str] = CHECK_ENVIRONMENT) -> None:
        self._env = env
        self._kind: RuntimeKind = Consultation if everything else PoliciesOnly
        store = _open_present_store(home) if everything else None
        store = store or Store.open_in_memory(home, StoreError("nothing is written"))
        catalogs = None if everything else RecentCatalogs(home)
        self.engine = Engine(home, EngineMeans(store, HookRunners(home.spool)), catalogs)

    async def decide(self, question: Mapping[str, object]) -> Decision:
        """The decision about `tool_name`, `tool_input`, `cwd` (and `hook_event_name`, `agent`). Raises PayloadError."""
        return await decide_question(self.engine, question, self._env, self._kind)

    async def answer(self, question: Mapping[str, object]) -> dict[str, object]:
        """The same with who was asked and what could not be read, as it is printed. Raises PayloadError."""
        return await answer_question(self.engine, question, self._env, self._kind)

    async def close(self) -> None:
        """Let go of hooks that stay warm, and of the database."""
        await self.engine.close()


async def decide_question(
    engine: Engine, question: Mapping[str, object], env: Mapping[str, str], kind: RuntimeKind
) -> Decision:
    """Ask an engine about a call that nobody makes. Raises PayloadError."""
    agent = str(question.get("agent") or "claude")
    event = str(question.get("hook_event_name") or "PreToolUse")
    # Each question by itself: what is reserved for one call is not there for another of the same name.
    name = f"check-{next(_numbers)}"
    request = Request(agent=agent, event=event, stdin=msgspec.json.encode(question), id=name, env=dict(env))
    return await engine.judge(request, kind)


async def answer_question(
    engine: Engine, question: Mapping[str, object], env: Mapping[str, str], kind: RuntimeKind
) -> dict[str, object]:
    """The decision, who was asked, and what of the declarations could not be read and so was not asked."""
    decision = await decide_question(engine, question, env, kind)
    cwd = str(question.get("cwd") or "")
    catalog = engine.catalogs.get(find_root(question, env, cwd), env.get("SYNAPTIC_ENV", ""), cwd)
    return {**summarize_decision(decision), "asked": list_asked(decision), "problems": list(catalog.problems)}


def _open_present_store(home: Home) -> Store | None:
    """The database as it is; None where there is none, or none that can be used: a check makes no files."""
    try:
        return Store.open(home) if home.database.exists() else None
    except (StoreError, OSError):
        return None


class RecentCatalogs(HookCatalogs):
    """Catalogs as they were a moment ago: a batch asks about few folders, many times."""

    def __init__(self, home: Home) -> None:
        super().__init__(home)
        self._roots: dict[str, str] = {}
        self._recent: dict[tuple[str, str], tuple[float, HookCatalog]] = {}

    async def open_for_call(self, call: Call, env: Mapping[str, str]) -> HookCatalog:
        root, now = self._find_root(call, env), time.monotonic()
        place = (root, call.event.cwd)
        known = self._recent.get(place)
        if known is None or known[0] < now:
            found = self.get(root, cwd=call.event.cwd)
            # The policies alone are asked here: no file of anybody else is loaded, not even to hear what it holds.
            plain = msgspec.structs.replace(found, policy_sources=()) if found.policy_sources else found
            known = self._recent[place] = (now + FRESH_SECONDS, plain)
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


def list_asked(decision: Decision) -> dict[str, object]:
    """Who was asked: how many policies, which other hooks, and which of those were not run and why."""
    quiet = [step.note.split() for step in decision.trace if step.hook == POLICIES and step.phase == "quiet"]
    spoke = {step.hook for step in decision.trace if step.source == BUILT_IN and step.phase == "run"}
    others = [step for step in decision.trace if step.hook != POLICIES and step.source not in ("", BUILT_IN)]
    return {
        "policies": sum(map(len, quiet)) + len(spoke),
        "hooks": list(dict.fromkeys(step.hook for step in others if step.phase == "run")),
        "not_run": [_explain_absence(step) for step in others if step.phase in ("skipped", "started")],
    }


def _explain_absence(step: TraceStep) -> dict[str, str]:
    return {"hook": step.hook, "why": step.note}
