"""`synaptic task`: folders that efforts pile up in."""

from typing import Annotated

from synaptic.cli import completion, screen, typer
from synaptic.cli.caller import format_moment
from synaptic.cli.carry_out import carry_out
from synaptic.cli.verbs import Json, make_verb_app
from synaptic.work.tasks import ListTasks, ShowTask

app = make_verb_app(
    "Tasks: folders that efforts pile up in. A task is active while one of its efforts is.",
    """
    synaptic task list
    synaptic task show login-page
    """,
)


@app.command("list")
def list_tasks(
    every: Annotated[bool, typer.Option("--all", help="Of every project.")] = False, as_json: Json = False
) -> None:
    """The tasks of this project; the one that was worked on last comes first."""
    command = ListTasks(all=every)
    found = carry_out(command)
    if as_json:
        screen.print_json({"tasks": command.answer(found)})
        return
    if not found:
        screen.say("there are no tasks; one begins with: synaptic effort start TASK --skill NAME")
        return
    rows = (
        (
            one.folder,
            "active" if one.active else "dormant",
            str(one.efforts),
            format_moment(one.last_activity),
            one.title,
        )
        for one in found
    )
    screen.print_table(("TASK", "STATE", "EFFORTS", "LAST", "TITLE"), rows)


@app.command()
def show(
    task: Annotated[
        str, typer.Argument(metavar="TASK", help="Its name or folder.", autocompletion=completion.complete_task_names)
    ],
    as_json: Json = False,
) -> None:
    """A task with its efforts and files."""
    command = ShowTask(dir_path=task)
    details = carry_out(command)
    if as_json:
        screen.print_json(command.answer(details))
        return
    found = details.task
    screen.say(f"{found.title or found.folder}: {'active' if found.active else 'dormant'}")
    screen.say(f"Folder: {found.folder}")
    if found.keywords:
        screen.say(f"Keywords: {', '.join(found.keywords)}")
    for one in details.efforts:
        screen.say(
            f"{one.ordinal}. {one.skill} (effort {one.id}): {'finished' if one.finished else one.phase or 'active'}"
        )
    for path in details.artifacts:
        screen.say(f"- {path}")
