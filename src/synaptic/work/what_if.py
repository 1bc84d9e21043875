"""One past event, decided again as if something was set otherwise."""

from collections.abc import Mapping

from synaptic.engine.past_catalog import CatalogChange
from synaptic.engine.past_facts import PastFacts
from synaptic.engine.replay import ReplayedEvent, replay_event
from synaptic.model.decision import Decision, Kind
from synaptic.model.errors import DeclarationError
from synaptic.store.basis import read_basis_ids
from synaptic.store.db import Store
from synaptic.store.record import JournalEntry
from synaptic.work.replay import complete_key

KIND_WORDS: Mapping[Kind, str] = {
    Kind.DENY: "denied",
    Kind.ASK: "asked about",
    Kind.REWRITE: "rewritten",
    Kind.ALLOW: "allowed",
    Kind.ADVISE: "advised",
    Kind.NONE: "let through",
}


def decide_otherwise(store: Store, entry: JournalEntry, change: CatalogChange) -> ReplayedEvent:
    """Decide an event again with a change. Raises DeclarationError for what cannot be set."""
    basis = read_basis_ids(store, entry.id, entry.id).get(entry.id)
    change.check()
    return replay_event(entry, basis, PastFacts(store, change))


def parse_setting(text: str) -> tuple[str, str]:
    """A key of the config and its value. Raises DeclarationError where there is no value."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise DeclarationError(f"`{text[:200]}` is no setting", hint="write it as policy.option=value")
    return complete_key(key.strip()), value.strip()


def describe_decision(decision: Decision) -> str:
    """What was decided and by whom, as the end of a sentence."""
    return f"{KIND_WORDS[decision.kind]}{f' by {decision.by}' if decision.by else ''}"
