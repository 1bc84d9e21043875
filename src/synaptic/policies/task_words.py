"""What a task is about, by its words, and whether a prompt goes on with the task before it."""

import re
from collections.abc import Sequence

MAX_SEARCHED = 20_000
"""Characters of a prompt that are searched for words."""
WORD = re.compile(r"[^\W\d_]\w{2,}")
STOP_TEXT = """
    the and for with this that from into then than are was were has have had not but you your our all any can will
    should would could please when where what which there here its also just now make made does them these those it's
    let's one two same other another more some new only very too again
    fix add use run try put get set remove delete update change edit create write rename move implement build refactor
    modify replace generate rewrite need needs want like let give take show tell keep
"""
STOP_WORDS = frozenset(STOP_TEXT.split())
"""Words that say nothing about a task's subject; among them what is done to it."""
HOUSEKEEPING_TEXT = """
    test tests suite commit push changelog readme docs documentation typo typos lint linter format formatter formatting
    build branch pull request version comment comments spelling whitespace imports types green pass passes passing
"""
HOUSEKEEPING = frozenset(HOUSEKEEPING_TEXT.split())
"""What belongs to every task."""
MAX_KEYWORDS = 5
MAX_KNOWN = 12
"""Keywords of a task that are kept, over all of its prompts."""
# Words of one language are others in the next: `i` is Polish for "and", and English prompts begin with it; `en` is
# Dutch for it, and Spanish for "in". Behind a full stop without a blank a name goes on: `Next.js`.
GOES_ON = re.compile(
    r"(?:(?:ok(?:ay)?|yes|yeah|great|thanks|thank you|good|perfect|cool|nice|fine|oh|right)\b[\s,.!:;–-]*)*"
    r"(?:also|and|plus|additionally|then|next|finally|lastly|after that|afterwards|likewise|same|while you"
    r"|one more thing|by the way|btw|go ahead|go on|go(?=[\s.!]*$)|do (?:it|that|this|so)|ship it|continue|proceed"
    r"|keep (?:going|on)|try again|retry|undo|redo|revert|finish|now (?:do|also|the same|fix it|implement it)"
    r"|und|auch|außerdem|dann|noch|weiter|mach (?:das|weiter|es)|et|aussi|puis|ensuite|y|también|además|luego|e|anche"
    r"|poi|inoltre|também|depois|en(?! (?:la|el|los|las|le|les)\b)|ook|dan|i (?:też|także|jeszcze|potem)|też|och|även"
    r"|и|также|ещё|еще|потом)(?![\w'’]|\.\w)"
    r"|(?:还|也|再|然后|顺便|另外|あと|また|それと|ついでに|그리고|또)"
)
ENDS_AS_MORE = re.compile(
    r"\b(?:too|as well|also|again|instead|auch|ebenfalls|aussi|también|anche|também|ook|también|также)[.!]*$"
)
POINTS_BACK = re.compile(r"\b(?:it|this|that|them|these|those|same|above|das|dies|ça|cela|esto|eso|questo|это)\b")
MAX_POINTING = 3
"""Keywords up to which a prompt that says `it` or `that` speaks of what was spoken of before."""


def find_keywords(prompt: str) -> tuple[str, ...]:
    """The longest words that say what a task is about."""
    words = {word for word in WORD.findall(prompt[:MAX_SEARCHED].lower()) if word not in STOP_WORDS}
    return tuple(sorted(sorted(words), key=len, reverse=True)[:MAX_KEYWORDS])


def are_related(known: Sequence[str], words: Sequence[str]) -> bool:
    """Whether two tasks share half of their words; a task without words is related to every other."""
    return not known or not words or 2 * len(set(known) & set(words)) >= min(len(known), len(words))


def continues_task(prompt: str, known: Sequence[str]) -> bool:
    """Whether a prompt goes on with a task of these words, rather than starting another one."""
    text = prompt[:MAX_SEARCHED].strip().lower()
    words = find_keywords(text)
    if are_related(known, words) or HOUSEKEEPING.issuperset(words):
        return True
    if GOES_ON.match(text) or ENDS_AS_MORE.search(text):
        return True
    return len(words) <= MAX_POINTING and POINTS_BACK.search(text) is not None


def add_keywords(known: Sequence[str], words: Sequence[str]) -> list[str]:
    """The words of a task after one more prompt of it."""
    return list(dict.fromkeys((*known, *words)))[-MAX_KNOWN:]
