"""Agents as they are registered by name. What they do is written by events; this is what people and programs say."""

import msgspec

from synaptic.model.errors import LayerError
from synaptic.model.layers import STATUSES, Agent
from synaptic.store import layers
from synaptic.store.db import Connection, Store
from synaptic.store.layer_effects import text
from synaptic.store.layers import NOBODY

LONGEST = 200
REGISTER = """
INSERT INTO agents (id, label, kind, project_id, effort_id, status, parent, manages, claims, targeted_claims,
                    named, pane, note, updated_at)
VALUES (?, ?, ?, (SELECT id FROM projects WHERE path = ?), ?, ?, ?, ?, ?, ?, 1, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET label = excluded.label, kind = excluded.kind, project_id = excluded.project_id,
    effort_id = excluded.effort_id, status = excluded.status, parent = excluded.parent, manages = excluded.manages,
    claims = excluded.claims, targeted_claims = excluded.targeted_claims, named = 1, note = excluded.note,
    pane = CASE excluded.pane WHEN '' THEN pane ELSE excluded.pane END, updated_at = excluded.updated_at
"""
"""Its window, its supervisor and what was asked of it are not a registration's to take away."""


class Registration(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Everything that is known of an agent: what is not given is empty from then on."""

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


def register(store: Store, given: Registration, at: float) -> Agent:
    """An agent, in place of whatever was known by its name."""
    checked_name(given.id)
    _check_status(given.status)

    def work(connection: Connection) -> None:
        # In the transaction: an error of the foreign key would not say which number was wrong.
        known = connection.execute("SELECT 1 FROM efforts WHERE id = ?", (given.effort,)).fetchone()
        if given.effort is not None and not known:
            raise LayerError("NOT_FOUND", f"there is no effort {given.effort}", hint="type: synaptic effort list --all")
        who = (text(given.id), text(given.label), text(given.kind), text(given.project), given.effort, given.status)
        lists = (given.manages, given.claims, given.targeted_claims)
        told = (text(given.parent) or None, *map(_list, lists), text(given.pane), text(given.note))
        connection.execute(REGISTER, (*who, *told, at))

    store.write(work)
    return required(store, given.id)


def set_status(store: Store, name: str, status: str, note: str, at: float) -> Agent:
    """What an agent does, said by somebody else than its events."""
    _check_status(status)

    def work(connection: Connection) -> None:
        sql = "UPDATE agents SET status = ?, note = ?, updated_at = ? WHERE id = ?"
        if connection.execute(sql, (status, text(note), at, text(name))).rowcount != 1:
            raise _unknown(name)

    store.write(work)
    return required(store, name)


def required(store: Store, name: str) -> Agent:
    """An agent that must be there."""
    found = layers.agent(store, name)
    if found is None:
        raise _unknown(name)
    return found


def of_effort(store: Store, number: int) -> Agent | None:
    """Who works on an effort; of several, the one that was heard of last."""
    sql = "SELECT id FROM agents WHERE effort_id = ? ORDER BY updated_at DESC, id LIMIT 1"
    row = store.read(lambda connection: connection.execute(sql, (number,)).fetchone())
    return layers.agent(store, row[0]) if row else None


def checked_name(name: str) -> str:
    """The name, if an agent can have it. Raises LayerError."""
    if not name.strip() or name == NOBODY or len(name) > LONGEST or not name.isprintable():
        what = f"{name[:40]!r} cannot name an agent"
        raise LayerError("VALIDATION_ERROR", what, hint=f"1 to {LONGEST} printable letters, and not `{NOBODY}`")
    return name


def _check_status(status: str) -> None:
    if status not in STATUSES:
        raise LayerError("VALIDATION_ERROR", f"{status!r} is no status", hint=f"one of {', '.join(STATUSES)}")


def _unknown(name: str) -> LayerError:
    return LayerError("NOT_FOUND", f"there is no agent {name!r}", hint="type: synaptic agent list")


def _list(words: tuple[str, ...]) -> str | None:
    return msgspec.json.encode([text(word) for word in words]).decode() if words else None
