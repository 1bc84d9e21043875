"""Find project, effort, session and agent of an event: read once, then kept up to date in memory.

Nothing here raises for a missing row: an unknown link, and everything that depends on it, is None.
"""

import os
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from synaptic.files.long_paths import cut_path
from synaptic.model.layers import Agent, Beat, Effort, LayerEffect, Layers, Session, Skill
from synaptic.model.text import to_utf8
from synaptic.store import layer_effects
from synaptic.store.db import NO_VERSION, Connection, Store
from synaptic.store.layer_effects import AppliedEffects

SELECT_EFFORT = """
SELECT e.id, e.task_id, t.project_id, e.skill, e.ordinal, e.mode, e.lifecycle, e.current_phase, e.discovered_directives,
       e.discovered_directories, e.loaded_files, e.metadata, e.created_at, e.finished_at
FROM efforts e JOIN tasks t ON t.dir_path = e.task_id
"""
SELECT_SESSION = """
SELECT s.id, s.effort_id, s.task_id, s.prev_session_id, s.host_session, s.fleet_agent, s.subagent, s.heartbeat_counter,
       s.last_heartbeat, s.last_edited, s.context_usage, s.loaded_files, s.dehydration_payload, s.handed_over_at,
       s.transcript_path, s.transcript_offset, s.model, s.created_at, s.ended_at
FROM sessions s
"""
SELECT_AGENT = "SELECT id, label, kind, status, effort_id, parent, host_session, named, pane, note FROM agents"
SELECT_SKILL = """
SELECT name, phases, templates, modes, next_skills, directives, version, description, tier, path FROM skills
WHERE project_id = ? AND name = ?
"""
SELECT_OPEN_HERE = f"""{SELECT_SESSION} JOIN efforts e ON e.id = s.effort_id JOIN tasks t ON t.dir_path = e.task_id
WHERE s.ended_at IS NULL AND s.subagent = '' AND s.host_session IN (?1, '') AND s.fleet_agent IN (?2, '')
  AND e.lifecycle = 'active' AND t.project_id = ?3
  AND (s.host_session = ?1 OR NOT EXISTS (SELECT 1 FROM sessions o WHERE o.effort_id = s.effort_id
    AND o.host_session = ?1 AND o.ended_at IS NULL AND o.subagent = ''))
ORDER BY s.id DESC LIMIT 1"""
"""What is open in this window. A session without a window may become its own, unless it has one of that effort."""
SELECT_OPEN_OF_EFFORT = f"""{SELECT_SESSION} WHERE s.effort_id = ?1 AND s.ended_at IS NULL AND s.subagent = ''
  AND (?2 = '' AND ?3 = '' OR ?2 = '' AND s.fleet_agent = ?3
    OR s.host_session IN (?2, '') AND s.fleet_agent IN (?3, ''))
ORDER BY (s.host_session = ?2) DESC, (s.fleet_agent = ?3) DESC, s.id DESC LIMIT 1"""
"""A window only finds its own session, or one that nobody has claimed yet; an agent that does not tell its window finds
its own by name; a person at a terminal (no host, no name) finds anybody's."""
SELECT_OPEN_OF_SUBAGENT = f"""{SELECT_SESSION} WHERE s.effort_id = ? AND s.ended_at IS NULL AND s.subagent = ?
ORDER BY (s.host_session = ?) DESC, s.id DESC LIMIT 1"""
SELECT_NEWEST_ACTIVE = f"{SELECT_EFFORT} WHERE t.project_id = ? AND e.lifecycle = 'active' ORDER BY e.id DESC LIMIT 1"
SELECT_NEWEST_SESSION = f"""{SELECT_SESSION} WHERE s.effort_id = ?1 AND s.subagent = ''
  AND (s.fleet_agent IN (?2, '') OR s.fleet_agent NOT IN (SELECT id FROM agents WHERE named = 1))
ORDER BY (?2 != '' AND s.fleet_agent = ?2) DESC, (?3 != '' AND s.host_session = ?3) DESC,
  (s.dehydration_payload IS NOT NULL AND s.handed_over_at IS NULL) DESC, s.id DESC LIMIT 1"""
"""Its own before others', and one whose hand-over waits before those of windows that run beside it. An agent with a
generated name returns under another one, so windows of unknown agents are open to anybody."""
MAX_PLACES = 256
NO_AGENT_ID = "default"
"""An AGENT_ID that means none."""


class _LayerCache:
    """Layers by the place of an event, as read at `version`."""

    def __init__(self) -> None:
        self.version = NO_VERSION
        self.places: dict[EventOrigin, Layers] = {}


