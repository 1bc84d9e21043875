"""What a shell offers after TAB: ids, names and phases that exist. Trouble offers nothing."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import wraps

from synaptic.cli.caller import caller
from synaptic.cli.place import Here, here, opened
from synaptic.model.errors import SynapticError
from synaptic.store import efforts, layers, tasks, windows
from synaptic.store.db import Store
from synaptic.store.layers import Place
from synaptic.work import skills
from synaptic.work.command import CommandContext

Offered = Iterable[tuple[str, str]]
"""Values, each with a few words about it."""


def _offering(find: Callable[[Store, Here], Offered]) -> Callable[[str], list[tuple[str, str]]]:
    @wraps(find)
    def complete(incomplete: str) -> list[tuple[str, str]]:
        with suppress(SynapticError, OSError):
            place = here()
            # A TAB must not make a database.
            if place.home.database.exists():
                with opened(place.home) as store:
                    return [pair for pair in find(store, place) if pair[0].startswith(incomplete)]
        return []

    complete.__annotations__ = {"incomplete": str}  # what the parser looks at to call it
    # Left there, `inspect.signature` would follow it to a function with other parameters.
    del complete.__wrapped__
    return complete


def _project(store: Store, place: Here) -> int | None:
    return layers.resolve(store, Place(place.root or place.cwd)).project


@_offering
def effort_ids(store: Store, place: Here) -> Offered:
    found = efforts.listing(store, _project(store, place) or 0, every=True)
    return [(str(one.id), f"{one.skill}, {one.task.rpartition('/')[2]}") for one in found]


@_offering
def session_ids(store: Store, place: Here) -> Offered:
    numbers = [one.id for one in efforts.listing(store, _project(store, place) or 0, every=True)]
    return [(str(one.id), f"effort {one.effort}") for one in windows.of_efforts(store, numbers)]


@_offering
def phases(store: Store, place: Here) -> Offered:
    return [(phase, "") for phase in CommandContext(store, caller(place)).find_effort().phases]


@_offering
def agent_ids(store: Store, place: Here) -> Offered:
    return [(one.id, one.label or one.status) for one in layers.agents(store)]


@_offering
def task_names(store: Store, place: Here) -> Offered:
    return [(one.folder.rpartition("/")[2], one.title) for one in tasks.listing(store, _project(store, place) or 0)]


def skill_names(incomplete: str) -> list[tuple[str, str]]:
    """Skills need no database."""
    with suppress(SynapticError, OSError):
        found = skills.list_skills(here().root).skills
        return [(one.name, one.description) for one in found if one.name.startswith(incomplete)]
    return []
