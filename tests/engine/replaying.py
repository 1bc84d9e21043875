"""A journal with what its events were decided on, and everything in it decided again."""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

from synaptic.engine.past_catalog import CatalogChange
from synaptic.engine.past_facts import PastFacts
from synaptic.engine.replay import ReplayedEvent
from synaptic.engine.walk import open_engine
from synaptic.model.call import Request
from synaptic.store.db import Store
from synaptic.store.past_events import iter_past_events
from synaptic.work.replay import replay_events
from tests.daemon.setting import Setting

NOTHING = CatalogChange()
EVER = (0.0, 1e12)


def answer_all(setting: Setting, requests: Iterable[Request]) -> None:
    """Through one engine, one after the other."""

    async def work() -> None:
        engine = open_engine(setting.home)
        try:
            for request in requests:
                await engine.answer(request)
        finally:
            await engine.close()

    asyncio.run(work())


def bash(setting: Setting, *commands: str, **fields: Any) -> list[Request]:
    return [setting.request(tool_input={"command": command}, **fields) for command in commands]


def replay(setting: Setting, change: CatalogChange = NOTHING) -> list[ReplayedEvent]:
    store = Store.open(setting.home)
    try:
        return list(replay_events(iter_past_events(store, EVER), PastFacts(store, change)))
    finally:
        store.close()


def describe(events: Iterable[ReplayedEvent]) -> list[tuple[str, str, Mapping[str, Any] | None]]:
    """Kind, author and input of each as it would be decided."""
    return [(str(one.decision.kind), one.decision.by, one.decision.input) for one in events if one.decision]
