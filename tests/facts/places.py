"""Repositories in every state, and calls that ask about them."""

import asyncio
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from synaptic.facts.gather import EngineMeans
from synaptic.model.call import Call
from synaptic.model.errors import StoreError
from synaptic.model.event import EVENTS
from synaptic.model.home import Home
from synaptic.runners.execute import HookRunners
from synaptic.store.db import Store

Gather = Callable[[Call, EngineMeans], Any]


def call(root: Path, path: str = "", event: str = "PostToolUse", cwd: Path | None = None, **env: str) -> Call:
    fields: dict[str, object] = {"hook_event_name": event, "cwd": str(cwd or root), "session_id": "s1"}
    if "Tool" in event:
        fields |= {"tool_name": "Write", "tool_input": {"file_path": path} if path else {}}
    return Call("c1", "claude", EVENTS[event](**fields), fields, root=str(root), at=1000.0, env=env)


def means(folder: Path) -> EngineMeans:
    home = Home(folder / "home")
    return EngineMeans(Store.open_in_memory(home, StoreError("a test")), HookRunners(home.spool))


def gathered(gather: Gather, about: Call, folder: Path, using: EngineMeans | None = None) -> Any:
    async def gather_now() -> Any:
        value = gather(about, using or means(folder))
        return await value if inspect.iscoroutine(value) else value

    return asyncio.run(gather_now())
