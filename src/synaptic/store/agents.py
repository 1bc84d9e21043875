"""Registration of agents by name, as people and programs declare them; what agents do is written by events."""

import msgspec

from synaptic.model.errors import LayerError
from synaptic.model.layers import STATUSES, Agent
from synaptic.store import layers
from synaptic.store.db import Connection, Store
from synaptic.store.layer_effects import replace_surrogates
from synaptic.store.layers import NO_AGENT_ID
from synaptic.store.redact import redact_text

MAX_NAME_LENGTH = 200
UPSERT_AGENT = """
INSERT INTO agents (id, label, kind, project_id, effort_id, status, parent, manages, claims, targeted_claims,
                    named, pane, note, updated_at)
VALUES (?, ?, ?, (SELECT id FROM projects WHERE path = ?), ?, ?, ?, ?, ?, ?, 1, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET label = excluded.label, kind = excluded.kind, project_id = excluded.project_id,
    effort_id = excluded.effort_id, status = excluded.status, parent = excluded.parent, manages = excluded.manages,
    claims = excluded.claims, targeted_claims = excluded.targeted_claims, named = 1, note = excluded.note,
    pane = CASE excluded.pane WHEN '' THEN pane ELSE excluded.pane END, updated_at = excluded.updated_at
"""
"""Leaves alone host_session, pid and restart_*: a new registration must not cut an agent off its supervisor."""


class AgentRegistration(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The full declaration of an agent: a field that is not given becomes empty."""

    id: str
    """Its name: AGENT_ID, or its window's id."""
    label: str = ""
    """What people call it."""
    kind: str = ""
    """Which program it is, such as claude."""
    project: str = ""
    """The root of the project that it works in."""
    effort: int | None = None
    """The effort that it works on."""
    status: str = "done"
    """error, attention, working, checked or done."""
    parent: str = ""
    """The agent that coordinates it."""
    manages: tuple[str, ...] = ()
    """The agents that it coordinates."""
    claims: tuple[str, ...] = ()
    """What it has taken on."""
    targeted_claims: tuple[str, ...] = ()
    """What was given to it by name."""
    pane: str = ""
    """The tmux pane that it is in; what is known stays without it."""
    note: str = ""
    """What a person should know."""


def register_agent(store: Store, given: AgentRegistration, at: float) -> Agent:
    """Create an agent, or replace the declaration of the one with this id. Raises LayerError."""
    check_agent_name(given.id)
    _check_status(given.status)

    def work(connection: Connection) -> None:
        # In the transaction: an error of the foreign key would not say which number was wrong.
        known = connection.execute("SELECT 1 FROM efforts WHERE id = ?", (given.effort,)).fetchone()
        if given.effort is not None and not known:
            raise LayerError("NOT_FOUND", f"there is no effort {given.effort}", hint="type: synaptic effort list --all")
        who = (
            replace_surrogates(given.id),
            redact_text(given.label),
            replace_surrogates(given.kind),
            replace_surrogates(given.project),
            given.effort,
            given.status,
        )
        lists = (given.manages, given.claims, given.targeted_claims)
        told = (
            replace_surrogates(given.parent) or None,
            *map(_encode_list, lists),
            replace_surrogates(given.pane),
            redact_text(given.note),
        )
        connection.execute(UPSERT_AGENT, (*who, *told, at))

    store.write(work)
    return require_agent(store, given.id)


def set_agent_status(store: Store, name: str, status: str, note: str, at: float) -> Agent:
    """Set an agent's status from outside of its events. Raises LayerError for an unknown one."""
    _check_status(status)

    def work(connection: Connection) -> None:
        sql = "UPDATE agents SET status = ?, note = ?, updated_at = ? WHERE id = ?"
        if connection.execute(sql, (status, redact_text(note), at, replace_surrogates(name))).rowcount != 1:
            raise _make_not_found(name)

    store.write(work)
    return require_agent(store, name)


def require_agent(store: Store, name: str) -> Agent:
    """Find an agent; raises LayerError when there is none."""
    found = layers.find_agent(store, name)
    if found is None:
        raise _make_not_found(name)
    return found


def find_effort_agent(store: Store, number: int) -> Agent | None:
    """Find the agent that works on an effort; of several, the one updated last."""
    sql = "SELECT id FROM agents WHERE effort_id = ? ORDER BY updated_at DESC, id LIMIT 1"
    row = store.read(lambda connection: connection.execute(sql, (number,)).fetchone())
    return layers.find_agent(store, row[0]) if row else None


def check_agent_name(name: str) -> str:
    """Return the name if it is valid for an agent; raises LayerError otherwise."""
    if not name.strip() or name == NO_AGENT_ID or len(name) > MAX_NAME_LENGTH or not name.isprintable():
        what = f"{name[:40]!r} cannot name an agent"
        raise LayerError(
            "VALIDATION_ERROR", what, hint=f"1 to {MAX_NAME_LENGTH} printable letters, and not `{NO_AGENT_ID}`"
        )
    return name


def _check_status(status: str) -> None:
    if status not in STATUSES:
        raise LayerError("VALIDATION_ERROR", f"{status!r} is no status", hint=f"one of {', '.join(STATUSES)}")


def _make_not_found(name: str) -> LayerError:
    return LayerError("NOT_FOUND", f"there is no agent {name!r}", hint="type: synaptic agent list")


def _encode_list(words: tuple[str, ...]) -> str | None:
    return msgspec.json.encode([redact_text(word) for word in words]).decode() if words else None
