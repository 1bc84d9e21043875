"""`synaptic report`: what was refused, what the agent did about it, and which questions nobody answered."""

import os
import sys
import time
from datetime import datetime
from typing import Annotated

from synaptic.cli import screen, typer
from synaptic.cli.github import format_annotation, format_summary
from synaptic.cli.place import find_place, open_journal
from synaptic.cli.verbs import format_examples, make_verb_app
from synaptic.work.refusal_report import RefusalReport, StoppedCall, make_report

app = make_verb_app()
SUMMARY_VARIABLE = "GITHUB_STEP_SUMMARY"
DISOBEYED_EXIT, UNANSWERED_EXIT = 2, 4

EXAMPLES = """
synaptic report                 of the last day
synaptic report --hours 1 --json
synaptic report --github        in a job: annotations, a summary, and an exit code
"""


@app.command(epilog=format_examples(EXAMPLES))
def report(
    hours: Annotated[float, typer.Option(min=0, help="How far back to look.")] = 24,
    github: Annotated[bool, typer.Option("--github", help="Annotations, and a summary of the job.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Say it by the exit code; so does --github.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Refusals that were not obeyed (exit code 2 with --check), questions that nobody answered (4), and the rest.

    Not obeyed: the call ran all the same, or the same policy had to refuse something else later in the session.
    """
    if github and as_json:
        raise typer.BadParameter("give --github or --json, not both")
    with open_journal(find_place().home) as store:
        made = make_report(store, time.time() - hours * 3600)
    if as_json:
        counts = {"refused": _count_refused(made), "disobeyed": len(made.disobeyed), "unanswered": len(made.unanswered)}
        screen.print_json({**counts, "calls": made.calls})
    elif github:
        _print_annotations(made)
    else:
        _print_plain(made)
    if check or github:
        raise typer.Exit(DISOBEYED_EXIT if made.disobeyed else UNANSWERED_EXIT if made.unanswered else 0)


def _print_plain(made: RefusalReport) -> None:
    if not made.calls:
        screen.say("Nothing was refused or asked about.")
        return
    for call in made.calls:
        at = datetime.fromtimestamp(call.at).strftime("%Y-%m-%d %H:%M")
        screen.say(f"{at} {call.id} {call.kind} by {call.by or 'a hook'}, {call.outcome}: {_describe(call)}")
        screen.say(f"    {call.reason}")
    disobeyed, unanswered = len(made.disobeyed), len(made.unanswered)
    screen.say(f"\n{_count_refused(made)} refused, {disobeyed} not obeyed, {unanswered} questions not answered.")
    screen.say("Why: synaptic explain NUMBER")


def _print_annotations(made: RefusalReport) -> None:
    for call in made.calls:
        sys.stdout.write(f"{format_annotation(call)}\n")
    path = os.environ.get(SUMMARY_VARIABLE)
    if not path:
        screen.warn(f"{SUMMARY_VARIABLE} is not set: there is no summary, only annotations")
        return
    try:
        with open(path, "a", encoding="utf-8") as out:  # noqa: PTH123 - Path has no way to append
            out.write(format_summary(made))
    except OSError as error:  # the exit code matters more than the page
        screen.warn(f"{path}: the summary cannot be written: {error.strerror}")


def _describe(call: StoppedCall) -> str:
    return f"{call.tool} {' '.join(call.subject.split())}"


def _count_refused(made: RefusalReport) -> int:
    return sum(call.kind == "deny" for call in made.calls)
