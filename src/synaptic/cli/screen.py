"""What people and scripts are shown: plain text, a table with colour on a terminal, one JSON document on request."""

import io
import os
import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TextIO

import msgspec

from synaptic.cli import words
from synaptic.cli.cells import SIGN_OF_MORE, cut_cells, measure_cells
from synaptic.files.home import find_home
from synaptic.model.errors import LayerError, SynapticError
from synaptic.model.refusal import Refusal

WORD_COLOURS = {"ok": "green", "warn": "yellow", "fail": "red", "deny": "red", "ask": "yellow", "rewrite": "cyan"}
WORD_COLOURS |= {"error": "red", "attention": "yellow", "working": "cyan", "checked": "green", "allow": "green"}
USUAL_WIDTH = 80
COLOUR_CODES = {"red": 31, "green": 32, "yellow": 33, "cyan": 36}
VERDICT_WORDS = re.compile(rf"(?<!\S)(?:{'|'.join(WORD_COLOURS)})(?!\S)")


_is_for_program = False
"""Whether `--json` was given: then nothing is said beside the answer."""


def prepare_streams(wants_json: bool = False) -> None:
    """Let stdout and stderr print file names of any bytes."""
    global _is_for_program
    _is_for_program = wants_json
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def is_terminal(stream: TextIO | None = None) -> bool:
    """Whether a person looks at what is printed; on stdout where no stream is named."""
    return (stream or sys.stdout).isatty() and os.environ.get("TERM") != "dumb"


def may_tell_progress() -> bool:
    """Whether somebody waits here who wants to know what for."""
    return is_terminal(sys.stderr) and not _is_for_program


def is_dialogue() -> bool:
    """Whether somebody can be asked here: neither what is read nor what is shown goes through a pipe."""
    return sys.stdin.isatty() and is_terminal()


def has_colour() -> bool:
    return is_terminal() and "NO_COLOR" not in os.environ


def clean_text(text: str) -> str:
    """Replace control characters in text of a hook or a file: they could drive the terminal."""
    return "".join(letter if letter.isprintable() or letter in "\n\t" else "�" for letter in text)


def say(text: str = "") -> None:
    """Say something: on a terminal in whole words that fit it, elsewhere as it is."""
    print(fit_text(text, sys.stdout))


def say_exactly(text: str) -> None:
    """Say what may be copied or compared, such as a command or a line of a file: nothing is put into it."""
    print(clean_text(text))


def say_under(start: str, text: str) -> None:
    """Say something beside a word at the left, in its colour if it has one: all lines stay to the right of it."""
    line = clean_text(f"{start}{text}").replace("\n", " ")
    first, *others = words.wrap_line(line, find_width(), len(start)) if is_terminal() else [line]
    word = start.partition(" ")[0]
    print("\n".join((paint_word(word) + first[len(word) :], *others)))


def say_wrapped(text: str, indent: int) -> None:
    """Say something in lines of whole words that fit the terminal; in one line where a program reads it."""
    if not is_terminal():
        say_exactly(f"{' ' * indent}{text}")
        return
    for line in text.split("\n"):
        say_under(" " * indent, line)


def say_prose(text: str) -> None:
    """Say a text of paragraphs that was written for a wider page."""
    if not is_terminal():
        say_exactly(text)
        return
    for line in words.join_paragraphs(text).split("\n"):
        say_under("", line)


def fit_text(text: str, stream: TextIO) -> str:
    """A text as a stream shows it best: in whole words where a person looks at it."""
    clean = clean_text(text)
    return words.wrap_lines(clean, find_width(stream)) if is_terminal(stream) else clean


def warn(text: str) -> None:
    print(fit_text(f"synaptic: {text}", sys.stderr), file=sys.stderr)


def note(text: str) -> None:
    """Say something beside the answer: a script that reads stdout does not see it."""
    print(fit_text(f"  {text}", sys.stderr), file=sys.stderr)


def paint_word(word: str) -> str:
    """Colour a word that means good or bad."""
    return f"\033[{COLOUR_CODES[WORD_COLOURS[word]]}m{word}\033[0m" if has_colour() and word in WORD_COLOURS else word


