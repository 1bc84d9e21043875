"""How one past event would be decided if something was set otherwise: `synaptic explain 42 --if KEY=VALUE`."""

from collections.abc import Sequence

from synaptic.cli import screen
from synaptic.cli.replay import split_setting
from synaptic.engine.past_catalog import CatalogChange
from synaptic.engine.replay import ReplayedEvent, Standing
from synaptic.model.decision import Decision
from synaptic.store.db import Store
from synaptic.store.record import JournalEntry
from synaptic.work.what_if import decide_otherwise, describe_decision


def print_what_if(store: Store, entry: JournalEntry, settings: Sequence[str], as_json: bool) -> None:
    """Print how an event was decided, and how it would be. Raises DeclarationError for what cannot be set."""
    change = CatalogChange(settings=tuple(map(split_setting, settings)))
    one = decide_otherwise(store, entry, change)
    if as_json:
        screen.print_json(
            {
                "event": entry.id,
                "standing": one.standing,
                "why": one.why,
                "flips": one.flips,
                "was": _decision_to_json(entry.decision),
                "now": one.decision and _decision_to_json(one.decision),
            }
        )
        return
    _print_plain(one)


def _print_plain(one: ReplayedEvent) -> None:
    was, now = one.entry.decision, one.decision
    screen.say(f"Event {one.entry.id} was {describe_decision(was)}.")
    if now is None:
        screen.say(f"How it would be decided cannot be told: {one.why}.")
        return
    screen.say(f"{'It would be' if one.flips else 'Still'} {describe_decision(now)}.")
    if one.flips and now.reason:
        screen.say_wrapped(now.reason, 2)
    if one.flips and now.input is not None:
        screen.say_exactly(f"  {screen.encode_json(now.input).decode()}")
    if one.standing is Standing.APPROXIMATE:
        screen.say(f"This is not exact: {one.why}.")


def _decision_to_json(decision: Decision) -> dict[str, object]:
    return {"kind": decision.kind, "by": decision.by, "reason": decision.reason, "input": decision.input}
