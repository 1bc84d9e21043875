"""Arithmetic: the numbers that can be known, and the commands that a shell runs while it computes."""

import ast
import operator
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from synaptic.shell.read.value import VariableValue

if TYPE_CHECKING:
    from synaptic.shell.read.evaluate import Evaluation

SUBSTITUTION_SIGNS = ("$(", "`")
VARIABLE_NAME = re.compile(r"[A-Za-z_]\w*")
FORMULA = re.compile(r"[\w\s+\-*/%()<>=!]{1,80}")
INCREMENT = re.compile(r"\s*(?:([A-Za-z_]\w*)(\+\+|--)|(\+\+|--)([A-Za-z_]\w*))\s*")
ASSIGNED = re.compile(r"\s*([A-Za-z_]\w*)\s*([-+*]?)=(?!=)(.+)", re.DOTALL)
MAX_NAMES = 20
"""Variables of one formula whose values are looked into."""
MAX_REFERENCES = 4
"""Variables that lead to one another."""
MAX_NUMBER = 10**12
OPERATIONS: dict[type, Callable[[int, int], int | bool]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Gt: operator.gt, ast.Lt: operator.lt,
    ast.GtE: operator.ge, ast.LtE: operator.le, ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip
ARITHMETIC_TESTS = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v"})
"""Tests whose operands are formulas, or names with a subscript that is one."""


def has_substitution(text: str) -> bool:
    """Whether it holds a command that runs when the text is expanded once more."""
    return any(sign in text for sign in SUBSTITUTION_SIGNS)


def follow_formula(shell: "Evaluation", text: str, depth: int = 0) -> None:
    """Run what a shell runs when it computes a text: `a[$(cmd)]`, also when a variable holds that."""
    if has_substitution(text):
        shell.expand_text(text, "arithmetic")
        return
    if depth > MAX_REFERENCES or text.isdigit():
        return
    for name in VARIABLE_NAME.findall(text[:2_000])[:MAX_NAMES]:
        held = shell.find_variable(name)
        if held is not None and held.text and not held.text.isdigit() and held.text != text:
            follow_formula(shell, held.text, depth + 1)


def follow_tests(shell: "Evaluation", texts: list[str]) -> None:
    """The same for the operands of `[[ a -eq b ]]` and `[ -v name ]`."""
    if not ARITHMETIC_TESTS.isdisjoint(texts):
        for text in texts:
            if text[:1] != "-":
                follow_formula(shell, text)


def follow_subscripts(shell: "Evaluation", texts: list[str]) -> None:
    """The same for names with a subscript, which many builtins take: `unset 'a[$(cmd)]'`."""
    for text in texts:
        if "[" in text and has_substitution(text):
            shell.expand_text(text, "subscript")


def compute_number(shell: "Evaluation", text: str) -> int | None:
    """The value of a formula; None when it is not known. Assignments in it hold from then on."""
    plain = text.strip()
    if plain.isdigit() and len(plain) < 12:
        return int(plain)
    if not FORMULA.fullmatch(plain):
        return None
    if found := INCREMENT.fullmatch(plain):
        return _change_variable(shell, found)
    if found := ASSIGNED.fullmatch(plain):
        number = compute_number(shell, f"{found[1]}{found[2]}({found[3]})" if found[2] else found[3])
        if number is not None:
            shell.variables[found[1]] = VariableValue(str(number))
        return number
    try:
        return _compute_node(shell, ast.parse(plain, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _change_variable(shell: "Evaluation", found: re.Match[str]) -> int | None:
    name, step = found[1] or found[4], 1 if "+" in found[0] else -1
    before = _read_number(shell, name)
    if before is None:
        return None
    shell.variables[name] = VariableValue(str(before + step))
    return before if found[1] else before + step


def _read_number(shell: "Evaluation", name: str) -> int | None:
    held = shell.find_variable(name)
    if held is None or not held.known or held.others or not held.text.lstrip("-").isdigit() or len(held.text) > 12:
        return None
    return int(held.text)


def _compute_node(shell: "Evaluation", node: ast.expr) -> int | None:
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if isinstance(node, ast.Name):
        return _read_number(shell, node.id)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        number = _compute_node(shell, node.operand)
        return None if number is None else -number if isinstance(node.op, ast.USub) else number
    if isinstance(node, ast.BinOp):
        return _apply(shell, type(node.op), node.left, node.right)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _apply(shell, type(node.ops[0]), node.left, node.comparators[0])
    return None


def _apply(shell: "Evaluation", kind: type, left: ast.expr, right: ast.expr) -> int | None:
    first, second = _compute_node(shell, left), _compute_node(shell, right)
    if first is None or second is None:
        return None
    if kind in (ast.Div, ast.Mod):
        if not second:
            return None
        # As in C, division goes towards zero.
        whole = abs(first) // abs(second) * (1 if (first < 0) == (second < 0) else -1)
        return whole if kind is ast.Div else first - whole * second
    number = int(OPERATIONS[kind](first, second)) if kind in OPERATIONS else None
    return number if number is None or abs(number) < MAX_NUMBER else None