class EventOrigin(msgspec.Struct, frozen=True):
    """What an event says about where it comes from."""

    root: str
    """The project's root, or the folder of the event: whichever ancestor is known is the project."""
    agent_name: str = ""
    """AGENT_ID."""
    host: str = ""
    """The agent's own id of its context window."""
    subagent: str = ""


def resolve_layers(store: Store, place: EventOrigin) -> Layers:
    """Find the layers of an event by where it comes from."""
    return store.read(lambda connection: _resolve_cached(connection, store, place))


def write_layer_effects(store: Store, effects: tuple[LayerEffect, ...], at: float, host: str = "") -> AppliedEffects:
    """Write effects outside of an event, all or none; `host` is the agent's own id of the window they are for."""
    cause = layer_effects.EffectCause(at=at, host=host)
    applied = store.write(lambda connection: layer_effects.apply_layer_effects(connection, effects, cause))
    follow_layer_effects(store, effects)
    return applied


def follow_layer_effects(store: Store, effects: tuple[object, ...]) -> None:
    """Update the cache after our own commit: heartbeats are applied, for everything else it is cleared."""
    for effect in effects:
        if isinstance(effect, Beat):
            _follow_beat(store, effect)
        elif isinstance(effect, layer_effects.LAYER_EFFECT_CLASSES):
            store.cache(_LayerCache).places.clear()


def find_effort(store: Store, number: int) -> Effort | None:
    """Find an effort by its number."""
    return store.read(lambda connection: _select_effort(connection, f"{SELECT_EFFORT} WHERE e.id = ?", (number,)))


def find_session(store: Store, number: int) -> Session | None:
    """Find a session by its number."""
    return store.read(lambda connection: _select_session(connection, f"{SELECT_SESSION} WHERE s.id = ?", (number,)))


def find_newest_session(store: Store, effort_id: int, agent_name: str = "", host: str = "") -> Session | None:
    """Find the main session that this agent or window opened last for an effort, else the last without an owner."""
    values = (effort_id, to_utf8(agent_name), to_utf8(host))
    return store.read(lambda connection: _select_session(connection, SELECT_NEWEST_SESSION, values))


def find_agent(store: Store, name: str) -> Agent | None:
    """Find an agent by its id."""
    return store.read(lambda connection: _select_agent(connection, name))


def list_agents(store: Store) -> list[Agent]:
    """List all agents that ever worked, by id."""
    rows = store.read(lambda connection: connection.execute(f"{SELECT_AGENT} ORDER BY id").fetchall())
    return [_row_to_agent(row) for row in rows]


def decode_texts(stored: object) -> tuple[str, ...]:
    """Decode a stored list of texts; empty when it is damaged."""
    value = _decode_json(stored)
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _resolve_cached(connection: Connection, store: Store, place: EventOrigin) -> Layers:
    """Resolve from the cache, unless another connection has committed since."""
    cache, now = store.cache(_LayerCache), store.version(connection)
    if now != cache.version or len(cache.places) > MAX_PLACES:
        cache.places.clear()
        cache.version = now
    found = cache.places.get(place)
    if found is None:
        found = cache.places[place] = _resolve_origin(connection, place)
    return found


def _resolve_origin(connection: Connection, place: EventOrigin) -> Layers:
    name = "" if place.agent_name == NO_AGENT_ID else to_utf8(place.agent_name)
    host = to_utf8(place.host)
    worker = _select_agent(connection, name or host) if name or host else None
    known = _find_project(connection, _resolve_links(place.root)) or _find_project(connection, place.root)
    if known is None:
        return Layers(agent=worker)
    project, root = known
    # Who has a name works on what it was given; else on whatever is open in this window; else on the newest.
    found = _find_bound_effort(connection, worker, project) if name and worker else None
    main: Session | None = None
    if found is None:
        main = _select_session(connection, SELECT_OPEN_HERE, (host, name, project))
        found = _select_effort(connection, f"{SELECT_EFFORT} WHERE e.id = ?", (main.effort,)) if main else None
    if found is None:
        found = _select_effort(connection, SELECT_NEWEST_ACTIVE, (project,))
    if found is None:
        return Layers(project=project, root=root, agent=worker)
    # A sub-agent has a session of its own or none: its parent's heartbeat is never touched for it.
    if place.subagent:
        main = _select_session(connection, SELECT_OPEN_OF_SUBAGENT, (found.id, to_utf8(place.subagent), host))
    elif main is None:
        main = _select_session(connection, SELECT_OPEN_OF_EFFORT, (found.id, host, name))
    skill = _select_skill(connection, found)
    return Layers(project=project, root=root, effort=found, session=main, agent=worker, skill=skill)


