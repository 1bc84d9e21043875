"""What the operators in `${x...}` make of a value, in bash and in zsh."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from synaptic.shell.read import value as values
from synaptic.shell.read.arithmetic import compute_number, follow_formula
from synaptic.shell.read.quoting import decode_escapes
from synaptic.shell.read.writing import quote_word

if TYPE_CHECKING:
    from synaptic.shell.read.evaluate import Evaluation

SUBSTITUTE = re.compile(r"(g?)s(.)(.*?)\2(.*?)(?:\2|$)", re.DOTALL)
MODIFIERS: dict[str, Callable[[str], str]] = {
    "t": lambda text: text.rstrip("/").rpartition("/")[2],
    "h": lambda text: text.rstrip("/").rpartition("/")[0] or ("/" if text[:1] == "/" else "."),
    "r": lambda text: re.sub(r"\.[^./]*$", "", text),
    "e": lambda text: text.rpartition(".")[2] if "." in text else "",
    "l": str.lower,
    "u": str.upper,
    "q": quote_word,
    "Q": lambda text: re.sub(r"['\"\\]", "", text),
    **dict.fromkeys("aAPx", lambda text: text),
}
"""Letters behind a colon, as zsh has them: `${x:t}` is the last part of a path."""


def apply_operator(shell: "Evaluation", text: str, operator: str, operand: str) -> str | None:
    """The value behind an operator; None when it is not known."""
    if operator == "#" and not operand:
        return str(len(text))
    if operator[0] in "#%":
        return values.trim_value(text, operator, operand)
    if operator[0] == "/":
        return values.replace_in_value(text, operator, operand)
    if operator[0] in "^,~":
        return values.change_case(text, operator)
    if operator == "@":
        return _transform(shell, text, operand)
    return _slice(shell, text, operand) if operator == ":" else text


def _transform(shell: "Evaluation", text: str, letter: str) -> str | None:
    """`${x@U}` and its kin."""
    if letter == "P":
        word = shell.expand_text(text, "prompt")
        return word.text if word.known else None
    if letter in ("U", "L"):
        return text.upper() if letter == "U" else text.lower()
    if letter == "u":
        return text[:1].upper() + text[1:]
    if letter == "E":
        return decode_escapes(text)
    return quote_word(text) if letter in ("Q", "K", "k") else None


def read_range(shell: "Evaluation", operand: str) -> tuple[int, int | None] | None:
    """The numbers in `${x:start:length}`, which are formulas."""
    start, colon, length = operand.partition(":")
    for formula in (start, length):
        follow_formula(shell, formula)
    first = compute_number(shell, start) if start.strip() else 0
    count = compute_number(shell, length) if length.strip() else 0
    if first is None or count is None:
        return None
    return first, count if colon else None


def _slice(shell: "Evaluation", text: str, operand: str) -> str | None:
    wanted = read_range(shell, operand)
    if wanted is None:
        return modify_path(text, operand)
    start, length = wanted
    rest = text[start:] if start >= 0 else text[max(len(text) + start, 0) :]
    return rest if length is None else rest[:length]


def slice_items(items: list[values.ExpansionPiece], start: int, length: int | None) -> list[values.ExpansionPiece]:
    """`${a[@]:start:length}`."""
    rest = items[start:] if start >= 0 else items[max(len(items) + start, 0) :]
    return rest if length is None or length < 0 else rest[:length]


def modify_path(text: str, operand: str) -> str | None:
    """`${x:h:t}`, `${x:s/a/b/}`; None when the letters are no such thing."""
    while operand:
        found = SUBSTITUTE.match(operand)
        if found is not None:
            text = text.replace(found[3], found[4], -1 if found[1] else 1) if found[3] else text
            operand = operand[found.end() :]
        elif operand[0] in MODIFIERS:
            text, operand = MODIFIERS[operand[0]](text), operand[1:].lstrip("0123456789")
        else:
            return None
        if operand and operand[0] != ":":
            return None
        operand = operand[1:]
    return text
