"""`python -m tests.clients.conformance`: what truly happens in each agent, as a table."""

import argparse
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tests.clients.client import VERSION, NoClient
from tests.clients.kit.agents import AGENTS, driver
from tests.clients.kit.clients import PACKAGES
from tests.clients.kit.everyone import Everyone, everyone
from tests.clients.kit.expected import USUAL, expected
from tests.clients.kit.row import Row, row

COLUMNS = 180
"""Wide enough for every cell; a narrower terminal wraps lines, a file does not."""
INTRODUCTION = """\
# What each agent truly does

One policy file (`tests/clients/kit/policy.toml`, and the policies that are on by default) in front of the true clients,
each offline with a scripted model, wired by `synaptic bootstrap --agent NAME`. Written by `make agents`; a cell says
what was found on the disk, in the model's next request and in the journal. The last but one: all of it, replayed.

"""
PUSHES = """
## The same `git push --force`, one user, one policy file, one journal

Wired by `synaptic bootstrap --all`, taken out by `synaptic down`; the settings of all agents afterwards: {}.
That journal, decided again: {}.

"""
Lines = list[list[str]]


class Report(msgspec.Struct, frozen=True):
    """All that was found out."""

    rows: Mapping[str, Row]
    together: Everyone

    @property
    def table(self) -> Lines:
        head = ["situation", *map(_title, self.rows)]
        return [head, *([name, *(cells[name] for cells in self.rows.values())] for name in USUAL)]

    @property
    def pushes(self) -> Lines:
        lines = [[push.agent, push.decision, push.runs or "-", _one_line(push.told)] for push in self.together.pushes]
        return [["journalled under", "decision", "ran instead", "the model was told"], *lines]

    @property
    def unexpected(self) -> list[str]:
        cells = [
            f"{agent}, {situation}: {cells[situation]}; it should be: {wanted}"
            for agent, cells in self.rows.items()
            for situation, wanted in expected(agent).items()
            if cells[situation] != wanted
        ]
        again = USUAL["decided again"]
        return (
            cells if self.together.replayed == again else [*cells, f"together: {self.together.replayed}, not {again}"]
        )


def main() -> int:
    options = _options()
    try:
        report = _report(tuple(options.agents), options.jobs)
    except NoClient as error:
        print(f"an agent is not to be had: {error}", file=sys.stderr)
        return 1
    for lines in (report.table, report.pushes):
        Console(width=COLUMNS).print(_shown(lines))
    if options.save:
        text = (
            INTRODUCTION + _markdown(report.table) + PUSHES.format(report.together.taken_out, report.together.replayed)
        )
        Path(options.save).write_text(text + _markdown(report.pushes), encoding="utf-8")
    print("\n".join(report.unexpected) or "every cell is as it should be")
    return int(bool(report.unexpected))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.clients.conformance", description=__doc__)
    parser.add_argument("agents", nargs="*", default=list(AGENTS), metavar="AGENT", help=", ".join(AGENTS))
    parser.add_argument("--jobs", type=int, default=2, help="clients at a time")
    parser.add_argument("--save", metavar="FILE", help="write the table as Markdown too")
    options = parser.parse_args()
    if unknown := set(options.agents) - set(AGENTS):
        parser.error(f"nobody drives {', '.join(sorted(unknown))}; there are {', '.join(AGENTS)}")
    return options


def _report(agents: tuple[str, ...], jobs: int) -> Report:
    with ThreadPoolExecutor(jobs) as pool:
        together = pool.submit(everyone, agents)
        rows = dict(zip(agents, pool.map(row, map(driver, agents)), strict=True))
        return Report(rows, together.result())


def _title(agent: str) -> str:
    return f"{agent} {PACKAGES[agent].version if agent in PACKAGES else VERSION}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _shown(lines: Lines) -> Table:
    table = Table(*lines[0])
    for line in lines[1:]:
        table.add_row(*map(Text, line))
    return table


def _markdown(lines: Lines) -> str:
    head, *rest = lines
    return "".join(f"| {' | '.join(map(_cell, line))} |\n" for line in (head, ["---"] * len(head), *rest))


def _cell(text: str) -> str:
    return text.replace("<", "&lt;").replace("|", "\\|")


if __name__ == "__main__":
    sys.exit(main())
