"""Many calls of one engine, as the daemon makes them: by the names of the methods, and as the agent's own events."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from synaptic.daemon import hook_methods, rpc
from synaptic.engine.walk import Engine, open_engine
from synaptic.model.call import Answer
from tests.daemon.fleet import Fleet


class OneEngine:
    """Answers both doors; whoever calls may look at the database between two calls."""

    def __init__(self, fleet: Fleet, runner: asyncio.Runner, engine: Engine) -> None:
        self._fleet, self._runner, self._engine = fleet, runner, engine
        self._service = type("Service", (), {"engine": engine})()

    def call(self, name: str, agent: str = "", **fields: Any) -> dict[str, Any]:
        """One method; a refusal is raised as RpcError."""
        return self.send(name, self._fleet.params(name, **fields), agent)

    def send(self, name: str, params: dict[str, Any], agent: str = "") -> dict[str, Any]:
        env = {"AGENT_ID": agent} if agent else None
        return self._runner.run(rpc.call_method(self._service, f"hooks.{name}", params, env))  # type: ignore[arg-type]

    def event(self, name: str, agent: str = "", env: dict[str, str] | None = None, **fields: Any) -> Answer:
        """The agent's own event that the method of this name stands for."""
        event = hook_methods.HOOK_METHODS[name].event
        request = self._fleet.setting.raw(event, json.dumps(self._fleet.params(name, **fields)).encode())
        request.env.update({**({"AGENT_ID": agent} if agent else {}), **(env or {})})  # type: ignore[attr-defined]
        return self._runner.run(self._engine.answer(request))


@contextmanager
def one_engine(fleet: Fleet) -> Iterator[OneEngine]:
    async def begin() -> Engine:
        return open_engine(fleet.setting.home)

    with asyncio.Runner() as runner:
        engine = runner.run(begin())
        try:
            yield OneEngine(fleet, runner, engine)
        finally:
            runner.run(engine.close())
