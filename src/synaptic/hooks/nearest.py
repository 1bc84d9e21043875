"""Find the known word that a misspelt one probably means."""

from collections.abc import Iterable
from difflib import get_close_matches

MAX_WORD_CHARS = 60
"""No known word is as long: a longer one resembles none."""
MAX_HINTS = 20
"""Hints of one file; nobody reads the hundredth, and each costs a comparison with all known words."""


def find_nearest(word: str, known: Iterable[str]) -> str | None:
    """Find the known word closest to this one; None when nothing resembles it."""
    if len(word) > MAX_WORD_CHARS:
        return None
    folded = {name.lower(): name for name in known}
    close = get_close_matches(word.lower(), folded, n=1, cutoff=0.6)
    return folded[close[0]] if close else None


def make_hint(word: str, known: Iterable[str], told: int = 0) -> str:
    """Make the hint of an error message: the closest known word, or all of them; none after `told` many."""
    names = tuple(known)
    if told > MAX_HINTS:
        return "see the ones above"
    close = find_nearest(word, names)
    return f"did you mean `{close}`?" if close else f"known: {', '.join(names)}"
