"""What a shell offers after TAB: ids, names and phases that exist. Trouble offers nothing."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import wraps

from synaptic.cli.caller import find_caller
from synaptic.cli.place import CommandPlace, find_place, open_database
from synaptic.hooks import skill_files as skills
from synaptic.model.errors import SynapticError
from synaptic.store import efforts, layers, tasks, windows
from synaptic.store.db import Store
from synaptic.store.layers import EventOrigin
from synaptic.work.command import CommandContext

Suggestions = Iterable[tuple[str, str]]
"""Values, each with a few words about it."""


def _make_completion(find: Callable[[Store, CommandPlace], Suggestions]) -> Callable[[str], list[tuple[str, str]]]:
    @wraps(find)
    def complete(incomplete: str) -> list[tuple[str, str]]:
        with suppress(SynapticError, OSError):
            place = find_place()
            # A TAB must not make a database.
            if place.home.database.exists():
                with open_database(place.home) as store:
                    return [pair for pair in find(store, place) if pair[0].startswith(incomplete)]
        return []

    complete.__annotations__ = {"incomplete": str}  # what the parser looks at to call it
    # Left there, `inspect.signature` would follow it to a function with other parameters.
    del complete.__wrapped__
    return complete


def _find_project(store: Store, place: CommandPlace) -> int | None:
    return layers.resolve_layers(store, EventOrigin(place.root or place.cwd)).project


@_make_completion
def complete_effort_ids(store: Store, place: CommandPlace) -> Suggestions:
    found = efforts.list_efforts(store, _find_project(store, place) or 0, every=True)
    return [(str(one.id), f"{one.skill}, {one.task.rpartition('/')[2]}") for one in found]


@_make_completion
def complete_session_ids(store: Store, place: CommandPlace) -> Suggestions:
    numbers = [one.id for one in efforts.list_efforts(store, _find_project(store, place) or 0, every=True)]
    return [(str(one.id), f"effort {one.effort}") for one in windows.list_sessions(store, numbers)]


@_make_completion
def complete_phases(store: Store, place: CommandPlace) -> Suggestions:
    return [(phase, "") for phase in CommandContext(store, find_caller(place)).find_effort().phases]


@_make_completion
def complete_agent_ids(store: Store, place: CommandPlace) -> Suggestions:
    return [(one.id, one.label or one.status) for one in layers.list_agents(store)]


@_make_completion
def complete_task_names(store: Store, place: CommandPlace) -> Suggestions:
    return [
        (one.folder.rpartition("/")[2], one.title) for one in tasks.list_tasks(store, _find_project(store, place) or 0)
    ]


def complete_skill_names(incomplete: str) -> list[tuple[str, str]]:
    """Skills need no database."""
    with suppress(SynapticError, OSError):
        found = skills.list_skills(find_place().root).skills
        return [(one.name, one.description) for one in found if one.name.startswith(incomplete)]
    return []
