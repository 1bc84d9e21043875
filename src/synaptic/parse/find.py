"""What a `find` (or `fd`) command line selects before it deletes or runs something."""

import re
from collections.abc import Sequence

import msgspec

from synaptic.parse.names import names
from synaptic.parse.places import matches_everything
from synaptic.parse.shell.script import Word

OPTION = re.compile(r"-[HLPEXdsx]+|-O\d?")
ACTS = frozenset({"-delete", "-exec", "-execdir", "-ok", "-okdir"})
OR = frozenset({"-o", "-or", ","})
NOT = frozenset({"!", "-not"})
BY_NAME = names("-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname")
BY_STATE = re.compile(r"-(?:[acm](?:time|min)|newer\w*|anewer|cnewer|size|empty|samefile|inum|links|nouser|nogroup)")


class Finding(msgspec.Struct, frozen=True):
    """Where it starts and whether what it acts on is picked out by name, age or size."""

    roots: tuple[Word, ...]
    narrowed: bool
    deletes: bool


def finding(argv: Sequence[Word]) -> Finding:
    """Understand the words of a `find`, its name included."""
    words = list(argv[1:])
    while words and OPTION.fullmatch(words[0].text):
        words.pop(0)
    ends = (place for place, word in enumerate(words) if word.text[:1] in ("-", "(", ")", "!"))
    start = next(ends, len(words))
    texts = [word.text for word in words[start:]]
    return Finding(tuple(words[:start]) or (Word("."),), _narrowed(texts), "-delete" in texts)


def fd_finding(argv: Sequence[Word]) -> Finding:
    """The same for `fd`, whose first operand is the pattern."""
    texts = [word.text for word in argv[1:]]
    ends = (place for place, text in enumerate(texts) if text in ("-x", "-X", "--exec", "--exec-batch"))
    front = texts[: next(ends, len(texts))]
    chosen = any(text in ("-e", "--extension", "-g", "--glob") for text in front)
    plain = [text for text in front if text[:1] != "-" and text not in (".", "f", "d")]
    return Finding((Word("."),), chosen or bool(plain), deletes=False)


def _narrowed(texts: list[str]) -> bool:
    """Whether a test picks something out before the first act; what stands before an `or` does not hold behind it."""
    narrowed = False
    for place, text in enumerate(texts):
        if text in ACTS:
            return narrowed
        if text in OR:
            narrowed = False
        if place and texts[place - 1] in NOT:
            continue
        if BY_STATE.fullmatch(text):
            narrowed = True
        if text in BY_NAME and place + 1 < len(texts):
            narrowed = narrowed or not matches_everything(texts[place + 1])
    return narrowed
