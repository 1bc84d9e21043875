"""The Claude Agent SDK: `ClaudeAgentOptions(hooks=hooks())` gives it the whole engine, one callback per event.

The SDK runs all callbacks of an event at once. Here there is one, and behind it one chain: your own callbacks in their
order, then the engine's hooks in theirs, which judge the call as it has become.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from claude_agent_sdk import HookMatcher

from synaptic.agents.claude.dialect import ADAPTER
from synaptic.agents.claude.entries import REGISTERED_EVENTS
from synaptic.integrations.ask_engine import EngineDoor, ask_in_thread, choose_home
from synaptic.integrations.claude_answers import Output, join_answers, to_output
from synaptic.integrations.own_callbacks import OwnCallback, OwnCallbacks
from synaptic.model.event import EVENTS, PreToolUse, Timing
from synaptic.model.home import Home
from synaptic.setup.dispatcher import read_engine

log = logging.getLogger(__name__)

MOST_SESSIONS = 1024


def hooks(
    home: Home | Path | str | None = None,
    events: Iterable[str] = REGISTERED_EVENTS,
    extra: Sequence[OwnCallback] = (),
) -> dict[Any, list[HookMatcher]]:
    """What `ClaudeAgentOptions(hooks=...)` wants.

    `home` is the engine's folder, usually `~/.synaptic`. `extra` are callbacks of your own: they are asked about every
    event, one after another and before the engine, and each sees the input as the one before has rewritten it.
    """
    chain = _EventChain(EngineDoor(choose_home(home)), OwnCallbacks(extra))
    return {event: [chain.build_matcher(event)] for event in events}


class _EventChain:
    """Everything that is asked about an event of the SDK, in one order."""

    def __init__(self, door: EngineDoor, own: OwnCallbacks) -> None:
        self._door = door
        self._own = own
        self._projects: dict[str, str] = {}
        """Where each session began: a later `cd` moves no project."""

    def build_matcher(self, event: str) -> HookMatcher:
        blocks = event == PreToolUse.__name__ or (_is_before(event) and self._is_closed())
        # A callback that fails or comes too late would count as no opinion.
        return HookMatcher(
            hooks=[partial(self._answer, event)],
            timeout=ADAPTER.get_capability(event).timeout,
            on_failure="block" if blocks else None,
        )

    async def _answer(self, event: str, given: Mapping[str, Any], tool_use_id: str | None, context: Any) -> Output:
        try:
            return await self._ask_all(event, given, (tool_use_id, context))
        except Exception as error:
            log.exception("%s could not be judged", event)
            return to_output(event, self._door.refuse(("claude", event), f"{type(error).__name__}: {error}"))

    async def _ask_all(self, event: str, given: Mapping[str, Any], more: tuple[str | None, Any]) -> Output:
        said = await self._own.ask(event, given, more)
        request = self._door.build_request(("claude", event), said.given, self._find_project(given))
        answer = await ask_in_thread(self._door, request)
        if answer.stderr:
            log.warning("%s", answer.stderr.decode("utf-8", "replace").strip())
        return to_output(event, join_answers(request, said, answer))

    def _find_project(self, given: Mapping[str, Any]) -> str:
        if len(self._projects) > MOST_SESSIONS:
            self._projects.clear()
        return self._projects.setdefault(str(given.get("session_id")), str(given.get("cwd") or ""))

    def _is_closed(self) -> bool:
        return read_engine(self._door.home).fail == "closed"


def _is_before(event: str) -> bool:
    return event in EVENTS and EVENTS[event].TIMING is Timing.BEFORE
