"""What policies in shadow would have said: steps in the trace of their event, and counts that outlive it."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from synaptic.model.decision import TraceStep
from synaptic.model.text import to_utf8
from synaptic.store.connection import Connection
from synaptic.store.db import Store
from synaptic.store.hook_counts import ADD_COUNT, SECONDS_PER_DAY
from synaptic.store.journal import drop_step_texts
from synaptic.store.record import JournalDetail
from synaptic.store.redact import redact_text

SELECT_EVENT = "SELECT id, root, at, decision FROM events WHERE call = ?"
UPDATE_EVENT = "UPDATE events SET decision = ? WHERE id = ?"
SELECT_COUNTS = """
SELECT hook, sum(calls) FROM hook_counts WHERE day >= ?2 AND {where} AND hook LIKE '% (would %)' GROUP BY hook
"""
SELECT_SHADOWED = """
SELECT id FROM (SELECT id, decision FROM events WHERE id > (SELECT coalesce(max(id), 0) FROM events) - ?3)
WHERE instr(decision, '"phase":"shadow"') AND instr(decision, ?1) ORDER BY id DESC LIMIT ?2
"""
MOST_SEARCHED = 10_000
"""Of so many events, from the newest back, those are looked for about which a shadow has said something."""
PHASE = "shadow"
WOULD = " (would "
"""In the name of a count, between the policy and what it would have said: `git.force-push (would deny)`."""


def add_shadow_steps(store: Store, call: str, steps: Sequence[TraceStep], keep: JournalDetail) -> bool:
    """Add the steps to the event of this call, once; False where it is not in the journal or has such steps already."""
    return bool(steps) and store.write(lambda connection: _add_steps(connection, call, steps, keep))


def read_shadow_counts(store: Store, root: str | None = None, days: int = 30) -> Mapping[str, Mapping[str, int]]:
    """By policy, how often it would have said what, in one project or in all."""
    since = int(time.time() // SECONDS_PER_DAY) - days
    sql = SELECT_COUNTS.format(where="?1 IS NULL" if root is None else "root = ?1")
    found: dict[str, dict[str, int]] = {}
    for name, calls in store.run_separately(lambda connection: connection.execute(sql, (root, since)).fetchall()):
        policy, _, kind = str(name).removesuffix(")").partition(WOULD)
        found.setdefault(policy, {})[kind] = int(calls)
    return found


def list_shadow_events(store: Store, policy: str, most: int) -> tuple[int, ...]:
    """The newest events about which a policy in shadow has said something; it may have spoken otherwise, too."""
    values = (f'"hook":{msgspec.json.encode(to_utf8(policy)).decode()}', most, MOST_SEARCHED)
    rows = store.run_separately(lambda connection: connection.execute(SELECT_SHADOWED, values).fetchall())
    return tuple(number for (number,) in rows)


def _add_steps(connection: Connection, call: str, steps: Sequence[TraceStep], keep: JournalDetail) -> bool:
    row = connection.execute(SELECT_EVENT, (call,)).fetchone()
    if row is None:
        return False
    number, root, at, text = row
    decision = _read_decision(text)
    trace = decision.get("trace", [])
    if not isinstance(trace, list) or any(isinstance(one, dict) and one.get("phase") == PHASE for one in trace):
        return False
    kept = [_encode_step(step, keep) for step in steps]
    changed = msgspec.json.encode({**decision, "trace": [*trace, *kept]}).decode()
    connection.execute(UPDATE_EVENT, (changed, number))
    for step in steps:
        name = f"{step.hook}{WOULD}{'fail' if step.fault else step.kind})"
        said = (1, int(bool(step.fault)), int(not step.fault), step.micros, at)
        connection.execute(ADD_COUNT, (root, int(at // SECONDS_PER_DAY), to_utf8(name), *said))
    return True


def _read_decision(text: str | bytes) -> dict[str, Any]:
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.DecodeError, msgspec.ValidationError):
        return {"trace": None}  # damaged: left as it is


def _encode_step(step: TraceStep, keep: JournalDetail) -> Any:
    told = step if keep == "full" else drop_step_texts(step)
    clean = msgspec.structs.replace(
        told, reason=redact_text(to_utf8(told.reason)), note=redact_text(to_utf8(told.note))
    )
    return msgspec.to_builtins(clean)
