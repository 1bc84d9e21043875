"""`synaptic sessions`: the agents' sessions that the journal knows."""

from datetime import datetime
from typing import Annotated

from synaptic.cli import progress, screen, typer
from synaptic.cli.cells import clean_line, cut_cells
from synaptic.cli.filters import add_filter_options
from synaptic.cli.place import find_place, open_journal
from synaptic.cli.verbs import Hub, Json, format_examples, make_verb_app
from synaptic.model.moment import find_local_time
from synaptic.store.agent_sessions import AgentSession, list_agent_sessions
from synaptic.store.journal_filter import JournalFilter
from synaptic.work.event_words import name_project

app = make_verb_app()
SHORT_ID = 8
TITLES = ("SESSION", "AGENT", "PROJECT", "BEGAN", "LASTED", "TURNS", "CALLS", "DENIED", "CONTEXT")
PROJECT_WIDTH = 10
"""Cells of a project's name where a person looks: with more of them a line would not fit."""

EXAMPLES = """
synaptic sessions
synaptic sessions --denied --since yesterday   those in which something was refused
synaptic sessions --hub                        of all machines of the team
synaptic session show 1f3a                     what one of them did, turn by turn
"""


@app.command(epilog=format_examples(EXAMPLES))
@add_filter_options
def sessions(
    chosen: JournalFilter,
    lines: Annotated[int, typer.Option("--lines", "-n", min=1, max=10_000, help="How many at most.")] = 20,
    hub: Hub = False,
    as_json: Json = False,
) -> None:
    """List the agents' sessions, the newest first; with filters those that have an event like that."""
    if hub:
        from synaptic.cli.hub_hosts import show_sessions  # noqa: PLC0415  HTTP and TLS are for this alone

        show_sessions(chosen, lines, as_json=as_json)
        return
    with open_journal(find_place().home) as store, progress.show_progress("reading what the journal holds"):
        found = list_agent_sessions(store, chosen, lines)
    if as_json:
        screen.print_json({"sessions": found})
    elif not found:
        screen.say("no session is like that" if not chosen.is_empty else "the journal knows no session yet")
    else:
        rows = [TITLES, *map(_make_row, found)]
        if not any(row[-1] for row in rows[1:]):
            rows = [row[:-1] for row in rows]  # nobody has told how full its context is
        screen.print_table(rows[0], rows[1:])


def _make_row(one: AgentSession) -> tuple[str, ...]:
    context = "" if one.context is None else f"{one.context:.0%}"
    numbers = (str(one.prompts), str(one.calls), str(one.denied))
    project = name_project(one.root)
    shown = cut_cells(clean_line(project), PROJECT_WIDTH) if screen.is_terminal() else project
    return (one.id[:SHORT_ID], one.agent, shown, format_time(one.began), format_span(one), *numbers, context)


def format_span(one: AgentSession) -> str:
    """How long it was heard of: `40 s`, `12 min`, `3.5 h`, `2 d`."""
    seconds = max(one.last - one.began, 0)
    if seconds < 5400:
        return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 172_800 else f"{seconds / 86_400:.0f} d"


def format_time(at: float) -> str:
    """The time of day if it was today, else the day as well."""
    moment = find_local_time(at)
    return moment.strftime("%H:%M" if moment.date() == datetime.now().date() else "%m-%d %H:%M")
