"""Aliases: names that stand for text, as commands and, in zsh, anywhere in a line."""

from typing import TYPE_CHECKING

import msgspec

from synaptic.shell.read import syntax
from synaptic.shell.read.grammar import parse_commands
from synaptic.shell.read.lexer import SourcePosition
from synaptic.shell.read.script import Word

if TYPE_CHECKING:
    from synaptic.shell.read.evaluate import Evaluation


def find_alias(shell: "Evaluation", node: syntax.SimpleCommand) -> tuple[syntax.SimpleCommand, str] | None:
    """The alias that a command begins with, and the command as it stands behind it; None when it begins with none."""
    first = node.words[0].text if node.words else None
    # As in bash, an alias that names itself (`alias ls="ls -l"`) is expanded once.
    if first is not None and first in shell.aliases and mark_alias(shell, first) not in shell.running:
        return node, first
    if first and "." in first and (suffix := first[first.rfind(".") :]) in shell.aliases:
        return msgspec.structs.replace(node, words=[Word(suffix), *node.words]), suffix
    return None


def run_alias(shell: "Evaluation", node: syntax.SimpleCommand, name: str) -> str | None:
    tree, _ = parse_commands(shell.aliases[name], shell.budget, SourcePosition(None), shell.depth)
    last = tree.items[-1] if tree.items else None
    kept, shell.running = shell.running, (*shell.running, mark_alias(shell, name))
    try:
        # The alias is a piece of text: what stands behind it belongs to its last command.
        if isinstance(last, syntax.SimpleCommand):
            last.words.extend(continue_alias(shell, name, node.words[1:]))
            last.settled = last.settled and node.settled
            last.redirections.extend(node.redirections)
            last.assignments.extend(node.assignments)
            return shell.run(tree)
        shell.run(tree)
        return shell.run_once(msgspec.structs.replace(node, words=node.words[1:]))
    finally:
        shell.running = kept


def mark_alias(shell: "Evaluation", name: str) -> str:
    """How an alias stands among what is running: with its text, because it may be defined again."""
    return f"alias {name} {shell.aliases[name]}"


def continue_alias(
    shell: "Evaluation", name: str, rest: list[syntax.WordToken | Word]
) -> list[syntax.WordToken | Word]:
    """Behind an alias that ends with a blank, the next word may be an alias, too."""
    text = shell.aliases.get(rest[0].text or "") if rest and shell.aliases[name][-1:] in (" ", "\t") else None
    tree = parse_commands(text, shell.budget, SourcePosition(None), shell.depth)[0] if text else None
    first = tree.items[0] if tree and tree.items else None
    return [*first.words, *rest[1:]] if isinstance(first, syntax.SimpleCommand) else rest


def expand_global_aliases(shell: "Evaluation", node: syntax.SimpleCommand) -> syntax.SimpleCommand:
    """`alias -g` of zsh: a word anywhere in the line."""
    words: list[syntax.WordToken | Word] = []
    for word in node.words:
        text = shell.global_aliases.get(word.text or "")
        tree = parse_commands(text, shell.budget, SourcePosition(None), shell.depth)[0] if text else None
        first = tree.items[0] if tree and len(tree.items) == 1 else None
        words.extend(first.words if isinstance(first, syntax.SimpleCommand) else [word])
        if tree is not None and not isinstance(first, syntax.SimpleCommand):
            shell.run(tree)
    return msgspec.structs.replace(node, words=words, settled=False)
