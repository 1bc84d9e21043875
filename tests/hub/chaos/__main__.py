"""`python -m tests.hub.chaos`: hosts ship to a hub while it, its PostgreSQL, the network and the shippers fail."""

import argparse
import sys
from pathlib import Path

import msgspec

from tests.hub.chaos.campaign import Campaign, Findings, tell_on_stderr
from tests.hub.chaos.schedule import ChaosOptions

SAVED = """\
# The hub, with everything failing

Written by `make hub-chaos`: a real PostgreSQL (`fsync` on), a real `synaptic hub serve`, and {hosts} hosts whose events
go the way of the product, each with a journal of its own that is written meanwhile. Between hosts and hub is a
network that resets, half-closes, freezes and slows down connections, and swallows answers. PostgreSQL and the hub are
killed with SIGKILL, all of their processes at once, and started again; so are the processes that ship. About three
faults in ten begin before the one before is mended. What fails, and when, follows from the number below (`--seed`).

In the end every row at the hub is held against the journal it comes from, and against what was to be written: complete,
none twice by sequence or by call, each field the same, and each transaction of a host only with what comes after all
that was there. While it goes on it is looked at whether the mark of any host ever goes back.

{table}

{violations}
"""


def main() -> int:
    options, save = read_options()
    found = Campaign(options, tell_on_stderr).run()
    table, violations = format_table(found), format_violations(found)
    print(f"{table}\n\n{violations}")
    if save:
        text = SAVED.format(hosts=options.hosts, table=table, violations=violations)
        Path(save).write_text(text, encoding="utf-8")
    return int(bool(found.violations))


def format_table(found: Findings) -> str:
    options = found.options
    rows = [
        ("hosts × events", f"{options.hosts} × {options.events:,}"),
        ("at the hub", f"{found.arrived:,} of {options.total:,}, in {found.turns:,} transactions"),
        *((kind, f"{count} times") for kind, count in sorted(found.happened.items())),
        ("connections beside that", ", ".join(f"{count} {name}" for name, count in found.passing.items()) or "sound"),
        ("took", f"{found.seconds:,.0f} s on a machine with a load of {found.load:.1f}"),
        ("violations", str(len(found.violations))),
    ]
    lines = [f"| {name} | {value} |" for name, value in rows]
    return "\n".join(("| | |", "| --- | --- |", *lines))


def format_violations(found: Findings) -> str:
    again = f"python -m tests.hub.chaos {found.options.words}"
    if not found.violations:
        return f"Nothing was lost, doubled, changed or put out of order. Again: `{again}`."
    lines = "\n".join(f"- {what}" for what in found.violations[:100])
    return f"What was violated:\n\n{lines}\n\nAgain: `{again}`."


def read_options() -> tuple[ChaosOptions, str]:
    parser = argparse.ArgumentParser(prog="python -m tests.hub.chaos", description=__doc__)
    usual = ChaosOptions()
    for name in ("hosts", "events", "hub_kills", "postgres_kills", "cuts", "shipper_kills", "seed", "groups"):
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=getattr(usual, name))
    for name in ("before", "write_seconds", "overlaps", "longest", "patience"):
        parser.add_argument(f"--{name.replace('_', '-')}", type=float, default=getattr(usual, name))
    parser.add_argument("--save", metavar="FILE", default="", help="write the table as Markdown too")
    given = vars(parser.parse_args())
    save = given.pop("save")
    return msgspec.convert(given, ChaosOptions), save


if __name__ == "__main__":
    sys.exit(main())
