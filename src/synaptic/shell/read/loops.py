"""Loops: as many rounds as are known, within a limit."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from synaptic.shell.read import syntax
from synaptic.shell.read.arithmetic import VARIABLE_NAME, compute_number
from synaptic.shell.read.expand import expand_unsplit, expand_word
from synaptic.shell.read.limits import MAX_LITERAL, MAX_ROUNDS
from synaptic.shell.read.script import Word
from synaptic.shell.read.value import VariableValue

if TYPE_CHECKING:
    from synaptic.shell.read.evaluate import Evaluation


def run_loop(shell: "Evaluation", node: syntax.Loop) -> str | None:
    kept, shell.looped = shell.looped, True
    try:
        if node.name:
            return run_rounds(shell, node)
        if node.condition is not None:
            only = find_only(node.condition)
            if isinstance(only, syntax.TestExpression) and only.formula:
                return run_counted(shell, node, only)
            if isinstance(only, syntax.SimpleCommand) and reads_lines(shell, only):
                return run_lines(shell, node, only)
            shell.run(node.condition)
        shell.run(node.body)
    finally:
        shell.looped = kept
    return None


def run_counted(shell: "Evaluation", node: syntax.Loop, head: syntax.TestExpression) -> str | None:
    """`for ((i=0; i<3; i++))` and `while ((i<3))`: the rounds while the formula holds; one where that is not known."""
    word = expand_unsplit(shell, head.tokens[0])
    start, more, step = word.text.split(";") if word.text.count(";") == 2 else ("", word.text, "")
    shell.expand_test(head)
    compute_number(shell, start)
    for _ in range(MAX_ROUNDS if VARIABLE_NAME.search(more) else 1):
        shell.run(node.body)
        compute_number(shell, step)
        if not compute_number(shell, more):
            break
    return None


def find_only(condition: syntax.Node) -> syntax.Node:
    """The one command of a condition, or the whole of it."""
    several = isinstance(condition, syntax.CommandSequence) and len(condition.items) == 1
    return condition.items[0] if several and isinstance(condition, syntax.CommandSequence) else condition


def reads_lines(shell: "Evaluation", condition: syntax.SimpleCommand) -> bool:
    """Whether a loop takes known lines one by one: `while read x`."""
    texts = [word.text or "" for word in condition.words]
    if shell.stdin is None or texts[:1] != ["read"] or shell.stdin.count("\n") > MAX_ROUNDS:
        return False
    options = "".join(text for text in texts if text[:1] == "-")
    return not any(letter in options for letter in "dunN")


def run_lines(shell: "Evaluation", node: syntax.Loop, condition: syntax.Node) -> str | None:
    whole: str | None = ""
    stdin = shell.stdin
    try:
        for line in (stdin or "").splitlines() or [""]:
            shell.stdin = f"{line}\n"
            shell.run(condition)
            shell.stdin = None
            output = shell.run(node.body)
            whole = join_outputs(whole, output) if whole is not None else None
    finally:
        shell.stdin = stdin
    return whole


def run_rounds(shell: "Evaluation", node: syntax.Loop) -> str | None:
    words = shell.arguments if node.tokens is None else [w for token in node.tokens for w in expand_word(shell, token)]
    if words is None:
        words = [Word('"$@"', known=False)]
    whole: str | None = ""
    for word in limit_words(words, f"${node.name}"):
        shell.variables[node.name] = VariableValue(word.text, word.known, word.outputs, glob=word.glob)
        output = shell.run(node.body)
        if whole is not None:
            whole = join_outputs(whole, output)
    return whole


def join_outputs(before: str, output: str | None) -> str | None:
    """What two commands print one after the other; not known when that would grow too long."""
    if output is None or (before and len(before) + len(output) > MAX_LITERAL):
        return None
    return before + output


def limit_words(words: Sequence[Word], unknown: str) -> Sequence[Word]:
    """The first of many words, and one unknown word for the rest."""
    return words if len(words) <= MAX_ROUNDS else [*words[:MAX_ROUNDS], Word(unknown, known=False)]
