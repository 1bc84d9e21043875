"""A database with a project, and short words for what lives in it."""

import time
from pathlib import Path

from synaptic.model.home import Home
from synaptic.model.layers import LayerEffect, Layers, OpenSession, SetStatus
from synaptic.store import layers
from synaptic.store.db import Store
from synaptic.store.layers import EventOrigin


class Layered:
    """Efforts are numbered as they are made."""

    def __init__(self, home: Home, root: str = "/home/dev/shop") -> None:
        self.store = Store.open(home)
        self.root = root
        self.project(root)

    def project(self, path: str) -> int:
        sql = "INSERT INTO projects (path, name, created_at) VALUES (?, ?, ?)"
        return self.write(sql, path, Path(path).name, time.time())

    def effort(
        self, task: str = "cart", skill: str = "implement", metadata: str | None = None, project: int = 1
    ) -> int:
        folder = f"{self.root}/.tasks/{task}"
        self.write(
            "INSERT INTO tasks (dir_path, project_id, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            folder,
            project,
            time.time(),
        )
        ordinal = self.one("SELECT coalesce(max(ordinal), 0) + 1 FROM efforts WHERE task_id = ?", folder)
        sql = "INSERT INTO efforts (task_id, skill, ordinal, metadata, created_at) VALUES (?, ?, ?, ?, ?)"
        return self.write(sql, folder, skill, ordinal, metadata, time.time())

    def finish(self, effort: int) -> None:
        sql = "UPDATE efforts SET lifecycle = 'finished', finished_at = ? WHERE id = ?"
        self.write(sql, time.time(), effort)

    def open(self, effort: int, **fields: object) -> int:
        opened = self.do(OpenSession(effort=effort, **fields))
        assert opened is not None
        return opened

    def bind(self, agent: str, effort: int) -> None:
        self.do(SetStatus(agent=agent, status="working", named=True, effort=effort, project=self.root))

    def do(self, *effects: LayerEffect) -> int | None:
        return layers.write_layer_effects(self.store, effects, time.time()).session

    def at(self, agent_name: str = "", host: str = "", subagent: str = "", root: str = "") -> Layers:
        return layers.resolve_layers(self.store, EventOrigin(root or self.root, agent_name, host, subagent))

    def write(self, sql: str, *values: object) -> int:
        return self.store.write(lambda connection: connection.execute(sql, values).lastrowid)

    def one(self, sql: str, *values: object) -> object:
        row = self.store.read(lambda connection: connection.execute(sql, values).fetchone())
        return row[0] if row else None
