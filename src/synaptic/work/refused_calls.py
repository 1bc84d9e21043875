"""One refusal by its handle, by the number of its event or by its call; never one of two."""

from collections.abc import Iterable

from synaptic.hooks.nearest import find_nearest
from synaptic.model.decision import Kind
from synaptic.model.errors import LayerError
from synaptic.model.text import join_lines, to_utf8
from synaptic.store import entries, refused
from synaptic.store.db import Store
from synaptic.store.record import JournalEntry
from synaptic.store.refused import RefusedCall

LONGEST_NUMBER = 18
"""Digits; a longer number fits no row."""
MOST_SHOWN = 60
LIST_HINT = "synaptic inbox"


def find_refusal(store: Store, named: str) -> RefusedCall:
    """The refusal of a name. Raises LayerError for an unknown one, and for one that two have."""
    name = to_utf8(named.strip())
    entry = _find_entry(store, name)
    by_code = refused.find_by_code(store, name.lower())
    found = {one.mark: one for one in (*by_code, *_find_by_entry(store, entry), *_find_by_mark(store, name))}
    if not found:
        raise _describe_unknown(store, name, entry)
    if len(found) > 1:
        raise LayerError("AMBIGUOUS", f"`{name}` names {len(found)} refusals: {_tell_apart(store, found.values())}")
    return next(iter(found.values()))


def find_event_of(store: Store, one: RefusedCall) -> JournalEntry | None:
    """The last event of a refusal; None where the journal has it no more."""
    return entries.find_entry(store, one.call)


def quote_call(one: RefusedCall, most: int = MOST_SHOWN) -> str:
    """A refused call on one line, as far as it fits."""
    text = join_lines(one.subject.shown) or f"a call of {one.subject.tool}"
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _find_entry(store: Store, name: str) -> JournalEntry | None:
    if name.isascii() and name.isdigit():
        return entries.find_entry(store, int(name)) if len(name) <= LONGEST_NUMBER else None
    return entries.find_entry(store, name)


def _find_by_entry(store: Store, entry: JournalEntry | None) -> Iterable[RefusedCall]:
    """The refusal that an event tells of; another call of the same kind may have come since."""
    if entry is None:
        return ()
    if (last := refused.find_by_call(store, entry.call)) is not None:
        return (last,)
    same = refused.find_by_code(store, entry.decision.code) if entry.decision.code else ()
    return tuple(one for one in same if one.subject.root == entry.root)


def _find_by_mark(store: Store, name: str) -> Iterable[RefusedCall]:
    """By what tells refusals with the same handle apart: what was shown to a person is what they agree to."""
    return (one for one in refused.list_refused(store) if one.mark == name) if len(name) > LONGEST_NUMBER else ()


def _describe_unknown(store: Store, name: str, entry: JournalEntry | None) -> LayerError:
    if entry is None:
        near = find_nearest(name.lower(), (one.code for one in refused.list_refused(store)))
        hint = f"did you mean `{near}`? All of them: {LIST_HINT}" if near else f"look at them: {LIST_HINT}"
        return LayerError("NOT_FOUND", f"there is no refusal `{name}`", hint=hint)
    decision = entry.decision
    if decision.kind not in (Kind.DENY, Kind.ASK):
        return LayerError("NOT_REFUSED", f"event {entry.id} was not refused", hint=f"synaptic explain {entry.id}")
    if decision.code:
        hint = "let the agent try it again"
        return LayerError("NOT_FOUND", f"the refusal of event {entry.id} is not kept any more", hint=hint)
    why = f"nobody can make an exception to what {decision.by or 'the engine'} says"
    return LayerError("NEVER_ALLOWED", why, where=f"event {entry.id}")


def _tell_apart(store: Store, found: Iterable[RefusedCall]) -> str:
    told = []
    for one in found:
        entry = find_event_of(store, one)
        number = f"synaptic allow {entry.id if entry else one.call}"
        told.append(
            f"`{quote_call(one, 40)}` by {', '.join(one.policies)} in {one.subject.root or 'no project'}: {number}"
        )
    return "; ".join(told)
