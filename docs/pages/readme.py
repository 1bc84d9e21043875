"""The figures in README.md: one line, from the table that `make bench` wrote."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PLACE = re.compile(r"(?<=<!-- figures -->\n).*?(?=<!-- /figures -->)", re.DOTALL)
ROWS = {
    "a decision of Synaptic, its journal entry written": "dispatch, preset essentials",
    "a hook script in Python": "peer: plain Python hook script",
    "`/bin/true`, which does nothing": "/bin/true",
}


def pages() -> Iterator[tuple[str, str]]:
    """README.md as it is, with the figures of docs/bench.md."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    yield "README.md", PLACE.sub(write_figures((ROOT / "docs" / "bench.md").read_text(encoding="utf-8")), text)


def write_figures(bench: str) -> str:
    """A small table: what an agent waits for, in half of all calls."""
    found = dict(re.findall(r"^\| (.+?) \| ([\d.]+)(?: / [\d.]+)? ms \|", bench, re.MULTILINE))
    rows = (f"| {words} | {float(found[row]):.2g} ms |" for words, row in ROWS.items())
    return "\n".join(("| an agent waits for | half of all calls take at most |", "|---|--:|", *rows, ""))
