"""`synaptic case`: a past event as a case that `self-test` asks about."""

from typing import Annotated

from synaptic.cli import completion, screen, suggestions, typer
from synaptic.cli.explain import find_event
from synaptic.cli.place import find_place, open_journal
from synaptic.cli.verbs import Json, format_examples, make_verb_app
from synaptic.model.decision import Kind
from synaptic.work.disputed_cases import CasePlace, add_case, write_case
from synaptic.work.past_cases import PastCase, find_project, make_past_case

app = make_verb_app()

EXAMPLES = """
synaptic case 42                     it should have gone on: into .synaptic/cases of its project
synaptic case 42 --want deny --policy git.force-push
synaptic case 42 --dry-run           only show it
"""


@app.command(epilog=format_examples(EXAMPLES))
def case(
    which: Annotated[
        str,
        typer.Argument(
            metavar="ID|CALL",
            help="Number or call id of the event.",
            autocompletion=suggestions.complete_event_numbers,
        ),
    ],
    want: Annotated[
        str,
        typer.Option(
            help="What the policy should say: none, deny, ask, rewrite, allow or advise.",
            autocompletion=suggestions.complete_words(*Kind),
        ),
    ] = "none",
    policy: Annotated[
        str,
        typer.Option(
            help="Which policy; the one that decided, without it.", autocompletion=completion.complete_policies
        ),
    ] = "",
    mine: Annotated[bool, typer.Option("--mine", help="Keep it for yourself, not in the project.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show the case.")] = False,
    as_json: Json = False,
) -> None:
    """Write a past event down as a case, as small as the policy still judges it so, and without secrets.

    `synaptic self-test` asks about it from then on. It fails nothing: it shows who still judges otherwise.
    """
    if want not in list(Kind):
        raise typer.BadParameter(f"--want is one of {', '.join(Kind)}")
    place = find_place()
    with open_journal(place.home) as store:
        made = make_past_case(store, find_event(store, which), Kind(want), policy)
    file = ""
    if not dry_run:
        file = str(add_case(CasePlace(place.home, None if mine else find_project(made.root)), made.policy, made.case))
    _print_case(made, file, as_json)


def _print_case(made: PastCase, file: str, as_json: bool) -> None:
    text = write_case(made.case)
    if as_json:
        screen.print_json({"policy": made.policy, "file": file or None, "shows": made.shows, "toml": text})
        return
    screen.say_exactly(text.rstrip("\n"))
    if not made.shows:
        screen.say(
            f"{made.policy} judges this case otherwise than the event: it has judged by more than a case can hold."
        )
    if file:
        screen.say(f"Written to {file}. Try it: synaptic self-test {made.policy}")
