"""`synaptic ability`: what the repository offers, found, run with its hooks, and checked."""

import os
import sys
from typing import Annotated, Any

import typer

from synaptic.cli import screen
from synaptic.cli.carry_out import carry_out
from synaptic.cli.emit import BLOCKED
from synaptic.cli.place import Here, here, required_root
from synaptic.cli.verbs import verb
from synaptic.daemon.emit import Emission, Emitted, completed, emit
from synaptic.hooks import abilities, knowledge
from synaptic.policies.routing.summary import summary
from synaptic.runners import wrapped
from synaptic.work.abilities import FindDocuments, ListAbilities, SuggestAbilities

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
JOBS = {"CI": "ci_pipeline", "GITHUB_ACTIONS": "ci_pipeline", "INVOCATION_ID": "background_job"}
"""Variables that say who calls, when nobody sits in front."""

app = verb(
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
    root = here().root
    found = carry_out(ListAbilities(root=root))
    if as_json:
        screen.document({"root": root, "abilities": found})
        return
    if not found:
        screen.say("this repository describes no abilities (see docs: abilities)")
        return
    screen.table(("ID", "SOURCE", "ABOUT"), ((one.id, one.source, summary(one.summary, 80)) for one in found))


@app.command()
def suggest(
    text: Annotated[str, typer.Argument(help="What somebody wants, in their words.")],
    most: Annotated[int, typer.Option(help="How many at most.")] = 5,
    as_json: Json = False,
) -> None:
    """The abilities that fit a request, best first, with the reason and how sure that is."""
    found = carry_out(SuggestAbilities(root=here().root, text=text, most=most))
    if as_json:
        screen.document({"suggested_abilities": found})
        return
    screen.table(("CONFIDENCE", "ID", "REASON"), ((f"{one.confidence:.2f}", one.id, one.reason) for one in found))


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
    place = here()
    line = summary(" ".join(command))
    common = {"ability_id": ability, "caller": {"source": _caller()}, "stage": "act"}
    named = {"operation_key": operation_key, "environment": environment, "tool_call_path": tool_call_path}
    common |= {key: value for key, value in named.items() if value}
    before = _emitted(place, "PreAbilityCall", {**common, "planned_input_summary": line})
    if before.blocked:
        screen.warn(f"{ability} is not run: {before.result.get('error', 'blocked')}")
        raise typer.Exit(BLOCKED)
    ended = wrapped.run(command)
    if ended.trouble:
        screen.warn(f"{command[0]} {ended.trouble}")
    status = "failure" if ended.exit else "success"
    texts = {"input_summary": line, "output_summary": summary(ended.trouble or ended.output)}
    _emitted(place, "PostAbilityCall", {**common, **texts, "status": status, "duration_ms": ended.millis})
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
    found = carry_out(FindDocuments(root=here().root, intent=intent))
    if as_json:
        screen.document({"suggested_documents": found})
        return
    for item in found:
        screen.say(f"{item['path']}: {item['reason']}")


@app.command()
def lint(as_json: Json = False) -> None:
    """Everything that is wrong with descriptions of abilities and with routing indexes; exit code 1 if something is."""
    root = required_root(here())
    found = abilities.read_pool(root, abilities.files_of(root))
    problems = (*found.problems, *knowledge.lint(root))
    if as_json:
        screen.document({"ok": not problems, "abilities": len(found.abilities), "problems": problems})
    else:
        for problem in problems:
            screen.warn(problem)
        if not problems:
            screen.say(f"{len(found.abilities)} abilities and their routing are in order")
    if problems:
        raise typer.Exit(1)


def _emitted(place: Here, event: str, context: dict[str, Any]) -> Emitted:
    whole = completed(event, context, place.root)
    emitted = emit(place.home, Emission(event=event, context=whole))
    for text in (*emitted.warnings, *emitted.result.get("messages_to_user", ())):
        screen.warn(str(text))
    return emitted


def _caller() -> str:
    # First: a person may have CI set in the shell that they type in.
    if sys.stdin.isatty():
        return "manual_cli"
    return next((source for name, source in JOBS.items() if os.environ.get(name)), "manual_cli")
