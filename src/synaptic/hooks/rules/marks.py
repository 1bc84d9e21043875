"""What has happened in a session, as rules ask about it: marks, kept only for phrases that some rule names."""

from collections.abc import Iterable

import msgspec

from synaptic.policies.facts import Facts

MARKS = "session:rule-marks"
"""When each phrase was fulfilled last, by its key; of a sub-agent too, since it works for the same session."""
PROMPTED = "prompted"
"""The key of the user's last prompt."""
VERBS = {"ran": "run", "edited": "edit", "wrote": "write", "deleted": "delete", "read": "read", "used": "tool"}
"""The word that a phrase begins with, and the condition that the rest of it is."""
TESTS_RAN = "tests ran"
ENDED_WELL = " (ended well)"
"""Behind a key: when it was done and is known to have succeeded. A gate opens for that, and shuts for less."""
MAX_MARKS = 1000


class Phrase(msgspec.Struct, frozen=True):
    """One phrase of `after` or `before`."""

    text: str
    condition: str
    """The key of a rule; empty for `tests ran`."""
    value: str
    base: str

    @property
    def key(self) -> str:
        """Under what it is remembered: a path means something else in another folder."""
        return self.text if self.condition in ("", "run", "tool") else f"{self.base}: {self.text}"


def parse_phrase(text: str, key: str, base: str) -> Phrase:
    """Read a phrase. Raises ValueError for one that nobody understands."""
    words = " ".join(text.split())
    if words == TESTS_RAN:
        return Phrase(words, "", "", base)
    verb, _, rest = words.partition(" ")
    if verb not in VERBS or not rest:
        known = ", ".join(f"`{one} ...`" for one in VERBS)
        raise ValueError(f"`{key}`: `{text[:80]}` is no phrase that is known: `{TESTS_RAN}`, {known}")
    return Phrase(words, VERBS[verb], rest, base)


def find_latest(phrases: Iterable[Phrase], facts: Facts, end: str = "") -> float:
    """When one of these has happened last, or has ended well; 0 for never."""
    return max((facts.state.read_number(MARKS, phrase.key + end) for phrase in phrases), default=0.0)
