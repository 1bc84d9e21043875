"""`python -m tests.clients.disarm`: every way to disarm the guard, tried from inside the true clients, as a table."""

import argparse
import sys
from pathlib import Path

from tests.clients.client import NoClient
from tests.clients.disarm.harness import SETTINGS, Tried, try_all
from tests.clients.kit.agents import driver

USUAL = ("claude", "codex", "gemini", "copilot")
INTRODUCTION = """\
# Ways to disarm, tried

Each way ([ways.toml](../tests/clients/disarm/ways.toml)) was typed by the true client, offline with a scripted model,
in a throw-away home; after each of them the client tried `git reset --hard` in a repository with work that is not
committed. Written by `make disarm`. "Refused" is what the guard said about the way itself; "armed" is whether the
reset was still refused afterwards.

"""


def main() -> int:
    options = read_options()
    try:
        found = {agent: try_all(driver(agent)) for agent in options.agents}
    except NoClient as error:
        print(f"an agent is not to be had: {error}", file=sys.stderr)
        return 1
    text = describe(found)
    print(text)
    if options.save:
        Path(options.save).write_text(INTRODUCTION + text, encoding="utf-8")
    return int(any(not one.is_armed for tried in found.values() for one in tried))


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.clients.disarm", description=__doc__)
    parser.add_argument("agents", nargs="*", default=list(USUAL), metavar="AGENT", help=", ".join(SETTINGS))
    parser.add_argument("--save", metavar="FILE", help="write the table as Markdown too")
    options = parser.parse_args()
    if unknown := set(options.agents) - set(SETTINGS):
        parser.error(f"nobody knows the settings of {', '.join(sorted(unknown))}; there are {', '.join(SETTINGS)}")
    return options


def describe(found: dict[str, list[Tried]]) -> str:
    """One line an agent, then one a way that was not refused or that disarmed."""
    lines = ["| agent | ways | refused | ran, still armed | disarmed |", "| --- | --- | --- | --- | --- |"]
    for agent, tried in found.items():
        refused = sum(one.is_refused for one in tried)
        armed = sum(one.is_armed and not one.is_refused for one in tried)
        disarmed = sum(not one.is_armed for one in tried)
        lines.append(f"| {agent} | {len(tried)} | {refused} | {armed} | {disarmed} |")
    lines += ["", "Not refused:", ""]
    for agent, tried in found.items():
        for one in (one for one in tried if not one.is_refused or not one.is_armed):
            lines.append(f"- {agent}, {one.name}: {'still armed' if one.is_armed else 'DISARMED'}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
