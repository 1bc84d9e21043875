"""What a supervisor says about its agent, and what it is asked to do."""

import msgspec

from synaptic.model.layers import SetStatus, Signal, Status
from synaptic.store import layer_effects
from synaptic.store.db import Connection, Store
from synaptic.store.layer_effects import Cause

PLACE = """
UPDATE agents SET pane = ?, pid = ?, parent = coalesce(nullif(?, ''), parent), restart_prompt = NULL, restart_at = NULL
WHERE id = ?
"""
VACATE = "UPDATE agents SET pane = '' WHERE pane = ? AND pane != '' AND id != ?"
ANSWERED = "UPDATE agents SET restart_prompt = NULL, restart_at = NULL WHERE id = ?"
ASKED = "SELECT restart_prompt FROM agents WHERE id = ? AND restart_at IS NOT NULL"
ENDED = """
UPDATE agents SET pid = NULL, pane = CASE status WHEN 'done' THEN '' ELSE pane END, named = min(named, ?) WHERE id = ?
"""


class Charge(msgspec.Struct, frozen=True, kw_only=True):
    """An agent and its supervisor."""

    agent: str
    label: str = ""
    kind: str = ""
    project: str = ""
    parent: str = ""
    pane: str = ""
    pid: int
    """The supervisor's process: for people to look at, never an identity."""
    chosen: bool = True
    """Whether somebody chose its name; one that was made up is of no interest when its agent has ended well."""


def begin(store: Store, charge: Charge, status: Status | None, at: float) -> None:
    """The agent is about to be started: it is known, has its pane for itself, and nothing is asked of it any more.

    Without a status, it keeps the one it has.
    """

    def work(connection: Connection) -> None:
        if status is not None:
            _say(connection, charge, (status, ""), at)
        connection.execute(VACATE, (charge.pane, charge.agent))
        connection.execute(PLACE, (charge.pane, charge.pid, charge.parent, charge.agent))

    store.write(work)


def asked(store: Store, agent: str) -> str | None:
    """The prompt that somebody wants this agent to be started again with; None when nobody does."""
    return store.read(lambda connection: _asked(connection, agent))


def take(store: Store, agent: str) -> str | None:
    """The same, handed out once."""

    def work(connection: Connection) -> str | None:
        prompt = _asked(connection, agent)
        connection.execute(ANSWERED, (agent,))
        return prompt

    # Looked at first: a supervisor asks every moment, and a write would wake up everybody who follows the database.
    return store.write(work) if asked(store, agent) is not None else None


def report(store: Store, charge: Charge, status: Status, note: str, at: float) -> None:
    """What became of the agent; whoever coordinates it hears of an error."""
    store.write(lambda connection: _say(connection, charge, (status, note), at))


def end(store: Store, charge: Charge, status: Status, note: str, at: float) -> None:
    """The same, and nobody supervises it any more. One in error keeps its pane, so that the error can be seen there."""

    def work(connection: Connection) -> None:
        _say(connection, charge, (status, note), at)
        connection.execute(ANSWERED, (charge.agent,))
        connection.execute(ENDED, (int(charge.chosen), charge.agent))

    store.write(work)


def _asked(connection: Connection, agent: str) -> str | None:
    row = connection.execute(ASKED, (agent,)).fetchone()
    return str(row[0] or "") if row else None


def _say(connection: Connection, charge: Charge, said: tuple[Status, str], at: float) -> None:
    status, note = said
    effects: list[SetStatus | Signal] = [
        SetStatus(
            agent=charge.agent,
            status=status,
            note=note,
            named=True,
            label=charge.label,
            kind=charge.kind,
            project=charge.project,
        )
    ]
    if charge.parent and status == "error":
        effects.append(Signal(agent=charge.parent, text=f"Agent {charge.label or charge.agent}: {note}"))
    layer_effects.apply(connection, effects, Cause(at=at))
