"""How facts are gathered: for the call as it is when a policy looks, only those that a policy on the way needs."""

import asyncio
import importlib
import os
import pkgutil
import time
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from types import CoroutineType
from typing import Any

import msgspec

import synaptic.facts
from synaptic.facts.reservations import Reservations
from synaptic.model.call import Call
from synaptic.model.errors import StoreError
from synaptic.model.layers import ContextUsage, Layers
from synaptic.model.project import Git
from synaptic.model.state import SCOPES, State
from synaptic.policies.facts import Facts, read_command
from synaptic.runners.execute import HookRunners
from synaptic.shell.reading import CommandReading
from synaptic.store import state
from synaptic.store.db import Store

USER_HOME = os.path.expanduser("~")  # noqa: PTH111 - Path.home() raises for an account without a home
GATHERING_SECONDS = 8.0
"""For all facts of a call; git itself is given three of them."""
TOO_LONG_TEXT = f"it was not known after {GATHERING_SECONDS:g} s"


class CallMemo(msgspec.Struct):
    """What several facts about one call begin with: looked up once, and forgotten with the next call."""

    call: Call | None = None
    layers: Layers | None = None
    file_git: Git | None = None

    def for_call(self, call: Call) -> "CallMemo":
        """The memo of this call, empty when another one asked last."""
        if self.call is not call:
            self.call, self.layers, self.file_git = call, None, None
        return self


class EngineMeans(msgspec.Struct, frozen=True):
    """What an engine works with, and what its gatherers remember from call to call."""

    store: Store
    runners: HookRunners
    reservations: Reservations = msgspec.field(default_factory=Reservations)
    memo: CallMemo = msgspec.field(default_factory=CallMemo)
    transcripts: dict[str, ContextUsage] = msgspec.field(default_factory=dict)
    """How full contexts were, by transcript, when they were read last."""


Gatherer = Callable[[Call, EngineMeans], object]
"""Returns the value of the field of Facts that it is registered for, or a coroutine where it has to wait for it. No
news is the default; a defect is a question."""


@cache
def find_gatherers() -> Mapping[str, Gatherer]:
    """Every module of this package may have a `FACTS` table: field name to gatherer."""
    found: dict[str, Gatherer] = {}
    for info in pkgutil.iter_modules(synaptic.facts.__path__, f"{synaptic.facts.__name__}."):
        found.update(getattr(importlib.import_module(info.name), "FACTS", {}))
    return found


async def gather_facts(call: Call, needs: frozenset[str], means: EngineMeans) -> Facts:
    """The facts about one call."""
    home = call.env.get("HOME") or USER_HOME
    command = read_call_command(call)
    if not needs:
        return Facts(root=call.root, home=home, now=call.at, agent=call.agent, command=command)
    others, sections = _split_needs(needs)
    values: dict[str, Any] = {}
    failed: dict[str, str] = {}
    awaited: dict[str, CoroutineType[Any, Any, object]] = {}
    try:
        for need, gatherer in others:
            try:
                value = gatherer(call, means)
            except Exception as error:  # noqa: BLE001 - one gatherer's defect must not take the whole guard with it
                failed[need] = f"{type(error).__name__}: {error}"
                continue
            if type(value) is CoroutineType:
                awaited[need] = value
            else:
                values[need] = value
        if awaited:
            await _await_facts(awaited, values, failed)
    finally:
        for coroutine in awaited.values():
            coroutine.close()  # those that were not reached, because the call was broken off
    if sections:
        values["state"] = _read_sections(call, means, sections)
    if failed:
        values["failed"] = failed
    return Facts(root=call.root, home=home, now=call.at, agent=call.agent, command=command, **values)


async def _await_facts(
    awaited: "dict[str, CoroutineType[Any, Any, object]]", values: dict[str, object], failed: dict[str, str]
) -> None:
    with _Gathering() as gathering:
        for need, coroutine in awaited.items():
            try:
                values[need] = await coroutine
            except Exception as error:  # noqa: BLE001 - as above
                failed[need] = f"{type(error).__name__}: {error}"
            except asyncio.CancelledError:
                gathering.take_back_cancel()
                failed[need] = TOO_LONG_TEXT


class _Gathering:
    """One gathering of facts. `asyncio.timeout` would do the same for as much time as all facts of most calls take."""

    __slots__ = ("_task", "is_given_up", "since")

    def __enter__(self) -> "_Gathering":
        self._task = asyncio.current_task()
        self.since = time.monotonic()
        self.is_given_up = False
        _gatherings.add(self)
        return self

    def __exit__(self, *raised: object) -> None:
        _gatherings.discard(self)

    def give_up(self) -> None:
        """Break off what is awaited now."""
        if self._task is not None:
            self.is_given_up = True
            self._task.cancel()

    def take_back_cancel(self) -> None:
        """Go on after `give_up`; raises CancelledError where somebody else has cancelled the task."""
        if not self.is_given_up or self._task is None or self._task.uncancel() > 0:
            raise asyncio.CancelledError
        self.is_given_up = False


_gatherings: set[_Gathering] = set()


def give_up_gathering() -> None:
    """Break off every fact that a call has waited for too long; what is left of its facts gets a second each."""
    now = time.monotonic()
    for gathering in tuple(_gatherings):
        if now - gathering.since > GATHERING_SECONDS:
            gathering.give_up()


_last_read: tuple[Call | None, CommandReading | None] = (None, None)


def read_call_command(call: Call) -> CommandReading | None:
    """The command of a call: for gatherers the same value as for policies, so that it is read once."""
    global _last_read
    if _last_read[0] is not call:
        _last_read = (call, read_command(call.event, call.root, call.env.get("HOME") or USER_HOME))
    return _last_read[1]


@lru_cache(maxsize=256)
def _split_needs(needs: frozenset[str]) -> tuple[tuple[tuple[str, Gatherer], ...], frozenset[str]]:
    """What is asked of gatherers, in a stable order, and the sections."""
    sections = frozenset(need for need in needs if need.partition(":")[0] in SCOPES)
    return tuple((need, find_gatherers()[need]) for need in sorted(needs - sections)), sections


def _read_sections(call: Call, means: EngineMeans, sections: frozenset[str]) -> State:
    """The signed sections; where the store cannot be read, what was last known of them."""
    owner = state.SectionOwner(call.root, call.event.session_id)
    try:
        return state.read_state(means.store, owner, sections)
    except StoreError:
        return state.recall_state(means.store, owner, sections)
