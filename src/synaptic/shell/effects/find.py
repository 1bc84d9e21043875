"""What `find`, `fd` and `grep` look for: where a search starts, what it picks out, and which names it asks for."""

import re
from collections.abc import Sequence

import msgspec

from synaptic.shell.book.entries import find_program
from synaptic.shell.names import split_names
from synaptic.shell.places import matches_everything
from synaptic.shell.read.script import Command, Word

LEADING_OPTION = re.compile(r"-[HLPEXdsx]+|-O\d?|-D")
"""What may stand before the roots, in GNU's and in BSD's `find`."""
DEBUG_OPTION = "-D"
"""The one of them that takes the next word."""
FIND_ACTIONS = frozenset({"-delete", "-exec", "-execdir", "-ok", "-okdir"})
FIND_COMMANDS = FIND_ACTIONS - {"-delete"}
"""Actions that are given a command, up to `;` or `+`."""
FIND_PRINTS = split_names("-print -print0 -printf -fprint -fprint0 -fprintf -ls -fls")
OR_SIGNS = frozenset({"-o", "-or", ","})
NOT_SIGNS = frozenset({"!", "-not"})
NAME_TESTS = split_names("-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname")
STATE_TEST = re.compile(r"-(?:[acm](?:time|min)|newer\w*|anewer|cnewer|size|empty|samefile|inum|links|nouser|nogroup)")
MATCH_ALL_PATTERNS = split_names(". .* ^ $ ^.*$ ** ./ **/*") | {""}


class FindSearch(msgspec.Struct, frozen=True):
    """Where it starts and whether what it acts on is picked out by name, age or size."""

    roots: tuple[Word, ...]
    narrowed: bool
    deletes: bool
    aged: bool = False
    """By nothing but its age, size or owner, which says nothing about what it is."""


def split_find(words: Sequence[Word]) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    """Where a `find` starts, and the tests and actions behind that."""
    start = 0
    while start < len(words) and LEADING_OPTION.fullmatch(words[start].text):
        start += 2 if words[start].text == DEBUG_OPTION else 1
    end = start
    while end < len(words) and words[end].text[:1] not in ("-", "(", ")", "!"):
        end += 1
    return tuple(words[start:end]) or (Word("."),), tuple(words[end:])


def read_find(argv: Sequence[Word]) -> FindSearch:
    """Understand the words of a `find`, its name included."""
    roots, tests = split_find(argv[1:])
    texts = _leave_out_commands([word.text for word in tests])
    narrowed = _is_narrowed(texts)
    # `-mtime +7` matches most of a home folder; what is picked out by age alone is not picked out.
    aged = narrowed and not any(text in NAME_TESTS or text == "-empty" for text in texts)
    return FindSearch(roots, narrowed, "-delete" in texts, aged)


def _leave_out_commands(texts: list[str]) -> list[str]:
    """The tests and actions without the words of `-exec`: `-exec echo -delete ;` deletes nothing."""
    kept: list[str] = []
    inside = False
    for place, text in enumerate(texts):
        if not inside:
            kept.append(text)
            inside = text in FIND_COMMANDS
        elif text == ";" or (text == "+" and texts[place - 1] == "{}"):
            inside = False
    return kept


def read_fd(argv: Sequence[Word]) -> FindSearch:
    """The same for `fd`, whose first operand is the pattern and whose others are where it starts."""
    given = find_program("fd").read(argv[1:])
    base = given.get_values("base-directory")[-1:]
    roots = (*given.words[1:], *given.get_values("search-path"))
    below = tuple(_join_base(base[0], root) for root in roots) if base else roots
    pattern = given.words[0].text if given.words else ""
    chosen = given.has_role("narrow") or not (pattern in MATCH_ALL_PATTERNS or matches_everything(pattern))
    return FindSearch(below or base or (Word("."),), chosen, deletes=False)


def _join_base(base: Word, root: Word) -> Word:
    if root.text[:1] in ("/", "~"):
        return root
    return Word(f"{base.text.rstrip('/')}/{root.text}", base.known and root.known)


def _is_narrowed(texts: list[str]) -> bool:
    """Whether a test picks something out before the first act; what stands before an `or` does not hold behind it."""
    narrowed = False
    for place, text in enumerate(texts):
        if text in FIND_ACTIONS:
            return narrowed
        # `-name x -o -delete` deletes everything else.
        if text in OR_SIGNS:
            narrowed = False
        if place and texts[place - 1] in NOT_SIGNS:
            continue
        if STATE_TEST.fullmatch(text):
            narrowed = True
        if text in NAME_TESTS and place + 1 < len(texts):
            narrowed = narrowed or not matches_everything(texts[place + 1])
    return narrowed


class _TestLevel(msgspec.Struct):
    """The names of one pair of parentheses: those of its other alternatives, and those that hold at this point."""

    negated: bool = False
    others: list[str] = msgspec.field(default_factory=list)
    now: list[str] = msgspec.field(default_factory=list)


def read_find_names(texts: Sequence[str]) -> tuple[str, ...]:
    """What `find` looks for when it acts: not what stands behind a `not`, nor what another alternative asks for."""
    levels = [_TestLevel()]
    chosen: dict[str, None] = {}
    acts = False
    for place, text in enumerate(texts):
        level = levels[-1]
        negated = place > 0 and texts[place - 1] in NOT_SIGNS
        if text == "(":
            levels.append(_TestLevel(negated))
        elif text == ")" and len(levels) > 1:
            levels.pop()
            levels[-1].now += [] if level.negated else level.others + level.now
        elif text in OR_SIGNS:
            level.others += level.now
            level.now = []
        elif text in NAME_TESTS and not negated:
            level.now += [_to_name_pattern(text, following) for following in texts[place + 1 : place + 2]]
        elif text in FIND_ACTIONS or text in FIND_PRINTS:
            acts = True
            # Names are moved out and not copied: a script with thousands of tests and actions would cost their product.
            chosen.update(_take_names(levels))
    return tuple(chosen if acts else levels[0].others + levels[0].now)


def _take_names(levels: list[_TestLevel]) -> dict[str, None]:
    """The names that hold now; taken out, so that the next act does not go through them again."""
    taken = dict.fromkeys(name for level in levels for name in level.now)
    for level in levels:
        level.now = []
    return taken


def _to_name_pattern(test: str, text: str) -> str:
    plain = regex_to_glob(text) if "regex" in test else text
    return plain.lower() if test.startswith("-i") else plain


def regex_to_glob(text: str) -> str:
    """A regular expression as a pattern for names, as far as it is that simple."""
    return text.replace("\\", "").replace(".*", "*").strip("^$()")


def read_fd_names(command: Command) -> tuple[str, ...]:
    """What `fd` looks for."""
    given = find_program("fd").read(command.argv[1:])
    return tuple(regex_to_glob(word.text) for word in given.words[:1])


def read_grep_names(command: Command) -> tuple[str, ...]:
    """What `grep` looks for, when it keeps the lines that it finds."""
    program = find_program(command.name)
    if not program.picks:
        return ()
    given = program.read(command.argv[1:])
    if given.has("invert-match"):
        return ()
    words = given.get_by_role("pattern") or given.operands[:1]
    return tuple(regex_to_glob(word.text) for word in words)


def picks_lines(command: Command) -> bool:
    """Whether it passes on only the lines that hold something."""
    return not MATCH_ALL_PATTERNS.issuperset(read_grep_names(command))


def passes_some_lines(command: Command) -> bool:
    """Whether it passes on only some of the lines it reads."""
    return find_program(command.name).chooses or picks_lines(command)
