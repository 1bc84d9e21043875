"""`synaptic loop`: a big task in counted steps, with criteria that are ticked off."""

from collections.abc import Mapping
from typing import Annotated, Any

from synaptic.cli import screen, typer
from synaptic.cli.carry_out import carry_out
from synaptic.cli.place import find_place
from synaptic.cli.verbs import Json, make_verb_app
from synaptic.model.sane import MAX_ITERATIONS
from synaptic.work import loop as steps

app = make_verb_app(
    "Work on a big task in counted steps: what is promised, what must hold at the end, how often to try.",
    """
    synaptic loop start "Move the API to v2" --promise "all clients use v2" --criterion "tests pass"
    synaptic loop log "moved the first client; tests pass"
    synaptic loop check 1
    synaptic loop complete
    """,
)


@app.command()
def start(
    task: Annotated[str, typer.Argument(metavar="TASK", help="What is to be done.")],
    promise: Annotated[str, typer.Option(help="What will be true at the end.")] = "",
    criterion: Annotated[list[str] | None, typer.Option(help="How one will know; may be given again.")] = None,
    max_iterations: Annotated[int, typer.Option(help="Steps before the loop is stopped.")] = MAX_ITERATIONS,
    as_json: Json = False,
) -> None:
    """Begin a loop; refused while one runs, and without a promise or a criterion."""
    criteria = tuple(criterion or ())
    step = steps.StartLoop(
        root=find_place().root, task=task, promise=promise, criteria=criteria, max_iterations=max_iterations
    )
    _print_loop(_take_step(step), as_json)


@app.command()
def check(
    num: Annotated[int, typer.Argument(metavar="N", help="The criterion's number.")], as_json: Json = False
) -> None:
    """Tick a criterion off."""
    _print_loop(_take_step(steps.CheckCriterion(root=find_place().root, num=num)), as_json)


@app.command()
def log(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What was done and what came of it.")],
    as_json: Json = False,
) -> None:
    """Write down one iteration. One beyond the limit stops the loop, with exit code 1."""
    after = _take_step(steps.LogIteration(root=find_place().root, text=text))
    if said := steps.warn_of_limit(after):
        screen.warn(said)
    _print_loop(after, as_json)
    if steps.is_exhausted(after):
        raise typer.Exit(1)


@app.command()
def status(as_json: Json = False) -> None:
    """The loop as it stands."""
    found = carry_out(steps.ShowLoop(root=find_place().root))
    _print_loop(found, as_json)


@app.command()
def complete(as_json: Json = False) -> None:
    """End the loop with its promise kept; refused while a criterion is not ticked off."""
    _print_loop(_take_step(steps.CompleteLoop(root=find_place().root)), as_json)


@app.command()
def cancel(as_json: Json = False) -> None:
    """End the loop without its promise."""
    _print_loop(_take_step(steps.CancelLoop(root=find_place().root)), as_json)


def _take_step(step: steps.LoopCommand) -> steps.Loop:
    after = carry_out(step)
    for warning in after.warnings:
        screen.warn(warning)
    return after.values


def _print_loop(loop: Mapping[str, Any], as_json: bool) -> None:
    if as_json:
        screen.print_json(loop)
        return
    if not loop["active"]:
        ended = loop.get("archive", [])
        screen.say(steps.warn_of_limit(loop) if steps.is_exhausted(loop) else "no loop is running")
        if ended:
            screen.say(
                f"the last one: {ended[-1]['task']} ({ended[-1]['outcome']}, {ended[-1]['iteration']} iterations)"
            )
        return
    screen.say(f"{loop['task']}: iteration {loop['iteration']} of {loop['max_iterations']}")
    screen.say(f"promised: {loop['promise']}")
    for one in loop["acceptance_criteria"]:
        screen.say(f"  [{'x' if one['checked'] else ' '}] {one['num']}. {one['text']}")
