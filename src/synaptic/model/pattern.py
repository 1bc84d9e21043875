"""Regular expressions that somebody else wrote, compared in linear time; what needs backtracking is refused.

The pattern becomes a graph of single letters. All ways through it are followed at once, so that no text makes one
pattern take more than its length times the text's. Only whether it matches is known, not what a group has caught.
"""

import re
from collections.abc import Callable, Iterable
from re import _compiler, _parser  # type: ignore[attr-defined]  # the standard library's own parser: no second grammar
from re import _constants as ops  # type: ignore[attr-defined]
from typing import Any

MAX_PATTERN_CHARS = 500
MAX_NODES = 400
MAX_TEXT_CHARS = 4096
"""Characters of a text that are looked at; a longer one matches nothing as a whole."""
MAX_KNOWN_STEPS = 2048
SUPPORTED_FLAGS = re.UNICODE | re.IGNORECASE | re.DOTALL
LETTER_OPS = frozenset({ops.LITERAL, ops.NOT_LITERAL, ops.ANY, ops.IN})
PLACE_TESTS: dict[Any, Callable[[str, int], bool]] = {
    ops.AT_BEGINNING: lambda text, at: at == 0,
    ops.AT_BEGINNING_STRING: lambda text, at: at == 0,
    ops.AT_END: lambda text, at: at == len(text) or (at == len(text) - 1 and text[at] == "\n"),
    ops.AT_END_STRING: lambda text, at: at == len(text),
    ops.AT_BOUNDARY: lambda text, at: _is_boundary(text, at),
    ops.AT_NON_BOUNDARY: lambda text, at: not _is_boundary(text, at),
}

States = frozenset[int]


class SlowPattern(ValueError):
    """A valid pattern that nobody can compare in linear time, or one that is too large."""


