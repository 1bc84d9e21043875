"""Callbacks of a program's own, in front of the engine: one after another, each with the input as it has become."""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import msgspec

from synaptic.agents.claude.dialect import ADAPTER
from synaptic.model.call import Call, Request
from synaptic.model.decision import Failure, Fault, Kind
from synaptic.model.hook import Hook, PythonFunction
from synaptic.pipeline.merge import HookOutcome
from synaptic.runners import native
from synaptic.runners.output import HookAnswer

log = logging.getLogger(__name__)

Given = Mapping[str, Any]
OwnCallback = Callable[..., Awaitable[Any]]
"""As the SDK's own: `async def callback(input, tool_use_id, context)`, and what it returns."""


class OwnAnswers(msgspec.Struct, frozen=True):
    """What a program's own callbacks have said about one event."""

    given: Given
    """The event, with the input as they have rewritten it."""
    outcomes: tuple[HookOutcome, ...] = ()


class OwnCallbacks:
    """The callbacks of one program, in its order."""

    def __init__(self, callbacks: Sequence[OwnCallback]) -> None:
        self._named = tuple((_name_callback(one, place), one) for place, one in enumerate(callbacks))

    async def ask(self, event: str, given: Given, more: tuple[str | None, Any]) -> OwnAnswers:
        """Ask one after another; after a refusal no more of them."""
        outcomes: list[HookOutcome] = []
        for hook, callback in self._named:
            answer = await _ask_one(hook, callback, (event, given, more))
            outcomes.append(HookOutcome(hook=hook, answer=answer))
            verdict = outcomes[-1].verdict
            if verdict.says is Kind.DENY:
                break
            if verdict.input is not None:
                given = {**given, "tool_input": dict(verdict.input)}
        return OwnAnswers(given, tuple(outcomes))


def _name_callback(callback: OwnCallback, place: int) -> Hook:
    name = getattr(callback, "__qualname__", type(callback).__name__)
    return Hook(id=name, events=(), handler=PythonFunction("", name), order=place)


async def _ask_one(hook: Hook, callback: OwnCallback, about: tuple[str, Given, tuple[str | None, Any]]) -> HookAnswer:
    event, given, (tool_use_id, context) = about
    try:
        said = await callback(given, tool_use_id, context)
    except Exception as error:
        log.warning("callback %s failed", hook.id, exc_info=True)
        return Failure(Fault.CRASH, f"callback {hook.id} failed: {type(error).__name__}: {error}")
    if not said:
        return None
    if not isinstance(said, dict):
        return Failure(Fault.OUTPUT, f"callback {hook.id} returned {type(said).__name__}, not a dictionary")
    return native.read(hook, decode_given(event, given).event, _name_as_on_the_wire(said))


def decode_given(event: str, given: Given) -> Call:
    """The event as the engine sees it."""
    return ADAPTER.decode(Request(agent=ADAPTER.name, event=event, stdin=msgspec.json.encode(given), id=""))


def _name_as_on_the_wire(said: dict[str, Any]) -> dict[str, Any]:
    """In Python `continue` and `async` are no names."""
    return {name.rstrip("_") if name in ("continue_", "async_") else name: value for name, value in said.items()}
