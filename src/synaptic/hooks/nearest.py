"""Find the known word that a misspelt one probably means."""

from collections.abc import Iterable
from difflib import get_close_matches


def find_nearest(word: str, known: Iterable[str]) -> str | None:
    """Find the known word closest to this one; None when nothing resembles it."""
    folded = {name.lower(): name for name in known}
    close = get_close_matches(word.lower(), folded, n=1, cutoff=0.6)
    return folded[close[0]] if close else None


def make_hint(word: str, known: Iterable[str]) -> str:
    """Make the hint of an error message: the closest known word, or all of them."""
    names = tuple(known)
    close = find_nearest(word, names)
    return f"did you mean `{close}`?" if close else f"known: {', '.join(names)}"
