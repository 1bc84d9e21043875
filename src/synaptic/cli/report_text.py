"""A report of what happened, as Markdown: the same text is read well in a terminal and rendered anywhere."""

import html
from collections.abc import Iterator, Sequence

from synaptic.cli import screen
from synaptic.cli.usage import format_millis
from synaptic.model.moment import find_local_time
from synaptic.store.refusals import MOST_FOUND
from synaptic.work.history_report import HistoryReport, HistoryRow
from synaptic.work.refusal_report import RefusalReport

COUNT_TITLES = ("EVENTS", "CALLS", "DENIED", "ASKED", "REWRITTEN")
HOOK_TITLES = ("HOOK", "CALLS", "FAILED", "P50", "P95", "TOTAL")
MARKUP = str.maketrans({letter: f"\\{letter}" for letter in "\\`*_[]|!~#"})

Table = tuple[str, Sequence[str], Sequence[tuple[str, ...]]]


def list_tables(made: HistoryReport) -> list[Table]:
    """The tables of a report: title, heads, rows."""
    tables: list[Table] = []
    for title, rows in (("Project", made.projects), ("Agent", made.agents)):
        tables.append((f"{title}s", (title.upper(), *COUNT_TITLES), [make_count_row(row) for row in rows]))
    decided = [(row.name or "a hook", str(row.denied), str(row.asked), str(row.rewritten)) for row in made.policies]
    tables.append(("Who decided", ("POLICY OR HOOK", *COUNT_TITLES[2:]), decided))
    hooks = [
        (
            one.name,
            str(one.calls),
            str(one.failures),
            "" if one.p50 is None else format_millis(one.p50),
            "" if one.p95 is None else format_millis(one.p95),
            format_millis(one.total),
        )
        for one in made.hooks
    ]
    tables.append(("What took the most time", HOOK_TITLES, hooks))
    return tables


def make_count_row(row: HistoryRow) -> tuple[str, ...]:
    """The cells of one project or agent."""
    numbers = (row.events, row.calls, row.denied, row.asked, row.rewritten)
    return (row.name or "none", *map(str, numbers))


def describe_span(made: HistoryReport) -> str:
    """Since when, in words."""
    return f"from {_format(made.since)} to {_format(made.until)}"


def describe_cost(made: HistoryReport) -> str:
    """What agents waited for us, in words."""
    own = made.own
    each = f"half of {own.calls:,} events within {format_millis(own.p50)}, 95 of 100 within {format_millis(own.p95)}"
    return f"Agents waited {format_millis(made.own_seconds * 1000)} for Synaptic and its hooks: {each}."


def print_report(made: HistoryReport, refused: RefusalReport) -> None:
    """Print the tables to a terminal, and how many refusals were not obeyed."""
    screen.say(f"What happened {describe_span(made)}")
    for title, heads, rows in list_tables(made):
        if rows:
            screen.say(f"\n{title}")
            screen.print_table(heads, rows)
    screen.say(f"\n{describe_cost(made)}")
    screen.say(describe_refusals(refused))


def describe_refusals(refused: RefusalReport) -> str:
    """How many calls were stopped, and what became of them."""
    denied = sum(call.kind == "deny" for call in refused.calls)
    disobeyed, unanswered = len(refused.disobeyed), len(refused.unanswered)
    questions = "1 question" if unanswered == 1 else f"{unanswered} questions"
    newest = f"Of the newest {MOST_FOUND:,} calls that were stopped: " if len(refused.calls) >= MOST_FOUND else ""
    return f"{newest}{denied} refused, {disobeyed} not obeyed, {questions} not answered."


def format_markdown(made: HistoryReport, refused: RefusalReport) -> str:
    """The report as Markdown; no text of an agent becomes markup in it."""
    return "\n".join(_list_lines(made, refused)) + "\n"


def _list_lines(made: HistoryReport, refused: RefusalReport) -> Iterator[str]:
    yield f"# Synaptic: what happened\n\n{describe_span(made)}\n"
    yield f"{describe_cost(made)} {describe_refusals(refused)}"
    for title, heads, rows in list_tables(made):
        if rows:
            yield f"\n## {title}\n"
            yield from _list_table(heads, rows)
    stopped = [
        (str(call.id), call.kind, call.by, f"{call.tool} {call.subject}", call.outcome) for call in refused.calls
    ]
    if stopped:
        yield "\n## Stopped calls\n"
        yield from _list_table(("EVENT", "DECISION", "BY", "CALL", "OUTCOME"), stopped)


def _list_table(heads: Sequence[str], rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(head.capitalize() for head in heads)} |"
    yield f"|{'---|' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(map(escape_markdown, row))} |"


def escape_markdown(text: str) -> str:
    """A text that is only text in a cell of a table."""
    clean = " ".join(screen.clean_text(text).split())
    return html.escape(clean, quote=False).translate(MARKUP).replace("://", ":\u200b//").replace("@", "&#64;")


def _format(at: float) -> str:
    return find_local_time(at).strftime("%Y-%m-%d %H:%M")
