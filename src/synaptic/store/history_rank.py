"""Which of some events are the best ones: those of whose texts the words are most."""

from collections.abc import Sequence

SATURATION, LENGTH_WEIGHT = 1.2, 0.75
"""Of BM25: a word that comes again counts for less each time, and a long text has every word more easily.

How rare a word is does not count. All of these events have all of the words, and to count who else has them takes
as long as all else together: each event of a year that has the word would be read.
"""


def rank_texts(texts: Sequence[tuple[int, str]], words: Sequence[str]) -> list[int]:
    """The numbers of some texts, the best first; of equally good ones the higher number."""
    wanted = [" ".join(word.rstrip("*").casefold().split()) for word in words]
    average = sum(len(text) for _, text in texts) / max(len(texts), 1) or 1.0
    scores = {number: _weigh(text.casefold(), wanted, average) for number, text in texts}
    return sorted(scores, key=lambda number: (-scores[number], -number))


def _weigh(text: str, words: Sequence[str], average: float) -> float:
    length = SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * len(text) / average)
    # A word may be written with other accents or signs than it was asked for: the index says that it is there.
    counts = [max(text.count(word), 1) for word in words]
    return sum(count / (count + length) for count in counts)
