"""`synaptic task`: folders that efforts pile up in."""

from typing import Annotated

import typer

from synaptic.cli import completion, screen
from synaptic.cli.caller import moment
from synaptic.cli.place import here, opened
from synaptic.cli.verbs import verb
from synaptic.model.errors import LayerError
from synaptic.store import efforts, layers, tasks
from synaptic.store.layers import Place
from synaptic.work import artifacts
from synaptic.work.layer_views import effort_view, task_view

app = verb(
    "Tasks: folders that efforts pile up in. A task is active while one of its efforts is.",
    """
    synaptic task list
    synaptic task show login-page
    """,
)
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


@app.command("list")
def list_tasks(
    every: Annotated[bool, typer.Option("--all", help="Of every project.")] = False, as_json: Json = False
) -> None:
    """The tasks of this project; the one that was worked on last comes first."""
    place = here()
    with opened(place.home) as store:
        project = layers.resolve(store, Place(place.root or place.cwd)).project
        found = tasks.listing(store, None if every else project or 0)
    if as_json:
        screen.document({"tasks": [task_view(one) for one in found]})
        return
    if not found:
        screen.say("there are no tasks; one begins with: synaptic effort start TASK --skill NAME")
        return
    rows = (
        (one.folder, "active" if one.active else "dormant", str(one.efforts), moment(one.last_activity), one.title)
        for one in found
    )
    screen.table(("TASK", "STATE", "EFFORTS", "LAST", "TITLE"), rows)


@app.command()
def show(
    task: Annotated[
        str, typer.Argument(metavar="TASK", help="Its name or folder.", autocompletion=completion.task_names)
    ],
    as_json: Json = False,
) -> None:
    """A task with its efforts and files."""
    place = here()
    folder = artifacts.folder_of(place.root or place.cwd, place.cwd, task)
    with opened(place.home) as store:
        found = tasks.one(store, folder)
        if found is None:
            raise LayerError("TASK_NOT_FOUND", "there is no such task", where=folder, hint="type: synaptic task list")
        done = efforts.of_task(store, found.folder)
    files = artifacts.documents(found.folder)
    if as_json:
        screen.document({**task_view(found), "effortList": [effort_view(one) for one in done], "artifacts": files})
        return
    screen.say(f"{found.title or found.folder}: {'active' if found.active else 'dormant'}")
    screen.say(f"Folder: {found.folder}")
    if found.keywords:
        screen.say(f"Keywords: {', '.join(found.keywords)}")
    for one in done:
        screen.say(
            f"{one.ordinal}. {one.skill} (effort {one.id}): {'finished' if one.finished else one.phase or 'active'}"
        )
    for path in files:
        screen.say(f"- {path}")
