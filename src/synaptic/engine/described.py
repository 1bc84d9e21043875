"""Texts that were made of facts before: as long as the same facts come again, they are the same texts."""

from typing import NamedTuple

from synaptic.model.state import State
from synaptic.store.record import SealedText

MOST_PLACES = 64
MOST_OF_PLACE = 4
"""Facts differ a little from command to command, and come again."""
MOST_BYTES = 16 << 10
"""Of the texts of an event that are kept until the same facts come again."""


class SeenFacts(NamedTuple):
    """All that the texts of an event are made of, beside their place."""

    values: tuple[object, ...]
    """Of one type each: what is equal is the same text."""
    tables: bytes
    """Those of them into which somebody may write, as what they say now."""
    state: State
    owner: object
    """Kept, so that no other has the number that is in the place."""


class DescribedTexts:
    """Texts by their place (whose facts they are, and of which kind of call) and by those facts."""

    def __init__(self) -> None:
        self._known: dict[object, tuple[tuple[SeenFacts, tuple[SealedText, ...]], ...]] = {}

    def find(self, place: object, seen: SeenFacts) -> tuple[SealedText, ...] | None:
        """The texts of the very same facts. Cheaper than any part of what makes them."""
        for facts, texts in self._known.get(place, ()):
            if facts.tables == seen.tables and facts.values == seen.values and _is_same_state(facts.state, seen.state):
                return texts
        return None

    def keep(self, place: object, seen: SeenFacts, texts: tuple[SealedText, ...]) -> None:
        """Until the same facts come again, or others have taken their place."""
        if sum([len(text.value) for text in texts]) > MOST_BYTES:
            return
        # A state that has been replaced never comes again.
        known = [one for one in self._known.pop(place, ()) if _is_same_state(one[0].state, seen.state)]
        while len(self._known) >= MOST_PLACES:
            del self._known[next(iter(self._known))]
        self._known[place] = ((seen, texts), *known[: MOST_OF_PLACE - 1])


def _is_same_state(one: State, other: State) -> bool:
    """Whether each section is the very same object: the store hands one out until it is written again."""
    if one is other:
        return True
    return (
        one.known is other.known
        and one.tampered == other.tampered
        and one.sections.keys() == other.sections.keys()
        and all(section is other.sections[name] for name, section in one.sections.items())
    )
