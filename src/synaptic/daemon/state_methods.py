"""The sections of a project over the socket: get, set, update, reset, list."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from synaptic.daemon.rpc import RpcError, method
from synaptic.model.errors import StoreError, SynapticError
from synaptic.model.state import Change, changed
from synaptic.store import mirror, sections

if TYPE_CHECKING:
    from synaptic.daemon.server import Daemon


class Project(msgspec.Struct, frozen=True):
    """A project's root."""

    root: str


class Where(msgspec.Struct, frozen=True):
    """A section, or one key of it."""

    root: str
    section: str
    key: str = ""


class Value(msgspec.Struct, frozen=True):
    """One value and its place."""

    root: str
    section: str
    key: str
    value: Any


class Update(msgspec.Struct, frozen=True):
    """Several changes of one section, made together on what is stored then."""

    root: str
    section: str
    put: dict[str, Any] = {}
    add: dict[str, int | float] = {}
    append: dict[str, Any] = {}
    drop: tuple[str, ...] = ()


@method("state.get")
async def get(daemon: "Daemon", params: Where) -> object:
    """A section with every field, or one value."""
    return _tried(lambda: sections.get(daemon.engine.store, params.root, params.section, params.key))


@method("state.set")
async def put(daemon: "Daemon", params: Value) -> object:
    """Write one value; the section as it is then."""
    pair = (params.key, params.value)
    return _changed(daemon, params.root, lambda: sections.put(daemon.engine.store, params.root, params.section, pair))


@method("state.update")
async def update(daemon: "Daemon", params: Update) -> object:
    """Change a section without losing what others change at the same time; the section as it is then."""
    change = Change(section=params.section, put=params.put, add=params.add, append=params.append, drop=params.drop)
    return _changed(
        daemon,
        params.root,
        lambda: sections.update(daemon.engine.store, params.root, params.section, lambda now: changed(now, change)),
    )


@method("state.reset")
async def reset(daemon: "Daemon", params: Where) -> object:
    """A section back to its defaults."""
    return _changed(daemon, params.root, lambda: sections.reset(daemon.engine.store, params.root, params.section))


@method("state.list")
async def listed(daemon: "Daemon", params: Project) -> object:
    """Every section, whether it is stored and genuine, and what is in quarantine."""
    return _tried(lambda: sections.overview(daemon.engine.store, params.root))


def _changed(daemon: "Daemon", root: str, work: Callable[[], object]) -> object:
    after = _tried(work)
    mirror.follow(daemon.engine.store, root)
    return after


def _tried(work: Callable[[], object]) -> object:
    try:
        return work()
    except StoreError:
        raise
    except SynapticError as error:  # a section, key or value that cannot be
        raise RpcError("VALIDATION_ERROR", str(error)) from error
