"""Brace expansion: `{a,b}` and `{1..3}`, over the parts of a word."""

import re
from itertools import pairwise, product

from synaptic.shell.read.limits import MAX_BRACED, MAX_BRACES
from synaptic.shell.read.syntax import LiteralText, Part

RANGE = re.compile(r"(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?")
Atom = str | Part
"""One character outside quotes, or a part that is kept whole."""


def expand_braces(parts: list[Part]) -> list[list[Part]] | None:
    """The words that a word with braces stands for; itself when it holds none; None when they are too many to try."""
    if not any(isinstance(part, LiteralText) and not part.quoted and "{" in part.text for part in parts):
        return [parts]
    if sum(len(part.text) for part in parts if isinstance(part, LiteralText) and not part.quoted) > MAX_BRACED:
        return None
    atoms: list[Atom] = []
    for part in parts:
        atoms.extend(part.text if isinstance(part, LiteralText) and not part.quoted else [part])
    # Each brace multiplies the words; counting them first is cheaper than expanding.
    if atoms.count("{") > MAX_BRACES:
        return None
    return [_join_atoms(word) for word in _expand_atoms(atoms, 0)]


def _expand_atoms(atoms: list[Atom], depth: int) -> list[list[Atom]]:
    """Expand the first complete brace and everything behind it."""
    for start, atom in enumerate(atoms):
        if atom != "{" or depth > 8:
            continue
        close, commas = _find_closing(atoms, start)
        if close is None:
            continue
        choices = _list_choices(atoms, start, close, commas, depth)
        if choices is None:
            continue
        tails = _expand_atoms(atoms[close + 1 :], depth)
        return [atoms[:start] + head + tail for head, tail in _pair_limited(choices, tails)]
    return [atoms]


def _pair_limited(heads: list[list[Atom]], tails: list[list[Atom]]) -> list[tuple[list[Atom], list[Atom]]]:
    return [pair for _, pair in zip(range(MAX_BRACES + 1), product(heads, tails), strict=False)]


def _find_closing(atoms: list[Atom], start: int) -> tuple[int | None, list[int]]:
    depth = 0
    commas: list[int] = []
    for place in range(start, len(atoms)):
        atom = atoms[place]
        if atom == "{":
            depth += 1
        elif atom == "}":
            depth -= 1
            if depth == 0:
                return place, commas
        elif atom == "," and depth == 1:
            commas.append(place)
    return None, commas


def _list_choices(atoms: list[Atom], start: int, close: int, commas: list[int], depth: int) -> list[list[Atom]] | None:
    if not commas:
        return _expand_range(atoms[start + 1 : close])
    edges = [start, *commas, close]
    found: list[list[Atom]] = []
    for left, right in pairwise(edges):
        found.extend(_expand_atoms(atoms[left + 1 : right], depth + 1))
    return found[: MAX_BRACES + 1]


def _expand_range(atoms: list[Atom]) -> list[list[Atom]] | None:
    if not all(isinstance(atom, str) for atom in atoms):
        return None
    found = RANGE.fullmatch("".join(atom for atom in atoms if isinstance(atom, str)))
    if found is None or found[1].isalpha() != found[2].isalpha():
        return None
    first, last = (ord(end) if end.isalpha() else int(end) for end in (found[1], found[2]))
    step = abs(int(found[3] or 1)) or 1
    numbers = range(first, last + (1 if first <= last else -1), step if first <= last else -step)[: MAX_BRACES + 1]
    return [list(chr(number) if found[1].isalpha() else str(number)) for number in numbers]


def _join_atoms(atoms: list[Atom]) -> list[Part]:
    try:
        return [LiteralText("".join(atoms))] if atoms else []  # type: ignore[arg-type]  # most are characters only
    except TypeError:
        return _join_runs(atoms)


def _join_runs(atoms: list[Atom]) -> list[Part]:
    parts: list[Part] = []
    for atom in atoms:
        if not isinstance(atom, str):
            parts.append(atom)
        elif parts and isinstance(parts[-1], LiteralText) and not parts[-1].quoted:
            parts[-1] = LiteralText(parts[-1].text + atom)
        else:
            parts.append(LiteralText(atom))
    return parts
