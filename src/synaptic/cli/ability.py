"""`synaptic ability`: what the repository offers, found, run with its hooks, and checked."""

import os
import sys
from typing import Annotated, Any

from synaptic.cli import screen, typer
from synaptic.cli.carry_out import carry_out
from synaptic.cli.emit import BLOCKED_EXIT
from synaptic.cli.place import CommandPlace, find_place, require_root
from synaptic.cli.verbs import Json, make_verb_app
from synaptic.daemon.emit import Emission, EmissionResult, complete_context, emit_through
from synaptic.hooks import abilities, knowledge
from synaptic.policies.routing.summary import summarize_text
from synaptic.runners import wrapped
from synaptic.work.abilities import FindDocuments, ListAbilities, SuggestAbilities

JOB_VARIABLES = {"CI": "ci_pipeline", "GITHUB_ACTIONS": "ci_pipeline", "INVOCATION_ID": "background_job"}
"""Variables that say who calls, when nobody sits in front."""

app = make_verb_app(
    "The abilities of this repository: find them, run them with their hooks, check their descriptions.",
    """
    synaptic ability suggest "run the full billing tests"
    synaptic ability run billing_regression -- make test-billing
    synaptic ability documents execution.quality_gates pre_commit_checks --stage plan
    synaptic ability lint
    """,
)


@app.command("list")
def list_abilities(as_json: Json = False) -> None:
    """Every ability that the repository describes."""
    root = find_place().root
    found = carry_out(ListAbilities(root=root))
    if as_json:
        screen.print_json({"root": root, "abilities": found})
        return
    if not found:
        screen.say("this repository describes no abilities (see docs: abilities)")
        return
    screen.print_table(
        ("ID", "SOURCE", "ABOUT"), ((one.id, one.source, summarize_text(one.summary, 80)) for one in found)
    )


@app.command()
def suggest(
    text: Annotated[str, typer.Argument(help="What somebody wants, in their words.")],
    most: Annotated[int, typer.Option(help="How many at most.")] = 5,
    as_json: Json = False,
) -> None:
    """The abilities that fit a request, best first, with the reason and how sure that is."""
    found = carry_out(SuggestAbilities(root=find_place().root, text=text, most=most))
    if as_json:
        screen.print_json({"suggested_abilities": found})
        return
    screen.print_table(("CONFIDENCE", "ID", "REASON"), ((f"{one.confidence:.2f}", one.id, one.reason) for one in found))


@app.command(context_settings={"ignore_unknown_options": True})
def run(
    ability: Annotated[str, typer.Argument(metavar="ID", help="The ability that is called.")],
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND...", help="What carries it out.")],
    operation_key: Annotated[str, typer.Option(help="Its operation key, such as workflow.billing.regression.")] = "",
    environment: Annotated[str, typer.Option(help="The environment it works on, such as production.")] = "",
    tool_call_path: Annotated[str, typer.Option(metavar="FILE", help="The task's own tool_call.md.")] = "",
) -> None:
    """Run a command as an ability call: its hooks before, the command, its hooks after. The exit code is the command's.

    A call that a hook blocks is not run (exit code 2), whoever calls: a person, CI or cron.
    """
    place = find_place()
    line = summarize_text(" ".join(command))
    common = {"ability_id": ability, "caller": {"source": _find_caller_source()}, "stage": "act"}
    named = {"operation_key": operation_key, "environment": environment, "tool_call_path": tool_call_path}
    common |= {key: value for key, value in named.items() if value}
    before = _emit_ability_event(place, "PreAbilityCall", {**common, "planned_input_summary": line})
    if before.blocked:
        screen.warn(f"{ability} is not run: {before.result.get('error', 'blocked')}")
        raise typer.Exit(BLOCKED_EXIT)
    ended = wrapped.run_wrapped(command)
    if ended.trouble:
        screen.warn(f"{command[0]} {ended.trouble}")
    status = "failure" if ended.exit else "success"
    texts = {"input_summary": line, "output_summary": summarize_text(ended.trouble or ended.output)}
    _emit_ability_event(place, "PostAbilityCall", {**common, **texts, "status": status, "duration_ms": ended.millis})
    raise typer.Exit(ended.exit)


@app.command()
def documents(
    scope: Annotated[str, typer.Argument(help="Such as execution.quality_gates.")],
    topic: Annotated[str, typer.Argument(help="Such as pre_commit_checks.")] = "",
    stage: Annotated[str, typer.Option(help="understand, plan, act or review.")] = "",
    as_json: Json = False,
) -> None:
    """The documents that knowledge routing selects for an intent."""
    intent = {"scope": scope, "topic": topic, "stage": stage}
    found = carry_out(FindDocuments(root=find_place().root, intent=intent))
    if as_json:
        screen.print_json({"suggested_documents": found})
        return
    for item in found:
        screen.say(f"{item['path']}: {item['reason']}")


@app.command()
def lint(as_json: Json = False) -> None:
    """Everything that is wrong with descriptions of abilities and with routing indexes; exit code 1 if something is."""
    root = require_root(find_place())
    found = abilities.read_pool(root, abilities.find_ability_files(root))
    problems = (*found.problems, *knowledge.lint_routing(root))
    if as_json:
        screen.print_json({"ok": not problems, "abilities": len(found.abilities), "problems": problems})
    else:
        for problem in problems:
            screen.warn(problem)
        if not problems:
            screen.say(f"{len(found.abilities)} abilities and their routing are in order")
    if problems:
        raise typer.Exit(1)


def _emit_ability_event(place: CommandPlace, event: str, context: dict[str, Any]) -> EmissionResult:
    whole = complete_context(event, context, place.root)
    emitted = emit_through(place.home, Emission(event=event, context=whole))
    for text in (*emitted.warnings, *emitted.result.get("messages_to_user", ())):
        screen.warn(str(text))
    return emitted


def _find_caller_source() -> str:
    # First: a person may have CI set in the shell that they type in.
    if sys.stdin.isatty():
        return "manual_cli"
    return next((source for name, source in JOB_VARIABLES.items() if os.environ.get(name)), "manual_cli")
