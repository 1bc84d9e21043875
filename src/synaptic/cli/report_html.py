"""A report of what happened, as one page that needs nothing else: no script, no request, light and dark."""

import html
from collections.abc import Iterator, Sequence

from synaptic.cli import screen
from synaptic.cli.report_text import describe_cost, describe_refusals, describe_span, list_tables
from synaptic.work.history_report import HistoryReport, HistoryRow
from synaptic.work.refusal_report import RefusalReport
from synaptic.work.saved_page import format_head

WIDTH, HEIGHT, MARGIN = 720, 160, 24
STACK = (("rewritten", "c"), ("asked", "b"), ("denied", "a"))
HEAD = format_head("Synaptic: what happened")


def format_page(made: HistoryReport, refused: RefusalReport) -> str:
    """The whole page; every text of an agent, a project or a hook is escaped."""
    return "".join(_list_parts(made, refused)) + "</body></html>\n"


def _list_parts(made: HistoryReport, refused: RefusalReport) -> Iterator[str]:
    yield HEAD
    yield f"<h1>What happened</h1><p>{escape_html(describe_span(made))}</p>"
    yield f"<p>{escape_html(describe_cost(made))} {escape_html(describe_refusals(refused))}</p>"
    if made.days:
        yield "<h2>Events a day</h2>" + draw_bars(made.days, (("events", "d"),))
        yield "<h2>Denied, asked about, rewritten a day</h2>"
        yield '<p class="key"><span class="a">■ denied</span><span class="b">■ asked</span>'
        yield '<span class="c">■ rewritten</span></p>' + draw_bars(made.days, STACK)
    for title, heads, rows in list_tables(made):
        if rows:
            yield f"<h2>{escape_html(title)}</h2>{_format_table(heads, rows)}"
    if refused.calls:
        rows = [
            (str(call.id), call.kind, call.by, f"{call.tool} {call.subject}", call.reason, call.outcome)
            for call in refused.calls
        ]
        heads = ("EVENT", "DECISION", "BY", "CALL", "REASON", "OUTCOME")
        yield f"<h2>Stopped calls</h2>{_format_table(heads, rows)}"


def draw_bars(days: Sequence[HistoryRow], fields: Sequence[tuple[str, str]]) -> str:
    """Draw a bar a day as SVG, its parts on top of each other: each is a field and the class of its colour."""
    top = max((sum(getattr(day, field) for field, _ in fields) for day in days), default=0) or 1
    step = (WIDTH - 2 * MARGIN) / len(days)
    room = HEIGHT - 2 * MARGIN
    parts = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="bars a day, at most {top}">']
    for at, day in enumerate(days):
        left, base = MARGIN + at * step, float(HEIGHT - MARGIN)
        for field, colour in fields:
            count = getattr(day, field)
            if not count:
                continue
            high = room * count / top
            base -= high
            parts.append(
                f'<rect class="{colour}" x="{left:.1f}" y="{base:.1f}" width="{max(step * 0.8, 0.5):.1f}" '
                f'height="{high:.1f}"><title>{escape_html(day.name)}: {count} {field}</title></rect>'
            )
    parts.append(f'<text x="{MARGIN}" y="{MARGIN - 8}">{top}</text>')
    parts.append(f'<text x="{MARGIN}" y="{HEIGHT - 6}">{escape_html(days[0].name)}</text>')
    parts.append(f'<text x="{WIDTH - MARGIN}" y="{HEIGHT - 6}" text-anchor="end">{escape_html(days[-1].name)}</text>')
    return "".join(parts) + "</svg>"


def _format_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    titles = "".join(f"<th>{escape_html(head)}</th>" for head in heads)
    body = "".join(f"<tr>{''.join(f'<td>{escape_html(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"


def escape_html(text: str) -> str:
    """A text that is only text, in an element and in an attribute."""
    return html.escape(screen.clean_text(text), quote=True)
