"""`synaptic report`: what was refused, what the agent did about it, and which questions nobody answered."""

import os
import sys
import time
from typing import Annotated

from synaptic.cli import progress, screen, typer
from synaptic.cli.cells import cut_cells
from synaptic.cli.filters import MOMENTS, read_option_moment
from synaptic.cli.github import format_annotation, format_summary
from synaptic.cli.place import find_place, open_journal
from synaptic.cli.verbs import format_examples, make_verb_app
from synaptic.model.moment import find_local_time
from synaptic.work.event_words import drop_handle, shorten_path
from synaptic.work.history_report import HistoryReport, make_history_report
from synaptic.work.refusal_report import RefusalReport, StoppedCall, make_report

app = make_verb_app()
SUMMARY_VARIABLE = "GITHUB_STEP_SUMMARY"
DISOBEYED_EXIT, UNANSWERED_EXIT = 2, 4
MOST_REASON = 600
"""Cells of a reason; `explain` has all of it."""

EXAMPLES = """
synaptic report                 of the last day
synaptic report --hours 1 --json
synaptic report --since 7d      what happened, per project, agent and policy
synaptic report --since monday --html > week.html
synaptic report --github        in a job: annotations, a summary, and an exit code
"""


@app.command(epilog=format_examples(EXAMPLES))
def report(
    hours: Annotated[float, typer.Option(min=0, help="How far back to look.")] = 24,
    since: Annotated[str, typer.Option(metavar="WHEN", help=f"All that happened since then: {MOMENTS}.")] = "",
    markdown: Annotated[bool, typer.Option("--md", help="All that happened, as Markdown.")] = False,
    html: Annotated[bool, typer.Option("--html", help="All that happened, as one page with plots.")] = False,
    github: Annotated[bool, typer.Option("--github", help="Annotations, and a summary of the job.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Say it by the exit code; so does --github.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Refusals that were not obeyed (exit code 2 with --check), questions that nobody answered (4), and the rest.

    Not obeyed: the call ran all the same, or the same policy had to refuse something else later in the session.
    """
    formats = {"--github": github, "--json": as_json, "--md": markdown, "--html": html}
    given = [name for name, is_on in formats.items() if is_on]
    if len(given) > 1:
        raise typer.BadParameter(f"give {' or '.join(given)}, not both")
    moment = read_option_moment(since, "--since") or time.time() - hours * 3600
    wants_history = bool(since or markdown or html)
    with open_journal(find_place().home) as store, progress.show_progress("counting what the journal holds"):
        made = make_report(store, moment)
        history = make_history_report(store, moment) if wants_history or as_json else None
    if history is not None and not as_json and not github:
        _print_history(history, made, (markdown, html))
    elif as_json:
        counts = {"refused": _count_refused(made), "disobeyed": len(made.disobeyed), "unanswered": len(made.unanswered)}
        screen.print_json({**counts, "calls": made.calls, "history": history})
    elif github:
        _print_annotations(made)
    else:
        _print_plain(made)
    if check or github:
        raise typer.Exit(DISOBEYED_EXIT if made.disobeyed else UNANSWERED_EXIT if made.unanswered else 0)


def _print_history(history: HistoryReport, made: RefusalReport, wanted: tuple[bool, bool]) -> None:
    """As Markdown, as a page, or for a terminal. Its parts are imported here: a job on GitHub needs none of them."""
    from synaptic.cli import report_html, report_text  # noqa: PLC0415

    markdown, html = wanted
    if markdown:
        sys.stdout.write(report_text.format_markdown(history, made))
    elif html:
        sys.stdout.write(report_html.format_page(history, made))
    else:
        report_text.print_report(history, made)


def _print_plain(made: RefusalReport) -> None:
    if not made.calls:
        screen.say("Nothing was refused or asked about.")
        return
    for call in made.calls:
        at = find_local_time(call.at).strftime("%Y-%m-%d %H:%M")
        screen.say(f"{at} {call.id} {call.kind} by {call.by or 'a hook'}, {call.outcome}: {_describe(call)}")
        screen.say(f"    {cut_cells(drop_handle(call.reason), MOST_REASON)}")
    from synaptic.cli.report_text import describe_refusals  # noqa: PLC0415  as above

    screen.say(f"\n{describe_refusals(made)}")
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
    return f"{call.tool} {shorten_path(' '.join(call.subject.split()), call.root)}"


def _count_refused(made: RefusalReport) -> int:
    return sum(call.kind == "deny" for call in made.calls)
