"""The help of every verb, as the command line itself prints it."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from importlib import import_module

from docs.pages.table import HEADER
from synaptic.cli import typer
from synaptic.cli.main import run_command_line
from synaptic.cli.verbs import VERBS

PATH = "docs/reference/cli.md"
WIDTH = "100"
INTRO = """\
# Command line

`synaptic`, or `syn` for short: both are the same program. Without a verb it tells what runs, what is on and what to
type next.

Exit codes: 0 done, 1 failed, 2 misused, 3 for people only and an agent has asked; `check` answers with 0 allow, 2 deny,
3 ask, 4 rewrite, and with 64 when it is misused. `SYNAPTIC_HOME` names another folder than `~/.synaptic`.

`--json` prints one object on stdout: `"ok": true` and the answer's own fields beside it; `"ok": false` where the answer
is a no (`doctor`, `verify`, `daemon status`), or where the command has failed: then `error` holds `kind`, `message`,
`where` (a file, a key), `hint` (what to type), and for some a `code` to compare. A value that is asked for by its name
is printed as it is: `state get`, `state set`, `state reset`, `config schema`, `rpc`, `emit`. `tail --json` and
`check --jsonl` print one object a line. Progress and warnings go to stderr, colours only to a terminal, and not where
`NO_COLOR` is set.
"""


def pages() -> Iterator[tuple[str, str]]:
    """The one page."""
    with _width():
        sections = [_section(words) for words in commands()]
    yield PATH, HEADER + INTRO + "".join(sections)


def commands() -> Iterator[tuple[str, ...]]:
    """Every command line that has a help page: all verbs, and the words below them."""
    yield ()
    for verb, (file, _) in VERBS.items():
        yield (verb,)
        below = getattr(typer.get_command(import_module(f"synaptic.cli.{file}").app), "commands", {})
        yield from ((verb, word) for word in below)


def _section(words: tuple[str, ...]) -> str:
    name = " ".join(("synaptic", *words))
    printed = io.StringIO()
    with redirect_stdout(printed):
        run_command_line([*words, "--help"])
    return f"\n##{'#' if len(words) > 1 else ''} {name}\n\n```text\n{printed.getvalue().strip()}\n```\n"


@contextmanager
def _width() -> Iterator[None]:
    """Help is wrapped to the terminal; a page must not depend on whose."""
    before = {name: os.environ.get(name) for name in ("COLUMNS", "TERMINAL_WIDTH", "NO_COLOR")}
    os.environ.update(COLUMNS=WIDTH, TERMINAL_WIDTH=WIDTH, NO_COLOR="1")
    sys.stdout.flush()
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None) if value is None else os.environ.update({name: value})
