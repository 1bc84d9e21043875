"""`synaptic witness`: what became of every tool call, of how many anything is known, and what cannot be seen."""

import os
from collections.abc import Iterator
from typing import Annotated

from synaptic.agents.shared.discover import load_agents
from synaptic.agents.shared.wired import list_wired_agents
from synaptic.cli import progress, screen, typer
from synaptic.cli.filters import MOMENTS, read_option_moment
from synaptic.cli.place import find_place, open_journal
from synaptic.cli.verbs import Json, format_examples, make_verb_app
from synaptic.engine.reconcile import reconcile_all
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home
from synaptic.model.moment import find_local_time
from synaptic.model.witness import Standing
from synaptic.store.db import Store
from synaptic.store.witnessed import find_session_names
from synaptic.work.witness_report import MEANING, ToldCall, WitnessReport, make_report

app = make_verb_app()

EXAMPLES = """
synaptic witness                      of the last seven days
synaptic witness --since 8h --json
synaptic witness --session f30108f7   one session; the beginning of its id is enough
"""


@app.command(epilog=format_examples(EXAMPLES))
def witness(
    session: Annotated[str, typer.Option(metavar="ID", help="Of one session: its id, or how it begins.")] = "",
    since: Annotated[str, typer.Option(metavar="WHEN", help=f"From then on: {MOMENTS}.")] = "7d",
    as_json: Json = False,
) -> None:
    """What became of every tool call: whether agents did what they were told, and what nobody can see.

    The exit code is 1 when a call was disobeyed or ran unasked. Transcripts of agents are compared first.
    """
    start = read_option_moment(since, "--since")
    home = find_place().home
    with progress.show_progress("comparing with the agents' transcripts"), open_journal(home) as store:
        name = _find_session(store, session) if session else ""
        reconcile_all(home, store, start, os.environ)
        made, unseen = make_report(store, start, name), list_unseen(home)
    if as_json:
        screen.print_json({"since": start, "session": name, "unseen_by_hooks": unseen, **_to_json(made)})
    else:
        _print_report(made, unseen)
    raise typer.Exit(int(made.has_failed))


def list_unseen(home: Home) -> dict[str, list[str]]:
    """What no hook of the wired agents sees, by the agent's name as people know it."""
    wired = list_wired_agents(home)
    agents = [agent for agent in load_agents() if agent.name in wired]
    return {agent.title: [*agent.unseen, *_list_limits(agent.trail.read_line is None)] for agent in agents}


def _list_limits(has_no_transcript: bool) -> Iterator[str]:
    if has_no_transcript:
        yield "calls of which neither a question nor a result came: its transcript is not read"


def _print_report(made: WitnessReport, unseen: dict[str, list[str]]) -> None:
    calls = f"{made.calls:,} call{'' if made.calls == 1 else 's'}"
    screen.say_under(
        f"{calls}: ",
        f"{made.asked:,} asked about, {made.reported:,} with a result, {made.written:,} found in transcripts",
    )
    if made.unnumbered:
        told = "of an agent that gives no numbers: the same call again in a session is counted once"
        screen.say_under(f"{made.unnumbered:,} of them ", told)
    for title, limits in unseen.items():
        screen.say_under("not seen  ", f"{title}: {'; '.join(limits) or 'nothing that is known'}")
    screen.say()
    for standing in Standing:
        if count := made.standings[standing]:
            screen.say_under(f"{count:>7,}  ", f"{standing}: {MEANING[standing]}")
    for call in made.told:
        _print_call(call)
    if older := made.alarms - len(made.told):
        screen.say()
        screen.say_under("", f"{older:,} older ones are not shown: narrow it down with --since or --session")


def _print_call(call: ToldCall) -> None:
    when = find_local_time(call.at).strftime("%Y-%m-%d %H:%M")
    what = f"{call.tool} {' '.join(call.subject.split())}".strip() or "a call that only the transcript has"
    by = f" by {call.by}" if call.by else ""
    screen.say()
    screen.say_under(f"{when}  ", f"{call.standing}{by}, {call.agent}: {what}")
    for id in filter(None, (call.asked, call.ran)):
        screen.say_exactly(f"      synaptic explain {id}")


def _to_json(made: WitnessReport) -> dict[str, object]:
    return {
        "calls": made.calls,
        "asked": made.asked,
        "reported": made.reported,
        "in_transcripts": made.written,
        "unnumbered": made.unnumbered,
        "standings": made.standings,
        "alarms": made.alarms,
        "told": made.told,
    }


def _find_session(store: Store, start: str) -> str:
    found = find_session_names(store, start)
    if start in found:
        return start
    if len(found) != 1:
        what = "several sessions begin so" if found else "no session that was witnessed begins so"
        raise SynapticError(what, where=start, hint="type: synaptic session list")
    return found[0]
