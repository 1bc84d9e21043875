"""What a supervisor reports about its agent, and the restarts that it is asked for."""

import msgspec

from synaptic.model.layers import SetStatus, Signal, Status
from synaptic.store import layer_effects
from synaptic.store.db import Connection, Store
from synaptic.store.layer_effects import EffectCause

SET_PANE = """
UPDATE agents SET pane = ?, pid = ?, parent = coalesce(nullif(?, ''), parent), restart_prompt = NULL, restart_at = NULL
WHERE id = ?
"""
VACATE_PANE = "UPDATE agents SET pane = '' WHERE pane = ? AND pane != '' AND id != ?"
CLEAR_RESTART = "UPDATE agents SET restart_prompt = NULL, restart_at = NULL WHERE id = ?"
SELECT_RESTART = "SELECT restart_prompt FROM agents WHERE id = ? AND restart_at IS NOT NULL"
END_SUPERVISION = """
UPDATE agents SET pid = NULL, pane = CASE status WHEN 'done' THEN '' ELSE pane END, named = min(named, ?) WHERE id = ?
"""


class SupervisedAgent(msgspec.Struct, frozen=True, kw_only=True):
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


def begin_supervision(store: Store, charge: SupervisedAgent, status: Status | None, at: float) -> None:
    """Before an agent starts: register it, free its pane of other agents, and clear restart requests.

    Without a status the agent keeps the one it has.
    """

    def work(connection: Connection) -> None:
        if status is not None:
            _write_status(connection, charge, (status, ""), at)
        connection.execute(VACATE_PANE, (charge.pane, charge.agent))
        connection.execute(SET_PANE, (charge.pane, charge.pid, charge.parent, charge.agent))

    store.write(work)


def find_restart_prompt(store: Store, agent: str) -> str | None:
    """Find the prompt of a restart that was asked for; None when none was."""
    return store.read(lambda connection: _select_restart(connection, agent))


def take_restart_prompt(store: Store, agent: str) -> str | None:
    """Take the prompt of a requested restart; it is handed out once."""

    def work(connection: Connection) -> str | None:
        prompt = _select_restart(connection, agent)
        connection.execute(CLEAR_RESTART, (agent,))
        return prompt

    # Looked at first: a supervisor asks every moment, and a write would wake up everybody who follows the database.
    # Polled every moment: a write for each poll would move data_version and empty everybody's caches.
    return store.write(work) if find_restart_prompt(store, agent) is not None else None


def report_status(store: Store, charge: SupervisedAgent, status: Status, note: str, at: float) -> None:
    """Report an agent's status; its parent is told of an error."""
    store.write(lambda connection: _write_status(connection, charge, (status, note), at))


def end_supervision(store: Store, charge: SupervisedAgent, status: Status, note: str, at: float) -> None:
    """Report an agent's last status and end its supervision. In error it keeps its pane, where the error is shown."""

    def work(connection: Connection) -> None:
        _write_status(connection, charge, (status, note), at)
        connection.execute(CLEAR_RESTART, (charge.agent,))
        connection.execute(END_SUPERVISION, (int(charge.chosen), charge.agent))

    store.write(work)


def _select_restart(connection: Connection, agent: str) -> str | None:
    row = connection.execute(SELECT_RESTART, (agent,)).fetchone()
    return str(row[0] or "") if row else None


def _write_status(connection: Connection, charge: SupervisedAgent, said: tuple[Status, str], at: float) -> None:
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
    layer_effects.apply_layer_effects(connection, effects, EffectCause(at=at))
