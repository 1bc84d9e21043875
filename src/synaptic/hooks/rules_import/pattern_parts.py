"""The texts that a simple pattern stands for: letters, blanks, gaps and edges, one sequence for each alternative."""

import re
import warnings
from collections.abc import Iterable
from itertools import product
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]  # the standard library's own parser: no second grammar
from typing import Any

MAX_ALTERNATIVES = 24
MAX_PATTERN_CHARS = 500
MAX_SET_LETTERS = 6

BLANK = "<blank>"
"""At least one blank."""
MAYBE_BLANK = "<maybe blank>"
GAP = "<gap>"
"""Any letters, or none."""
START = "<start>"
END = "<end>"
EDGE = "<edge>"
"""Where a word begins or ends."""
UNREAD = "<unread>"
"""What stands for more texts than can be listed."""

Parts = tuple[str, ...]
"""Single letters, and the signs above."""
UNREAD_ALONE: list[Parts] = [(UNREAD,)]
PLACES: dict[Any, str] = {
    ops.AT_BEGINNING: START,
    ops.AT_BEGINNING_STRING: START,
    ops.AT_END: END,
    ops.AT_END_STRING: END,
    ops.AT_BOUNDARY: EDGE,
}


def list_alternatives(pattern: str) -> list[Parts]:
    """Every text that the pattern stands for. Raises ValueError for a text that is no pattern, or too large."""
    if len(pattern) > MAX_PATTERN_CHARS:
        raise ValueError(f"it is longer than {MAX_PATTERN_CHARS} letters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Python thinks of the pattern's style is not the reader's concern
            parsed = _parser.parse(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"it is no regular expression: {error}") from None
    if parsed.state.flags & ~(re.UNICODE | re.IGNORECASE):
        raise ValueError("it has flags")
    return list(dict.fromkeys(_expand_sequence(parsed)))


def show_parts(parts: Parts) -> str:
    """An alternative as a reader would recognise it."""
    signs = {BLANK: " ", GAP: "…", UNREAD: "…"}
    return "".join(part if len(part) == 1 else signs.get(part, "") for part in parts).strip()


def _expand_sequence(items: Iterable[tuple[Any, Any]]) -> list[Parts]:
    found: list[Parts] = [()]
    for op, value in items:
        pieces = _expand_item(op, value)
        if len(found) * len(pieces) > MAX_ALTERNATIVES:
            return UNREAD_ALONE
        found = [first + second for first, second in product(found, pieces)]
    return found


def _expand_item(op: Any, value: Any) -> list[Parts]:
    if op is ops.LITERAL:
        return [(BLANK,)] if chr(value).isspace() else [(chr(value),)]
    if op is ops.AT:
        return [(PLACES.get(value, UNREAD),)]
    if op is ops.IN:
        return _expand_set(value)
    if op is ops.BRANCH:
        found = [parts for branch in value[1] for parts in _expand_sequence(branch)]
        return found if len(found) <= MAX_ALTERNATIVES else UNREAD_ALONE
    if op is ops.SUBPATTERN and not value[1] and not value[2]:
        return _expand_sequence(value[3])
    if op in (ops.MAX_REPEAT, ops.MIN_REPEAT):
        return _expand_repeat(*value)
    return UNREAD_ALONE


def _expand_set(members: list[tuple[Any, Any]]) -> list[Parts]:
    if all(_is_blank(op, value) for op, value in members):
        return [(BLANK,)]
    if len(members) <= MAX_SET_LETTERS and all(op is ops.LITERAL for op, _ in members):
        return [(chr(value),) for _, value in members]
    return UNREAD_ALONE


def _expand_repeat(least: int, most: Any, items: Any) -> list[Parts]:
    ((op, value), *more) = items
    if not more and (_is_blank(op, value) or (op is ops.IN and all(_is_blank(*one) for one in value))):
        return [(BLANK if least else MAYBE_BLANK,)]
    if not more and most is ops.MAXREPEAT and (op is ops.ANY or _is_negated(op, value)):
        return [(GAP,)]
    if (least, most) == (0, 1):
        return [*_expand_sequence(items), ()]
    return UNREAD_ALONE


def _is_blank(op: Any, value: Any) -> bool:
    return (op is ops.CATEGORY and value is ops.CATEGORY_SPACE) or (op is ops.LITERAL and chr(value).isspace())


def _is_negated(op: Any, value: Any) -> bool:
    """Whether a set is `[^...]` of signs between commands: anything but them."""
    return (
        op is ops.IN
        and value[0][0] is ops.NEGATE
        and all(one is ops.LITERAL and chr(letter) in ";&|\n\"'`" for one, letter in value[1:])
    )
