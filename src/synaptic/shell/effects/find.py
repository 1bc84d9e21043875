"""What a `find` (or `fd`) command line selects before it deletes or runs something."""

import re
from collections.abc import Sequence

import msgspec

from synaptic.shell.book.entries import find_program
from synaptic.shell.names import names
from synaptic.shell.places import matches_everything
from synaptic.shell.read.script import Word

OPTION = re.compile(r"-[HLPEXdsx]+|-O\d?")
ACTS = frozenset({"-delete", "-exec", "-execdir", "-ok", "-okdir"})
OR = frozenset({"-o", "-or", ","})
NOT = frozenset({"!", "-not"})
BY_NAME = names("-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname")
BY_STATE = re.compile(r"-(?:[acm](?:time|min)|newer\w*|anewer|cnewer|size|empty|samefile|inum|links|nouser|nogroup)")
FD_EVERYTHING = names(". .* ^ $ ^.*$ ** ./ **/*") | {""}


class Finding(msgspec.Struct, frozen=True):
    """Where it starts and whether what it acts on is picked out by name, age or size."""

    roots: tuple[Word, ...]
    narrowed: bool
    deletes: bool
    aged: bool = False
    """By nothing but its age, size or owner, which says nothing about what it is."""


def finding(argv: Sequence[Word]) -> Finding:
    """Understand the words of a `find`, its name included."""
    words = list(argv[1:])
    while words and OPTION.fullmatch(words[0].text):
        words.pop(0)
    ends = (place for place, word in enumerate(words) if word.text[:1] in ("-", "(", ")", "!"))
    start = next(ends, len(words))
    texts = [word.text for word in words[start:]]
    narrowed = _narrowed(texts)
    aged = narrowed and not any(text in BY_NAME or text == "-empty" for text in texts)
    return Finding(tuple(words[:start]) or (Word("."),), narrowed, "-delete" in texts, aged)


def fd_finding(argv: Sequence[Word]) -> Finding:
    """The same for `fd`, whose first operand is the pattern and whose others are where it starts."""
    given = find_program("fd").read(argv[1:])
    base = given.values("base-directory")[-1:]
    roots = (*given.words[1:], *given.values("search-path"))
    below = tuple(_within(base[0], root) for root in roots) if base else roots
    pattern = given.words[0].text if given.words else ""
    chosen = given.has_role("narrow") or not (pattern in FD_EVERYTHING or matches_everything(pattern))
    return Finding(below or base or (Word("."),), chosen, deletes=False)


def _within(base: Word, root: Word) -> Word:
    if root.text[:1] in ("/", "~"):
        return root
    return Word(f"{base.text.rstrip('/')}/{root.text}", base.known and root.known)


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
