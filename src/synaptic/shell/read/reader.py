"""Shell text in, the commands that would run out."""

import re
from collections.abc import Mapping

from synaptic.shell.languages.powershell import MAX_POWERSHELL
from synaptic.shell.programs.powershell import run_text
from synaptic.shell.programs.table import PROGRAM_HANDLERS
from synaptic.shell.read.evaluate import Evaluation
from synaptic.shell.read.grammar import parse_commands
from synaptic.shell.read.lexer import SourcePosition
from synaptic.shell.read.limits import MAX_TEXT, Budget, LimitError
from synaptic.shell.read.script import Script, Word
from synaptic.shell.read.syntax import LiteralText, SimpleCommand, WordToken

MAX_LATER = 20
"""Traps that are read once more at the end."""
NO_VARIABLES: Mapping[str, str] = {}


def read_script(text: str, cwd: str = "", home: str = "", env: Mapping[str, str] = NO_VARIABLES) -> Script:
    """Every command that the text would run, in order, however deep it hides. Nothing is executed, no file is read.

    `cwd` and `home` are where the shell starts; `env` are variables whose values are known.
    """
    plain, whole = _normalize_text(text)
    return _read_as(Evaluation(plain, cwd, home, env), text, whole)


def read_with_files(text: str, cwd: str, env: Mapping[str, str], files: dict[str, str]) -> Script:
    """Like `read_script`, following what the text runs into `files` (path to text), which are asked for one by one.

    A defect of the reader counts as text that cannot be read to its end.
    """
    plain, whole = _normalize_text(text)
    shell = Evaluation(plain, cwd, "", env)
    shell.files = files
    try:
        return _read_as(shell, text, whole)
    except Exception as error:  # noqa: BLE001 - as in `read_safely`
        return Script(text, truncated=f"the reader failed: {type(error).__name__}")


def _read_as(shell: Evaluation, text: str, whole: bool) -> Script:
    shell.handlers = PROGRAM_HANDLERS
    # In a CRLF script the delimiter line of a here-document ends with the blank that replaced the carriage return.
    shell.budget.carriage = "\r\n" in text
    # Spans serve to rewrite the text in place. Where NULs were dropped, offsets no longer fit the original: no spans
    # then, so such a command is judged but never rewritten.
    tree, broken = parse_commands(shell.text, shell.budget, SourcePosition(0 if whole else None))
    for reason in broken:
        shell.add_gap("syntax", reason)
    try:
        shell.run(tree)
        for code in shell.later[:MAX_LATER]:
            shell.run_code(code, "trap")
    # What was found up to the limit stands; `truncated` tells the policies that there is more.
    except LimitError:
        shell.add_gap("syntax", shell.budget.reason)
    reason = shell.budget.reason or (f"more than {MAX_TEXT} characters" if len(text) > MAX_TEXT else "")
    return Script(
        text,
        tuple(shell.commands),
        tuple(shell.gaps),
        tuple(shell.redirects),
        tuple(shell.functions.values()),
        reason,
    )


def read_safely(text: str, cwd: str = "", home: str = "", is_powershell: bool = False) -> Script:
    """What `read` yields; a defect of the reader counts as text that cannot be read to its end.

    So no policy goes blind without a word, whatever text provokes it.
    """
    try:
        return _read_powershell(text, cwd, home) if is_powershell else read_script(text, cwd, home)
    except Exception as error:  # noqa: BLE001 - whatever text provokes it, the guard must not vanish
        return Script(text, truncated=f"the reader failed: {type(error).__name__}")


def _read_powershell(text: str, cwd: str, home: str) -> Script:
    """The commands that PowerShell text runs; programs that it starts keep their places in the text."""
    plain, whole = _normalize_text(text)
    shell = Evaluation(plain, cwd, home, NO_VARIABLES)
    shell.handlers = PROGRAM_HANDLERS
    try:
        run_text(shell, plain, 0 if whole else None)
    except LimitError:
        shell.add_gap("syntax", shell.budget.reason)
    reason = shell.budget.reason or (f"more than {MAX_POWERSHELL} characters" if len(text) > MAX_POWERSHELL else "")
    return Script(
        text, tuple(shell.commands), tuple(shell.gaps), tuple(shell.redirects), tuple(shell.functions.values()), reason
    )


def read_words(text: str) -> tuple[str, ...]:
    """The words of one program and its arguments that no shell runs: quotes are taken off, nothing is expanded.

    Nothing when the text is more than that, or not even that: operators, redirections, a quote that is not closed.
    """
    tree, broken = parse_commands(text, Budget(), SourcePosition(0))
    command = tree.items[0] if len(tree.items) == 1 else None
    if broken or not isinstance(command, SimpleCommand) or command.assignments or command.redirections:
        return ()
    return tuple(_join_literal(word) for word in command.words)


def _join_literal(word: WordToken | Word) -> str:
    if isinstance(word, Word) or word.text is not None:
        return word.text or ""
    return "".join(part.text if isinstance(part, LiteralText) else part.source for part in word.parts)


def _normalize_text(text: str) -> tuple[str, bool]:
    """The text as bash sees it, and whether every character kept its place."""
    text = text[:MAX_TEXT]
    if "\r\n" in text:
        # Two characters for two, so that every later offset still fits the original text.
        text = text.replace("\r\n", " \n")
    if "\0" in text:
        # Bash drops NUL characters and goes on.
        return re.sub("\0", "", text), False
    return text, True
