"""A chain of scripted hooks, run by the real loop: what each would say, and what it saw."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence

from synaptic.hooks.select import HookIndex, SelectedHooks
from synaptic.model.call import Call
from synaptic.model.decision import Decision, Failure, Verdict
from synaptic.model.event import EVENTS, Event
from synaptic.model.hook import Command, Hook
from synaptic.pipeline.lifting import NO_LOOK, GrantLook, Refusal
from synaptic.pipeline.run import run_hooks
from synaptic.policies.facts import Facts
from synaptic.runners.base import Invocation

Outcome = Verdict | Failure | None
Says = Outcome | Callable[[Mapping[str, object]], Outcome]


class TableRuntime:
    """A runtime whose hooks answer from a table."""

    def __init__(self, says: Mapping[str, Says], refused: Mapping[str, str] | None = None) -> None:
        self.index = HookIndex(())
        self.variables: Mapping[str, str] = {}
        self.deadline = time.monotonic() + 60
        self.says = says
        self.refused = refused or {}
        self.saw: list[tuple[str, Mapping[str, object]]] = []
        self.started: list[str] = []
        self.timeouts: dict[str, float] = {}

    def select(self, call: Call) -> SelectedHooks:
        return self.index.select(call)

    async def gather_facts(self, call: Call, needs: frozenset[str]) -> Facts:
        return Facts(root=call.root)

    def explain_refusal(self, hook: Hook) -> str | None:
        return self.refused.get(hook.id)

    async def execute(self, invocation: Invocation) -> Outcome:
        seen = getattr(invocation.call.event, "tool_input", {})
        self.saw.append((invocation.hook.id, seen))
        self.timeouts[invocation.hook.id] = invocation.timeout
        said = self.says.get(invocation.hook.id)
        return said(seen) if callable(said) else said

    def start(self, invocation: Invocation) -> Failure | None:
        self.started.append(invocation.hook.id)
        return None

    def look_for_grant(self, refusal: Refusal) -> GrantLook:
        return NO_LOOK

    @property
    def ran(self) -> list[str]:
        return [name for name, _ in self.saw]


def hook(name: str, priority: int = 50, **more: object) -> Hook:
    values: dict[str, object] = {"events": ("PreToolUse",), "handler": Command(shell=name), **more}
    return Hook(id=name, priority=priority, **values)  # type: ignore[arg-type]


def call(name: str = "PreToolUse", **fields: object) -> Call:
    fields = {"tool_name": "Bash", "tool_input": {"command": "ls"}, **fields} if "Tool" in name else fields
    event: Event = EVENTS[name](hook_event_name=name, **fields)
    return Call(id="c1", agent="claude", event=event, payload={"hook_event_name": name, **fields}, root="/p")


def decide(hooks: Sequence[Hook], runtime: TableRuntime, about: Call | None = None) -> Decision:
    about = about or call()
    runtime.index = HookIndex(hooks)
    return asyncio.run(run_hooks(about, runtime.select(about), runtime))
