"""An engine of its own below one folder: a home, a project, policies, and one agent's session in front of them."""

import asyncio
import json
import os
import shutil
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from synaptic.engine.walk import Engine, open_engine
from synaptic.hooks.catalog import HookCatalog
from synaptic.model.call import Request
from synaptic.model.home import Home
from synaptic.testing.outcome import Outcome

AGENT = "claude"
CODE_ENDING = ".py"


class EngineSession:
    """One user with one project. Everything happens truly: journal, state, a worker for each file of policies."""

    def __init__(self, folder: Path, policies: Iterable[Path] = (), config: str = "") -> None:
        self.user = folder / "home"
        self.project = folder / "project"
        self.home = Home(self.user / ".synaptic")
        self.policies = self.home.root / "policies"
        self.session = "session-1"
        if self.home.dispatch.exists():
            # Whoever tests may be an agent: before its user's own engine it would speak for them.
            raise ValueError(f"{self.home.root} is a real installation: give a folder of the test's own")
        self.policies.mkdir(parents=True, exist_ok=True)
        (self.project / ".git").mkdir(parents=True, exist_ok=True)
        if config:
            self.home.config.write_text(config)
        for file in policies:
            self.add(file)
        self._runner = asyncio.Runner()
        self._engine: Engine | None = None
        self._count = 0

    def add(self, file: Path) -> Path:
        """Put a file of policies into the user's folder, with those beside it that it may import."""
        for neighbour in file.parent.glob("_*.py"):
            shutil.copy(neighbour, self.policies)
        return Path(shutil.copy(file, self.policies))

    def write(self, name: str, text: str) -> Path:
        """The same with a text."""
        path = self.policies / name
        path.write_text(text)
        return path

    def check(self, command: str, **fields: object) -> Outcome:
        """The agent is about to run a shell command."""
        return self.send("PreToolUse", tool_name="Bash", tool_input={"command": command}, **fields)

    def send(self, event: str, **fields: object) -> Outcome:
        """An event of the agent, with the fields of its payload; in this session and project unless those say more."""
        return self.replay({"hook_event_name": event}, **fields)

    def replay(self, payload: Mapping[str, Any] | Path, **fields: object) -> Outcome:
        """A payload as it was recorded, or the file that it is in; it happens in this session and project."""
        recorded = json.loads(payload.read_text()) if isinstance(payload, Path) else payload
        whole = {**recorded, "session_id": self.session, "cwd": str(self.project), **fields}
        return self._runner.run(self._walk(str(whole.get("hook_event_name", "")), json.dumps(whole).encode()))

    def catalog(self) -> HookCatalog:
        """What is registered here, with its problems."""
        return self._runner.run(self._open_catalog())

    def start_session(self, name: str) -> None:
        """From now on, events are of another session."""
        self.session = name

    @property
    def engine(self) -> Engine:
        """The engine itself, once an event has come."""
        if self._engine is None:
            raise RuntimeError("nothing has been sent to this session yet")
        return self._engine

    def close(self) -> None:
        """End the workers and let go of the journal."""
        if self._engine is not None:
            self._runner.run(self._engine.close())
        self._runner.close()

    async def _walk(self, event: str, stdin: bytes) -> Outcome:
        self._count += 1
        id = f"{time.time_ns():020}-{self._count}"
        env = {"HOME": str(self.user), "PATH": os.environ.get("PATH", os.defpath)}
        request = Request(agent=AGENT, event=event, stdin=stdin, id=id, env=env, cwd=str(self.project))
        return Outcome(await (await self._open_engine()).walk(request))

    async def _open_catalog(self) -> HookCatalog:
        engine = await self._open_engine()
        return await engine.join_outside(engine.catalogs.get(str(self.project)))

    async def _open_engine(self) -> Engine:
        # In the loop: workers are watched by it.
        if self._engine is None:
            self._engine = open_engine(self.home)
        return self._engine
