"""The lines as a table: on a terminal, as plain text, as Markdown, as JSON."""

from collections.abc import Sequence

import msgspec
from rich.console import Console
from rich.table import Table

from bench.line import Line

HEADINGS = ("measurement", "p50 / p99, or value", "against /bin/true", "target", "met")


def show(lines: Sequence[Line], machine: str) -> None:
    """On a terminal with colours; anywhere else one line of text per line."""
    console = Console()
    if not console.is_terminal:
        print(plain(lines, machine))
        return
    table = Table(*HEADINGS, caption=machine)
    for line in lines:
        colour = {True: "green", False: "red", None: ""}[line.met]
        table.add_row(*cells(line), style=colour)
    console.print(table)


def plain(lines: Sequence[Line], machine: str) -> str:
    rows = [HEADINGS, *(cells(line) for line in lines)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    text = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([*text, "", machine])


def markdown(lines: Sequence[Line], machine: str) -> str:
    rows = [HEADINGS, ("---",) * len(HEADINGS), *(cells(line) for line in lines)]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return f"# Measured\n\n{INTRODUCTION}\n\n{table}\n\n{machine}\n"


def as_json(lines: Sequence[Line], machine: str) -> str:
    return msgspec.json.format(msgspec.json.encode({"machine": machine, "lines": lines})).decode()


def cells(line: Line) -> tuple[str, str, str, str, str]:
    met = {True: "yes", False: "NO", None: ""}[line.met]
    return line.name, line.measured, line.ratio, line.target, met


INTRODUCTION = """\
Written by `make bench`. Every command is spawned by the same small program, in turn, round after round, so that what
disturbs the machine disturbs all of them alike. Each percentile is compared with the same percentile of `/bin/true`.
A run ends when stdout is closed and the process is reaped: that is what an agent waits for. Each `dispatch` line has a
daemon, a journal and a project of its own. Rates through the socket are the best of three tries. On a busy machine the
p99 of `/bin/true` grows (about 0.7 ms when quiet), and p99 ratios look better than they are."""
