"""The names that a search looks for, and what is picked from its results."""

from collections.abc import Sequence

import msgspec

from synaptic.shell.book.entries import find_program
from synaptic.shell.effects.find import ACTS as RUNS
from synaptic.shell.effects.find import BY_NAME, FD_EVERYTHING, NOT, OR
from synaptic.shell.names import names
from synaptic.shell.read.script import Command

ACTS = RUNS | names("-print -print0 -printf -fprint -fprint0 -fprintf -ls -fls")


class _Level(msgspec.Struct):
    """The names of one pair of parentheses: those of its other alternatives, and those that hold at this point."""

    negated: bool = False
    others: list[str] = msgspec.field(default_factory=list)
    now: list[str] = msgspec.field(default_factory=list)


def find_names(texts: Sequence[str]) -> tuple[str, ...]:
    """What `find` looks for when it acts: not what stands behind a `not`, nor what another alternative asks for."""
    levels = [_Level()]
    chosen: dict[str, None] = {}
    acts = False
    for place, text in enumerate(texts):
        level = levels[-1]
        negated = place > 0 and texts[place - 1] in NOT
        if text == "(":
            levels.append(_Level(negated))
        elif text == ")" and len(levels) > 1:
            levels.pop()
            levels[-1].now += [] if level.negated else level.others + level.now
        elif text in OR:
            level.others += level.now
            level.now = []
        elif text in BY_NAME and not negated:
            level.now += [_pattern(text, following) for following in texts[place + 1 : place + 2]]
        elif text in ACTS:
            acts = True
            chosen.update(_taken(levels))
    return tuple(chosen if acts else levels[0].others + levels[0].now)


def _taken(levels: list[_Level]) -> dict[str, None]:
    """The names that hold now; taken out, so that the next act does not go through them again."""
    taken = dict.fromkeys(name for level in levels for name in level.now)
    for level in levels:
        level.now = []
    return taken


def _pattern(test: str, text: str) -> str:
    plain = unescaped(text) if "regex" in test else text
    return plain.lower() if test.startswith("-i") else plain


def unescaped(text: str) -> str:
    """A regular expression as a pattern for names, as far as it is that simple."""
    return text.replace("\\", "").replace(".*", "*").strip("^$()")


def fd_names(command: Command) -> tuple[str, ...]:
    """What `fd` looks for."""
    given = find_program("fd").read(command.argv[1:])
    return tuple(unescaped(word.text) for word in given.words[:1])


def grep_names(command: Command) -> tuple[str, ...]:
    """What `grep` looks for, when it keeps the lines that it finds."""
    program = find_program(command.name)
    if not program.picks:
        return ()
    given = program.read(command.argv[1:])
    if given.has("invert-match"):
        return ()
    words = given.of_role("pattern") or given.operands[:1]
    return tuple(unescaped(word.text) for word in words)


def picks(command: Command) -> bool:
    """Whether it passes on only the lines that hold something."""
    return not FD_EVERYTHING.issuperset(grep_names(command))


def chooses(command: Command) -> bool:
    """Whether it passes on only some of the lines it reads."""
    return find_program(command.name).chooses or picks(command)
