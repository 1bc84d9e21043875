"""Shell text in, the commands that would run out."""

import re
from collections.abc import Mapping

from synaptic.shell.programs.table import PROGRAMS
from synaptic.shell.read.evaluate import Evaluation
from synaptic.shell.read.grammar import parse
from synaptic.shell.read.lexer import Source
from synaptic.shell.read.limits import MAX_TEXT, Budget, LimitError
from synaptic.shell.read.script import Script, Word
from synaptic.shell.read.syntax import Simple, Text, Token

NONE: Mapping[str, str] = {}


def read(text: str, cwd: str = "", home: str = "", env: Mapping[str, str] = NONE) -> Script:
    """Every command that the text would run, in order, however deep it hides. Nothing is executed, no file is read.

    `cwd` and `home` are where the shell starts; `env` are variables whose values are known.
    """
    plain, whole = _plain(text)
    shell = Evaluation(plain, cwd, home, env)
    shell.handlers = PROGRAMS
    # In a CRLF script the delimiter line of a here-document ends with the blank that replaced the carriage return.
    shell.budget.carriage = "\r\n" in text
    # Spans serve to rewrite the text in place. Where NULs were dropped, offsets no longer fit the original: no spans
    # then, so such a command is judged but never rewritten.
    tree, broken = parse(plain, shell.budget, Source(0 if whole else None))
    for reason in broken:
        shell.gap("syntax", reason)
    try:
        shell.run(tree)
    # What was found up to the limit stands; `truncated` tells the policies that there is more.
    except LimitError:
        shell.gap("syntax", shell.budget.reason)
    reason = shell.budget.reason or (f"more than {MAX_TEXT} characters" if len(text) > MAX_TEXT else "")
    return Script(
        text,
        tuple(shell.commands),
        tuple(shell.gaps),
        tuple(shell.redirects),
        tuple(shell.functions.values()),
        reason,
    )


def read_safely(text: str, cwd: str = "", home: str = "") -> Script:
    """What `read` yields; a defect of the reader counts as text that cannot be read to its end.

    So no policy goes blind without a word, whatever text provokes it.
    """
    try:
        return read(text, cwd, home)
    except Exception as error:  # noqa: BLE001 - whatever text provokes it, the guard must not vanish
        return Script(text, truncated=f"the reader failed: {type(error).__name__}")


def read_words(text: str) -> tuple[str, ...]:
    """The words of one program and its arguments that no shell runs: quotes are taken off, nothing is expanded.

    Nothing when the text is more than that, or not even that: operators, redirections, a quote that is not closed.
    """
    tree, broken = parse(text, Budget(), Source(0))
    command = tree.items[0] if len(tree.items) == 1 else None
    if broken or not isinstance(command, Simple) or command.assignments or command.redirections:
        return ()
    return tuple(_literal(word) for word in command.words)


def _literal(word: Token | Word) -> str:
    if isinstance(word, Word) or word.text is not None:
        return word.text or ""
    return "".join(part.text if isinstance(part, Text) else part.source for part in word.parts)


def _plain(text: str) -> tuple[str, bool]:
    """The text as bash sees it, and whether every character kept its place."""
    text = text[:MAX_TEXT]
    if "\r\n" in text:
        # Two characters for two, so that every later offset still fits the original text.
        text = text.replace("\r\n", " \n")
    if "\0" in text:
        # Bash drops NUL characters and goes on.
        return re.sub("\0", "", text), False
    return text, True