class LinearPattern:
    """One pattern. Raises re.error for a text that is none, SlowPattern for one that needs backtracking."""

    def __init__(self, text: str, flags: int = 0) -> None:
        if len(text) > MAX_PATTERN_CHARS:
            raise SlowPattern(f"is longer than {MAX_PATTERN_CHARS} characters")
        try:
            parsed = _parser.parse(text, flags)
        except (RecursionError, OverflowError) as error:
            raise SlowPattern("is nested too deep") from error
        self._flags = parsed.state.flags
        if self._flags & ~SUPPORTED_FLAGS:
            raise SlowPattern("has flags that are not supported here")
        self._letters: list[list[tuple[Callable[[str], object], int]]] = []
        self._free: list[list[tuple[Any, int]]] = []
        self._steps: dict[tuple[States, tuple[bool, ...], str], tuple[bool, States]] = {}
        self._places: list[Any] = []
        self._start = self._add_node()
        self._end = self._add_sequence(parsed, self._start)
        self._required = _find_required(parsed)

    def fullmatch(self, text: str) -> bool:
        """Whether the whole text matches."""
        return len(text) <= MAX_TEXT_CHARS and self._follow(text, anywhere=False)

    def search(self, text: str) -> bool:
        """Whether a part of the text matches."""
        return self.search_all(text[:MAX_TEXT_CHARS])

    def may_match(self, text: str) -> bool:
        """Whether a text holds what every match holds: a question that costs next to nothing."""
        if not self._flags & re.IGNORECASE:
            return self._required in text
        # Beyond ASCII there are letters that a pattern without case takes for plain ones, on either side.
        return not (text.isascii() and self._required.isascii()) or self._required.lower() in text.lower()

    def search_all(self, text: str) -> bool:
        """Whether a part of a text of any length matches."""
        return self.may_match(text) and self._follow(text, anywhere=True)

    def _follow(self, text: str, *, anywhere: bool) -> bool:
        first = frozenset({self._start})
        states, ended = first, False
        for at in range(len(text) + 1):
            places = tuple(PLACE_TESTS[place](text, at) for place in self._places)
            ended, states = self._step(states, places, text[at : at + 1])
            if anywhere:
                if ended:
                    return True
                states |= first
            if not states:
                break
        return ended and at == len(text)

    def _step(self, states: States, places: tuple[bool, ...], letter: str) -> tuple[bool, States]:
        """Whether the pattern may end here, and where each way through it is after the letter."""
        key = (states, places, letter)
        known = self._steps.get(key)
        if known is None:
            here = self._reach(states, dict(zip(self._places, places, strict=True)))
            after = (target for state in here for test, target in self._letters[state] if letter and test(letter))
            known = (self._end in here, frozenset(after))
            if len(self._steps) >= MAX_KNOWN_STEPS:
                self._steps.clear()
            self._steps[key] = known
        return known

    def _reach(self, states: States, places: dict[Any, bool]) -> set[int]:
        found, waiting = set(states), list(states)
        while waiting:
            for place, target in self._free[waiting.pop()]:
                if target not in found and (place is None or places[place]):
                    found.add(target)
                    waiting.append(target)
        return found

    def _add_node(self) -> int:
        if len(self._free) >= MAX_NODES:
            raise SlowPattern("is too large")
        self._letters.append([])
        self._free.append([])
        return len(self._free) - 1

    def _add_sequence(self, items: Iterable[tuple[Any, Any]], start: int) -> int:
        """The end of the way through these items."""
        for op, value in items:
            start = self._add_item(op, value, start)
        return start

    def _add_item(self, op: Any, value: Any, start: int) -> int:
        if op in LETTER_OPS:
            end = self._add_node()
            self._letters[start].append((self._make_test(op, value), end))
            return end
        if op is ops.AT and value in PLACE_TESTS:
            end = self._add_node()
            self._free[start].append((value, end))
            if value not in self._places:
                self._places.append(value)
            return end
        if op is ops.SUBPATTERN and not value[1] and not value[2]:
            return self._add_sequence(value[3], start)
        if op is ops.BRANCH:
            return self._join([self._add_sequence(branch, self._fork(start)) for branch in value[1]])
        if op in (ops.MAX_REPEAT, ops.MIN_REPEAT):
            return self._add_repeat(value, start)
        raise SlowPattern("looks around, or refers to what a group has caught")

    def _add_repeat(self, value: tuple[Any, Any, Any], start: int) -> int:
        least, most, items = value
        for _ in range(least):
            start = self._add_sequence(items, start)
        if most is ops.MAXREPEAT:
            again = self._fork(start)
            self._free[self._add_sequence(items, again)].append((None, again))
            return again
        ends = [start]
        for _ in range(most - least):
            ends.append(self._add_sequence(items, ends[-1]))
        return self._join(ends)

    def _fork(self, start: int) -> int:
        end = self._add_node()
        self._free[start].append((None, end))
        return end

    def _join(self, ends: list[int]) -> int:
        joined = self._add_node()
        for end in ends:
            self._free[end].append((None, joined))
        return joined

    def _make_test(self, op: Any, value: Any) -> Callable[[str], object]:
        if op is ops.LITERAL and not self._flags & re.IGNORECASE:
            return chr(value).__eq__
        state = _parser.State()
        state.flags, state.str = self._flags, ""
        test: Callable[[str], object] = _compiler.compile(_parser.SubPattern(state, [(op, value)]), self._flags).match
        return test


def _find_required(items: Iterable[tuple[Any, Any]]) -> str:
    """The longest plain text that every match holds."""
    runs = [""]
    for op, value in items:
        if op is ops.LITERAL:
            runs[-1] += chr(value)
        elif op is not ops.AT:
            runs.append("")
    return max(runs, key=len)


def _is_boundary(text: str, at: int) -> bool:
    before = at > 0 and (text[at - 1].isalnum() or text[at - 1] == "_")
    after = at < len(text) and (text[at].isalnum() or text[at] == "_")
    return before is not after
