"""The methods that need the daemon itself: what it is, what it has seen, an orchestrator's event, and its end."""

import os
from typing import TYPE_CHECKING, Any

import msgspec

from synaptic.daemon.emit import Emission, completed, request_of, told
from synaptic.daemon.rpc import METHODS, RpcError, method
from synaptic.model.event import EVENTS
from synaptic.store import journal
from synaptic.store.record import Entry

if TYPE_CHECKING:
    from synaptic.daemon.server import Daemon


class Nothing(msgspec.Struct, frozen=True):
    """No arguments; extra ones are ignored."""


class Which(msgspec.Struct, frozen=True):
    """One event, by number or by call id."""

    id: int | str


class Newest(msgspec.Struct, frozen=True):
    """The newest events, narrowed by columns."""

    n: int = 1
    filters: dict[str, str] = {}


class Since(msgspec.Struct, frozen=True):
    """Events after a number."""

    id: int = 0
    limit: int = 100


class Place(msgspec.Struct, frozen=True):
    """A project's root."""

    root: str = ""


class Emit(msgspec.Struct, frozen=True):
    """An orchestrator's event and its context."""

    event: str
    context: dict[str, Any] = {}
    root: str = ""
    blocking_only: bool = False
    env: dict[str, str] = {}


@method("rpc.methods")
async def methods(daemon: "Daemon", params: Nothing) -> object:
    """Every method there is."""
    return sorted(METHODS)


@method("daemon.status")
async def status(daemon: "Daemon", params: Nothing) -> object:
    """Who answers here."""
    return {
        "pid": os.getpid(),
        "version": daemon.version,
        "since": daemon.started,
        "answered": daemon.answered,
        "in_flight": len(daemon.busy),
        "http_port": daemon.http.port,
        "durable": daemon.engine.store.durable,
        "notices": list(daemon.engine.store.notices),
    }


@method("daemon.stop")
async def stop(daemon: "Daemon", params: Nothing) -> object:
    """End after what is in flight."""
    daemon.stop()
    return {"stopping": True}


@method("journal.last")
async def last(daemon: "Daemon", params: Newest) -> object:
    """The newest events first."""
    try:
        return [plain(entry) for entry in journal.last(daemon.engine.store, params.n, **params.filters)]
    except TypeError as error:  # the filters are keyword arguments: an unknown column is one that does not exist
        raise RpcError("VALIDATION_ERROR", str(error)) from error


@method("journal.get")
async def get(daemon: "Daemon", params: Which) -> object:
    """One event, whole."""
    entry = journal.get(daemon.engine.store, params.id)
    if entry is None:
        raise RpcError("NOT_FOUND", f"the journal has no event {params.id}")
    return plain(entry)


@method("journal.after")
async def after(daemon: "Daemon", params: Since) -> object:
    """What has happened since."""
    return [plain(entry) for entry in journal.after(daemon.engine.store, params.id, params.limit)]


@method("catalog.list")
async def catalog(daemon: "Daemon", params: Place) -> object:
    """What is registered for a project, in order, and what is wrong with it."""
    found = daemon.engine.catalogs.get(params.root)
    return {"hooks": [_hook(hook) for hook in found.hooks], "problems": list(found.problems)}


@method("ability.emit")
async def emit(daemon: "Daemon", params: Emit) -> object:
    """Run the hooks of an event; the merged result, and whether the event is blocked."""
    if params.event not in EVENTS:
        raise RpcError("VALIDATION_ERROR", f"event: there is no event {params.event!r}")
    context = completed(params.event, params.context, params.root)
    emission = Emission(event=params.event, context=context, blocking_only=params.blocking_only)
    # Nothing else of the daemon's environment: it comes from whoever happened to start it.
    env = {"PATH": os.environ.get("PATH", os.defpath), "HOME": os.environ.get("HOME", ""), **params.env}
    return told(emission, await daemon.engine.answer(request_of(emission, env)))


def plain(entry: Entry) -> dict[str, Any]:
    """An entry as JSON can hold it."""
    told = entry.answer
    answer = told and {"stdout": _text(told.stdout), "stderr": _text(told.stderr), "exit": told.exit}
    fields = msgspec.structs.asdict(entry)
    return {**fields, "decision": msgspec.to_builtins(entry.decision, enc_hook=repr), "answer": answer}


def _hook(hook: Any) -> dict[str, Any]:
    names = ("id", "events", "matcher", "priority", "blocking", "timeout", "on_error", "protocol", "scope", "source")
    return {name: getattr(hook, name) for name in names}


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
