"""Efforts to begin with, and a look at the tables."""

import sqlite3

from synaptic.model.layers import Skill
from synaptic.store import efforts
from synaptic.store.db import Store
from synaptic.store.efforts import EffortRequest, StartedEffort
from synaptic.store.tasks import TaskDescription
from synaptic.store.windows import WorkerIdentity

ROOT = "/r"
PHASES = ("0: Setup", "1: Plan", "2: Build")
TABLES = ("projects", "skills", "tasks", "efforts", "sessions", "phase_history", "messages", "agents")


def begin(store: Store, **given) -> StartedEffort:
    """An effort of `/r/.tasks/t`."""
    skill = given.get("skill", "implement")
    asked = EffortRequest(
        root=given.get("root", ROOT),
        task=TaskDescription(
            folder=given.get("task", "/r/.tasks/t"), title=given.get("title"), keywords=given.get("keywords")
        ),
        skill=skill if isinstance(skill, Skill) else Skill(name=skill, phases=given.get("phases", ())),
        mode=given.get("mode", ""),
        metadata=given.get("metadata", {}),
        who=given.get("who", WorkerIdentity()),
    )
    return efforts.start_effort(store, asked, given.get("at", 1.0))


def tables(store: Store) -> dict[str, list[tuple]]:
    """Everything that the layers hold, as another process reads it."""
    with sqlite3.connect(store.path) as other:
        return {name: other.execute(f"SELECT * FROM {name}").fetchall() for name in TABLES}


def damage(store: Store, sql: str) -> None:
    """Somebody else writes."""
    with sqlite3.connect(store.path) as other:
        other.execute(sql)
