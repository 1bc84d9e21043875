"""`synaptic suggest`: what the last weeks speak for."""

import time
from typing import Annotated

from synaptic.cli import progress, screen, suggestions, typer
from synaptic.cli.filters import MOMENTS, read_option_moment
from synaptic.cli.place import find_place, open_journal
from synaptic.cli.verbs import Json, format_examples, make_verb_app
from synaptic.model.moment import find_local_time
from synaptic.work.replay import ReplayScope
from synaptic.work.suggest import Evidence, Suggestion, find_suggestions

app = make_verb_app()

EXAMPLES = """
synaptic suggest                of the last two weeks, in all projects
synaptic suggest --since 30d --project . --json
"""


@app.command(epilog=format_examples(EXAMPLES))
def suggest(
    since: Annotated[str, typer.Option(metavar="WHEN", help=f"From then on: {MOMENTS}.")] = "14d",
    project: Annotated[
        str,
        typer.Option(metavar="FOLDER", help="Only for this project.", autocompletion=suggestions.complete_files),
    ] = "",
    as_json: Json = False,
) -> None:
    """Presets that would have stopped something, rules and exceptions that you have made by hand: each with evidence.

    It reads the journal and changes nothing.
    """
    place = find_place(project)
    scope = ReplayScope(
        since=read_option_moment(since, "--since"), until=time.time(), root=place.root if project else ""
    )
    with open_journal(place.home) as store, progress.show_progress("deciding the last weeks again"):
        found = find_suggestions(store, scope)
    if as_json:
        screen.print_json({"since": scope.since, "suggestions": found})
        return
    if not found:
        screen.say("Nothing: no preset would have stopped a call, and nothing was allowed or refused again and again.")
    for number, one in enumerate(found):
        _print_suggestion(one, is_first=not number)


def _print_suggestion(one: Suggestion, *, is_first: bool) -> None:
    if not is_first:
        screen.say()
    guessed = f" ({one.approximate} of them a guess: their facts were not recorded)" if one.approximate else ""
    screen.say(f"{one.what}: {one.why}{guessed}")
    for evidence in one.evidence:
        screen.say(screen.cut_line(f"  {_describe(evidence)}", 0))
    if one.count > len(one.evidence):
        screen.say(f"  ... and {one.count - len(one.evidence)} more")
    screen.say_exactly(f"  type: {one.type}")


def _describe(one: Evidence) -> str:
    day = find_local_time(one.at).strftime("%m-%d %H:%M")
    parts = (str(one.event) if one.event else "", day, one.text, f"({one.by})" if one.by else "")
    return " ".join(filter(None, parts))
