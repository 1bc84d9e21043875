"""A repository that wants its code run: hooks in any form, files that change after somebody has agreed."""

import asyncio
import json
from pathlib import Path

from synaptic.engine.walk import Engine, open_engine
from synaptic.hooks.catalog import HookCatalogs
from synaptic.hooks.trust import HookTrust, TrustItem
from synaptic.model.call import Answer
from synaptic.store import trust as store_trust
from synaptic.store.db import Store
from tests.daemon.setting import Setting

EVIL = "EVIL"


class Repository:
    """The project of a user who trusts nothing yet. Code of the repository that runs writes a line to `ran`."""

    def __init__(self, folder: Path) -> None:
        self.setting = Setting(folder, trust="ask")
        self.path = self.setting.project
        self.root = str(self.path)
        self.ran = folder / "ran"
        self._runner = asyncio.Runner()
        self._engine: Engine | None = None

    def write(self, name: str, text: str, mode: int = 0o755) -> Path:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path

    def note(self, word: str) -> str:
        """Shell text that notes that it ran."""
        return f"echo {word} >> '{self.ran}'\n"

    def note_python(self, word: str) -> str:
        return f"open({str(self.ran)!r}, 'a').write('{word}\\n')\n"

    def note_script(self, word: str) -> str:
        return f"#!/bin/sh\n{self.note(word)}"

    def declare(self, **keys: object) -> None:
        """One hook of the project, asked at every Bash call."""
        said = {"event": "PreToolUse", "matcher": "Bash", "blocking": True, "id": "brought", **keys}
        lines = "\n".join(f"{key} = {json.dumps(value)}" for key, value in said.items())
        with (self.setting.hooks / "registry.toml").open("a") as file:
            file.write(f"[[hook]]\n{lines}\n\n")

    def list_items(self) -> tuple[TrustItem, ...]:
        """What `synaptic trust` would ask about."""
        catalog = HookCatalogs(self.setting.home).get(self.root)
        return HookTrust(self.root, lambda root: frozenset()).list_items(catalog.hooks)

    def trust(self, *, uncovered: bool = False) -> tuple[TrustItem, ...]:
        """The person agrees to what is covered, or to everything."""
        items = [item for item in self.list_items() if uncovered or not item.gaps]
        store = Store.open(self.setting.home)
        try:
            labels = [store_trust.TrustedContent(item.digest, item.hook.id) for item in items]
            store_trust.remember_trust(store, self.root, labels)
        finally:
            store.close()
        return tuple(items)

    def happens(self, event: str = "PreToolUse", env: dict[str, str] | None = None) -> Answer:
        """One event of an agent that works here."""
        request = self.setting.elsewhere(event)
        if env:
            request = type(request)(request.agent, request.event, request.stdin, request.id, {**request.env, **env})
        self._engine = self._engine or open_engine(self.setting.home)
        return self._runner.run(self._engine.answer(request))

    def close(self) -> None:
        if self._engine is not None:
            self._runner.run(self._engine.close())
        self._runner.close()
        self.setting.close()

    @property
    def notes(self) -> list[str]:
        return self.ran.read_text().split() if self.ran.exists() else []
