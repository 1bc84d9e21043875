"""Skill declarations (phases, modes, templates), stored by project until the skill file changes."""

import msgspec

from synaptic.model.layers import Skill
from synaptic.store import tasks
from synaptic.store.db import Connection, Store
from synaptic.store.layer_effects import replace_surrogates

UPSERT_SKILL = """
INSERT INTO skills (project_id, name, path, phases, modes, templates, next_skills, directives, version, description,
                    tier, updated_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (project_id, name) DO UPDATE SET path = excluded.path, phases = excluded.phases, modes = excluded.modes,
    templates = excluded.templates, next_skills = excluded.next_skills, directives = excluded.directives,
    version = excluded.version, description = excluded.description, tier = excluded.tier,
    updated_at = excluded.updated_at
"""


def upsert_skill(connection: Connection, project_id: int, skill: Skill, at: float) -> None:
    """Insert or update a skill as its file is now."""
    lists = (skill.phases, skill.modes, dict(skill.templates), skill.next_skills, skill.directives)
    told = (skill.version, skill.description, skill.tier)
    values = (
        replace_surrogates(skill.name),
        replace_surrogates(skill.path),
        *map(_encode_json, lists),
        *(replace_surrogates(word) or None for word in told),
    )
    connection.execute(UPSERT_SKILL, (project_id, *values, at))


def remember_skills(store: Store, root: str, skills: tuple[Skill, ...], at: float) -> None:
    """Store the skills of a project in one transaction."""

    def work(connection: Connection) -> None:
        project_id = tasks.upsert_project(connection, root, at)
        for skill in skills:
            upsert_skill(connection, project_id, skill, at)

    store.write(work)


def list_skill_names(store: Store, project_id: int) -> tuple[str, ...]:
    """List the names of a project's stored skills."""
    sql = "SELECT name FROM skills WHERE project_id = ? ORDER BY name"
    rows = store.read(lambda connection: connection.execute(sql, (project_id,)).fetchall())
    return tuple(str(name) for (name,) in rows)


def _encode_json(value: object) -> str | None:
    return replace_surrogates(msgspec.json.encode(value, enc_hook=repr).decode()) if value else None