def paint_text(text: str, code: int) -> str:
    """Colour a text on a terminal that wants it, by the number of the colour."""
    return f"\033[{code}m{text}\033[0m" if has_colour() else text


def print_json(value: object) -> None:
    """Print the answer to `--json`: one object with `ok`, true unless the answer itself says otherwise."""
    built = msgspec.to_builtins(value, enc_hook=str, str_keys=True)
    print_document(built if not isinstance(built, dict) or "ok" in built else {"ok": True, **built})


def print_document(value: object) -> None:
    """Print one JSON document as it is: a value that was asked for by its name, and so has its own form."""
    sys.stdout.write(msgspec.json.format(encode_json(value), indent=2).decode() + "\n")


def print_json_line(value: object) -> None:
    """Print one JSON document on one line."""
    sys.stdout.write(encode_json(value).decode() + "\n")


def encode_json(value: object) -> bytes:
    """Compact JSON; what no JSON can hold, such as a file name of any bytes, is replaced."""
    # Every event's class is behind it, and most verbs print none.
    from synaptic.agents.shared.payload import to_json  # noqa: PLC0415

    return to_json(msgspec.to_builtins(value, enc_hook=str, str_keys=True))


def print_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Columns: within the terminal's width and with colour on one, aligned text that nothing is cut from elsewhere."""
    from synaptic.cli import table  # noqa: PLC0415  most verbs print none

    cells = [[clean_text(cell).replace("\n", " ") for cell in row] for row in rows]
    whole = [list(head), *cells]
    if not is_terminal():
        widths = table.measure_columns(whole)
        for row in whole:
            print(table.join_cells(row, widths))
        return
    width = find_width()
    blocks = table.lay_out(whole, width)
    if blocks is None:
        blocks = [table.stack_row(head, row, width) for row in cells]
    for lines in blocks:
        for line in lines:
            print(_paint_words(line))


def find_width(stream: TextIO | None = None) -> int:
    """How many columns there are; COLUMNS counts where it is set. Not `shutil`: it brings five compressors along."""
    asked = os.environ.get("COLUMNS", "")
    if asked.isascii() and asked.isdigit() and int(asked):
        return int(asked)
    with suppress(OSError):
        return os.get_terminal_size((stream or sys.stdout).fileno()).columns or USUAL_WIDTH
    return USUAL_WIDTH


def cut_line(text: str, indent: int) -> str:
    """A text on one line of a terminal, with a sign where something is missing; whole where a program reads it."""
    line = clean_text(text).replace("\n", " ")
    room = find_width() - indent
    if not is_terminal() or measure_cells(line) <= room:
        return line
    begun = cut_cells(line, max(room, 1)).removesuffix(SIGN_OF_MORE)
    # Between words, unless the one that does not fit is most of the line.
    whole = begun if line[len(begun)] == " " else begun.rpartition(" ")[0]
    return f"{whole.rstrip() if 2 * measure_cells(whole) > room else begun}{SIGN_OF_MORE}"


def _paint_words(line: str) -> str:
    """Colour the words of a line that mean good or bad, where they stand for themselves."""
    if not has_colour():
        return line
    return VERDICT_WORDS.sub(lambda found: paint_word(found[0]), line)


def print_error(error: SynapticError, as_json: bool) -> None:
    """An error: one line on stderr, or as JSON on stdout where a script reads it."""
    if not as_json:
        warn(str(error))
        return
    told = {"kind": type(error).__name__, "message": error.message, "where": error.where, "hint": error.hint}
    print_json({"ok": False, "error": {**told, **_describe_code(error)}})


def _describe_code(error: SynapticError) -> dict[str, object]:
    """Describe the error code that a script can compare, for errors that have one."""
    if isinstance(error, LayerError):
        return {"code": error.code}
    if not isinstance(error, Refusal):
        return {}
    return {"code": error.code, "retryable": error.is_retryable, "suggested_action": error.hint}


def keep_crash(text: str) -> Path | None:
    """Write a traceback where it can be looked at; None where that is impossible."""
    with suppress(OSError, SynapticError):  # a report that cannot be kept must not hide what is reported
        path = find_home(os.environ).run / "crash.log"
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Private: a traceback may quote a token or a prompt.
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "w", errors="backslashreplace") as file:
            file.write(text)
        return path
    return None
