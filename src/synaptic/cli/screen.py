"""What people and scripts are shown: plain text, a table with colour on a terminal, one JSON document on request."""

import io
import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import typer

from synaptic.agents.shared.payload import to_json
from synaptic.daemon.lifecycle import find_home
from synaptic.model.errors import LayerError, SynapticError
from synaptic.model.refusal import Refusal

WORD_COLOURS = {"ok": "green", "warn": "yellow", "fail": "red", "deny": "red", "ask": "yellow", "rewrite": "cyan"}
WORD_COLOURS |= {"error": "red", "attention": "yellow", "working": "cyan", "checked": "green"}


def prepare_streams() -> None:
    """Let stdout and stderr print file names of any bytes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def is_terminal() -> bool:
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def is_dialogue() -> bool:
    """Whether somebody can be asked here: neither what is read nor what is shown goes through a pipe."""
    return sys.stdin.isatty() and is_terminal()


def has_colour() -> bool:
    return is_terminal() and "NO_COLOR" not in os.environ


def clean_text(text: str) -> str:
    """Replace control characters in text of a hook or a file: they could drive the terminal."""
    return "".join(letter if letter.isprintable() or letter in "\n\t" else "�" for letter in text)


def say(text: str = "") -> None:
    print(clean_text(text))


def warn(text: str) -> None:
    print(f"synaptic: {clean_text(text)}", file=sys.stderr)


def paint_word(word: str) -> str:
    """Colour a word that means good or bad."""
    return typer.style(word, fg=WORD_COLOURS[word]) if has_colour() and word in WORD_COLOURS else word


def print_json(value: object) -> None:
    """Print one JSON document on stdout."""
    sys.stdout.write(msgspec.json.format(_encode_json(value), indent=2).decode() + "\n")


def print_json_line(value: object) -> None:
    """Print one JSON document on one line."""
    sys.stdout.write(_encode_json(value).decode() + "\n")


def _encode_json(value: object) -> bytes:
    """Compact JSON; what no JSON can hold, such as a file name of any bytes, is replaced."""
    return to_json(msgspec.to_builtins(value, enc_hook=str, str_keys=True))


def print_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Columns: a Rich table on a terminal, aligned text that nothing is cut from elsewhere."""
    cells = [[clean_text(cell).replace("\n", " ") for cell in row] for row in rows]
    if is_terminal():
        _print_rich_table(head, cells)
        return
    widths = [max(map(len, column)) for column in zip(head, *cells, strict=True)]
    for row in (head, *cells):
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


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


def _print_rich_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    from rich.console import Console  # noqa: PLC0415  a tenth of a second, and only terminals need it
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    shown: Any = Table(box=None, pad_edge=False, header_style="bold")
    for title in head:
        shown.add_column(title, overflow="fold")
    for row in rows:
        shown.add_row(*(Text(cell, style=WORD_COLOURS.get(cell, "")) for cell in row))
    Console(no_color=not has_colour()).print(shown)
