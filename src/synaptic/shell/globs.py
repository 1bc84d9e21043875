"""Patterns for names, as `fnmatch` reads them. No regular expression is made of them: a script may hold thousands."""

import re
from collections.abc import Sequence

GLOB_SIGN = re.compile(r"[*?\[]")
GLOB_CLASS = re.compile(r"\[!?+\]?+[^\]]*+\]")
NAMED_CLASS = re.compile(r"\[[!^]?[^\[\]]*\[:\w+:\][^\]]*\]")
HIDDEN_GLOB = re.compile(r"\.(?<![^/\n=]\.)[^/\n]*?[*?\[]")
"""A pattern for names that begin with a dot, in any of several lines. The dot stands first: it is found fast."""
GLOB_TOKEN = re.compile(rf"{GLOB_CLASS.pattern}|.", re.DOTALL)


def matches_glob(name: str, pattern: str) -> bool:
    """Whether a pattern matches the whole name, case and all: what `fnmatchcase` says."""
    sign = GLOB_SIGN.search(pattern)
    if sign is None:
        return name == pattern
    at = place = sign.start()
    if name[:at] != pattern[:at]:
        return False
    tokens: Sequence[str] = GLOB_TOKEN.findall(pattern) if "[" in pattern else pattern
    # Only the last star is ever retried, so hostile patterns such as `a*a*a*a*b` cost length times length and not more.
    size, star, mark = len(tokens), -1, 0
    while at < len(name):
        token = tokens[place] if place < size else ""
        if token == "*":
            star, mark, place = place, at, place + 1
        elif token in ("?", name[at]) or (len(token) > 1 and _class_holds(token, name[at])):
            at, place = at + 1, place + 1
        elif star < 0:
            return False
        else:  # the last star takes one letter more
            mark += 1
            at, place = mark, star + 1
    return all(token == "*" for token in tokens[place:])


def may_match_name(name: str, pattern: str) -> bool:
    """The same for a pattern of a shell, which has more classes of letters: those with a name may hold any."""
    if "[" in pattern:
        pattern = NAMED_CLASS.sub("?", pattern).replace("[^", "[!")
    return matches_glob(name, pattern)


def is_hidden_glob(part: str) -> bool:
    """Whether one part of a path is a pattern for hidden names: no other pattern matches them."""
    return part[:1] == "." and GLOB_SIGN.search(part) is not None


def _class_holds(token: str, letter: str) -> bool:
    """Whether a class such as `[!a-f_]` holds a letter."""
    negated = token[1] == "!"
    return _is_among(token[1 + negated : -1], letter) is not negated


def _is_among(letters: str, letter: str) -> bool:
    place = 0
    while place < len(letters):
        # A hyphen at the end of a class stands for itself.
        end = place + 2 if letters[place + 1 : place + 2] == "-" and place + 2 < len(letters) else place
        if letters[place] <= letter <= letters[end]:
            return True
        place = end + 1
    return False