def _find_bound_effort(connection: Connection, worker: Agent, project: int) -> Effort | None:
    """The effort that a named agent was given, while it is active and of this project."""
    found = _select_effort(connection, f"{SELECT_EFFORT} WHERE e.id = ?", (worker.effort,)) if worker.effort else None
    return found if found and not found.finished and found.project == project else None


def _find_project(connection: Connection, root: str) -> tuple[int, str] | None:
    paths = tuple(_iter_ancestors(to_utf8(root)))
    marks = ", ".join("?" * len(paths))
    sql = f"SELECT id, path FROM projects WHERE path IN ({marks}) ORDER BY length(path) DESC LIMIT 1"
    row = connection.execute(sql, paths).fetchone()
    return (int(row[0]), str(row[1])) if row else None


def _resolve_links(root: str) -> str:
    """The folder itself, where it is named by a link: projects are known by their own paths."""
    try:
        return os.path.realpath(root) if root.startswith("/") else ""
    except (OSError, ValueError):
        return ""


def _iter_ancestors(path: str) -> Iterator[str]:
    path = cut_path(os.path.normpath(path)) if path else ""
    while path.startswith("/") and path != "/":
        yield path
        path = path.rpartition("/")[0]


def _select_effort(connection: Connection, sql: str, values: tuple[object, ...]) -> Effort | None:
    row = connection.execute(sql, values).fetchone()
    if row is None:
        return None
    metadata = _decode_json(row[11])
    return Effort(
        id=row[0],
        task=row[1],
        project=row[2],
        skill=row[3],
        ordinal=row[4],
        mode=row[5] or "",
        finished=row[6] == "finished",
        phase=row[7] or "",
        directives=decode_texts(row[8]),
        directories=decode_texts(row[9]),
        loaded=decode_texts(row[10]),
        metadata=metadata if isinstance(metadata, dict) else {},
        created_at=row[12],
        finished_at=row[13],
    )


def _select_session(connection: Connection, sql: str, values: tuple[object, ...]) -> Session | None:
    row = connection.execute(sql, values).fetchone()
    if row is None:
        return None
    return Session(
        id=row[0],
        effort=row[1],
        task=row[2],
        previous=row[3],
        host=row[4],
        agent=row[5],
        subagent=row[6],
        heartbeat=row[7],
        last_heartbeat=row[8],
        edited=row[9],
        usage=row[10],
        loaded=decode_texts(row[11]),
        payload=row[12],
        handed_over=row[13] is not None,
        transcript=row[14] or "",
        offset=row[15],
        model=row[16] or "",
        created_at=row[17],
        ended_at=row[18],
    )


def _select_agent(connection: Connection, name: str) -> Agent | None:
    row = connection.execute(f"{SELECT_AGENT} WHERE id = ?", (to_utf8(name),)).fetchone()
    return _row_to_agent(row) if row else None


def _row_to_agent(row: tuple[Any, ...]) -> Agent:
    id, label, kind, status, effort_id, parent, host, named, pane, note = row
    return Agent(
        id=id,
        label=label,
        kind=kind,
        status=status,
        effort=effort_id,
        parent=parent or "",
        host=host,
        named=bool(named),
        pane=pane,
        note=note,
    )


def _select_skill(connection: Connection, of: Effort) -> Skill | None:
    row = connection.execute(SELECT_SKILL, (of.project, of.skill)).fetchone()
    if row is None:
        return None
    templates = _decode_json(row[2])
    return Skill(
        name=row[0],
        phases=decode_texts(row[1]),
        templates={str(key): str(value) for key, value in templates.items()} if isinstance(templates, dict) else {},
        modes=_decode_json(row[3]),
        next_skills=decode_texts(row[4]),
        directives=decode_texts(row[5]),
        version=row[6] or "",
        description=row[7] or "",
        tier=row[8] or "",
        path=row[9],
    )


def _follow_beat(store: Store, beat: Beat) -> None:
    claimed, places = False, store.cache(_LayerCache).places
    for place, known in places.items():
        if known.session is not None and known.session.id == beat.session:
            claimed = claimed or not known.session.host
            after = msgspec.structs.replace(known.session, **_compute_beat(known.session, beat))
            places[place] = msgspec.structs.replace(known, session=after)
    if claimed:
        places.clear()  # it may be somebody's from now on, and the others must hear of it


def _compute_beat(before: Session, beat: Beat) -> Mapping[str, object]:
    count = 0 if beat.reset else before.heartbeat + beat.add
    usage = before.usage if beat.usage is None else beat.usage
    offset = before.offset if beat.offset is None else beat.offset
    return {"heartbeat": count, "edited": beat.edited, "usage": usage, "offset": offset}


def _decode_json(stored: object) -> Any:
    try:
        return msgspec.json.decode(stored) if isinstance(stored, str | bytes) else None
    except msgspec.DecodeError:
        return None
