"""Words of a request or a description, reduced so that `invoices` and `invoicing` are the same word."""

import re
from functools import lru_cache

from synaptic.shell.names import split_names

WORD = re.compile(r"[^\W_]+")
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
PHRASAL = re.compile(r"\b(roll|sign|log|set|clean|back|scale)(?:e?d|s|ing|ned|ning)?[ -](out|back|up|in|on|down)\b")
"""Verbs of two words, of which the second is common alone: `roll it out` stays, `roll out` is `rollout`."""
MAX_TERMS_TEXT = 4000
"""Characters of a text that are looked at."""
ENDINGS = {
    **dict.fromkeys(("ations", "ation"), "at"),
    **dict.fromkeys(
        ("ements", "ement", "ments", "ment", "ingly", "iness", "ities", "ings", "ing", "ity", "ions", "ion", "edly",
         "ers", "ors", "ies", "ied", "er", "or", "ed", "es", "ly", "al", "s", "e", "y"), ""),
}  # fmt: skip
"""Longest first, each with what takes its place; what is left must still be a word."""
MIN_STEM = 3
STOP_WORDS = split_names("""
a about above after again all also am an and another any anybody anyone anything are around as ask at away back be
because been before being below best better between both but by came can cannot come could did do does doing done dont
down each else every everybody everyone everything few for from get gets getting give go goes going gonna got gotta had
happen happened happens has have having he hello help her here hey hi him his how i if im in into is isnt it its ive
just keep kind know last later let lets like little ll look looking looks lot made make makes many maybe me mean might
mine more most much must my need needs never new next nice no nobody none not nothing now of off ok okay on once one
ones only onto or other others our ours out over own per please possible pretty put quick quickly quite rather re really
right said same say says see seem seems seen she should since so some somebody someone something sometimes soon still
stuff such sure take tell than thank thanks that thats the their them then there these they thing things think this
those through time to today together told tomorrow too took tried try trying under until up upon us use used using very
via want wanted wants was way we well went were what whatever whats when where whether which while who whole whom whose
why will with within without wont work working works would wouldnt yeah yes yesterday yet you your yours
""")


def extract_terms(text: str) -> tuple[str, ...]:
    """The stems of a text's words in their order, each once, without words that say nothing."""
    return tuple(map_stems(text))


def map_stems(text: str) -> dict[str, str]:
    """The stems of a text's words, each with the word that it came from."""
    found: dict[str, str] = {}
    plain = CAMEL.sub(" ", text[:MAX_TERMS_TEXT].replace("'", "")).lower()
    for word in WORD.findall(PHRASAL.sub(r"\1\2", plain)):
        if word not in STOP_WORDS and len(word) > 1:
            found.setdefault(stem_word(word), word)
    return found


@lru_cache(maxsize=8192)
def stem_word(word: str) -> str:
    """What a word has in common with its other forms. Rough: it must only be the same for both sides."""
    # `access` is no plural.
    if word.endswith("ss"):
        return word
    for ending, instead in ENDINGS.items():
        rest = word[: -len(ending)]
        if word.endswith(ending) and len(rest) >= MIN_STEM and _is_word(rest):
            return stem_word(rest) if ending == "s" else _undouble(rest) + instead
    return word


def _is_word(text: str) -> bool:
    return any(letter in "aeiouy" for letter in text)


def _undouble(text: str) -> str:
    """`plann` of `planning` is `plan`; and an `e` or `i` that stayed goes as well."""
    if len(text) > MIN_STEM and text[-1] == text[-2] and text[-1] not in "lsz":
        return text[:-1]
    return text[:-1] if len(text) > MIN_STEM and text[-1] in "eiy" else text
