"""`synaptic sessions`: the agents' sessions that the journal knows."""

from datetime import datetime
from typing import Annotated

from synaptic.cli import progress, screen, typer
from synaptic.cli.filters import add_filter_options
from synaptic.cli.place import find_place, open_journal
from synaptic.cli.verbs import Json, format_examples, make_verb_app
from synaptic.store.agent_sessions import AgentSession, list_agent_sessions
from synaptic.store.journal_filter import JournalFilter

app = make_verb_app()
SHORT_ID = 8
TITLES = ("SESSION", "AGENT", "PROJECT", "BEGAN", "LAST", "PROMPTS", "CALLS", "DENIED", "CONTEXT")

EXAMPLES = """
synaptic sessions
synaptic sessions --denied --since yesterday   those in which something was refused
synaptic session show 1f3a                     what one of them did, turn by turn
"""


@app.command(epilog=format_examples(EXAMPLES))
@add_filter_options
def sessions(
    chosen: JournalFilter,
    lines: Annotated[int, typer.Option("--lines", "-n", min=1, max=10_000, help="How many at most.")] = 20,
    as_json: Json = False,
) -> None:
    """List the agents' sessions, the newest first; with filters those that have an event like that."""
    with open_journal(find_place().home) as store, progress.show_progress("reading what the journal holds"):
        found = list_agent_sessions(store, chosen, lines)
    if as_json:
        screen.print_json({"sessions": found})
    elif not found:
        screen.say("no session is like that" if not chosen.is_empty else "the journal knows no session yet")
    else:
        screen.print_table(TITLES, map(_make_row, found))


def _make_row(one: AgentSession) -> tuple[str, ...]:
    context = "" if one.context is None else f"{one.context:.0%}"
    numbers = (str(one.prompts), str(one.calls), str(one.denied))
    project = one.root.rpartition("/")[2]
    return (one.id[:SHORT_ID], one.agent, project, format_time(one.began), format_time(one.last), *numbers, context)


def format_time(at: float) -> str:
    """The time of day if it was today, else the day as well."""
    moment = datetime.fromtimestamp(at)
    return moment.strftime("%H:%M" if moment.date() == datetime.now().date() else "%m-%d %H:%M")
