"""What to say about a word that nobody knows."""

from collections.abc import Iterable

from synaptic.hooks.nearest import find_nearest
from synaptic.model.errors import SynapticError

MOST_NAMED = 12
"""More names than that are no help on a screen."""


def suggest_name(word: str, known: Iterable[str], listing: str) -> str:
    """The known word that was probably meant; else all of them, or the command that lists them where they are many."""
    names = tuple(known)
    if close := find_nearest(word, names):
        return f"did you mean `{close}`?"
    return f"type: {listing}" if len(names) > MOST_NAMED else f"known: {', '.join(names)}"


def require_known_event(event: str) -> None:
    """Raise SynapticError for a misspelt event. One that no hook and no agent of ours knows is misspelt."""
    from synaptic.model.event import EVENTS  # noqa: PLC0415  a class for every event, for a mistake that is rare

    if event and event not in EVENTS:
        hint = suggest_name(event, EVENTS, "synaptic list --json")
        raise SynapticError(f"there is no event `{event}`", hint=hint)
