"""A report in the words of GitHub Actions: annotations on stdout, Markdown for the summary of a job.

What agents have tried stands in both, so every text is escaped: no line of it may become a command to the runner, and
no letter of it markup.
"""

import html

from synaptic.work.refusal_report import DISOBEYED, RefusalReport, StoppedCall

MOST_ROWS = 200
"""A summary of more than a megabyte is thrown away as a whole."""
DATA_ESCAPES = {"%": "%25", "\r": "%0D", "\n": "%0A"}
PROPERTY_ESCAPES = {**DATA_ESCAPES, ":": "%3A", ",": "%2C"}
HEAD = "| | call | what | policy | why |\n|---|---|---|---|---|\n"


def format_annotation(call: StoppedCall) -> str:
    """One line that the runner shows beside the job."""
    level = "error" if call.outcome in DISOBEYED else "warning"
    title = _escape(f"Synaptic: {call.by or call.kind}, {call.outcome}", PROPERTY_ESCAPES)
    told = f"{call.tool} {call.subject}: {call.reason} (synaptic explain {call.id})"
    return f"::{level} title={title}::{_escape(told, DATA_ESCAPES)}"


def format_summary(report: RefusalReport) -> str:
    """The whole report as Markdown."""
    refused = sum(call.kind == "deny" for call in report.calls)
    asked = len(report.calls) - refused
    lines = [
        "## Synaptic\n\n",
        f"{refused} refused, {len(report.disobeyed)} of them not obeyed; "
        f"{asked} asked about, {len(report.unanswered)} of them not answered.\n",
    ]
    if report.calls:
        lines += ["\n", HEAD, *map(_format_row, report.calls[:MOST_ROWS])]
    if len(report.calls) > MOST_ROWS:
        lines.append(f"\nand {len(report.calls) - MOST_ROWS} more: `synaptic report --json`\n")
    return "".join(lines)


def _format_row(call: StoppedCall) -> str:
    cells = (call.outcome, str(call.id), f"{call.tool} {call.subject}", call.by, call.reason)
    return f"| {' | '.join(_escape_cell(cell) for cell in cells)} |\n"


def _escape(text: str, escapes: dict[str, str]) -> str:
    plain = "".join(letter if letter.isprintable() or letter in escapes else "�" for letter in text)
    return "".join(escapes.get(letter, letter) for letter in plain)


def _escape_cell(text: str) -> str:
    """Text between tags, where Markdown is not read, and no bar or line break ends the cell."""
    plain = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return f"<code>{html.escape(plain).replace('|', '&#124;').replace('`', '&#96;')}</code>" if plain else ""
