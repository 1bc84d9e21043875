"""The methods that need the daemon itself: what it is, what it has seen, an orchestrator's event, and its end."""

import os
from typing import TYPE_CHECKING, Any

import msgspec

from synaptic.daemon.emit import (
    SPEAK_AS_USER,
    Emission,
    complete_context,
    make_request,
    read_result,
)
from synaptic.daemon.rpc import METHODS, RpcError, register_method, require_person
from synaptic.engine.check import answer_question
from synaptic.engine.held import NO_WAIT_VARIABLE
from synaptic.engine.recollection import make_trust
from synaptic.engine.runtime import Consultation, PoliciesOnly
from synaptic.hooks.described import describe_catalog
from synaptic.model.event import EVENTS
from synaptic.policies.self.verbs import SPEAKING_EVENTS
from synaptic.setup.code import get_loaded_stamp
from synaptic.store import journal
from synaptic.store.record import entry_to_json

if TYPE_CHECKING:
    from synaptic.daemon.server import Daemon


class NoParams(msgspec.Struct, frozen=True):
    """No arguments; extra ones are ignored."""


class EventParams(msgspec.Struct, frozen=True):
    """One event, by number or by call id."""

    id: int | str


class NewestParams(msgspec.Struct, frozen=True):
    """The newest events, narrowed by columns."""

    n: int = 1
    filters: dict[str, str] = {}


class SinceParams(msgspec.Struct, frozen=True):
    """Events after a number."""

    id: int = 0
    limit: int = 100


class CatalogParams(msgspec.Struct, frozen=True):
    """A project's root, and the environment that its hooks are declared for."""

    root: str = ""
    env: str = ""
    cwd: str = ""
    """The folder of it that is meant; the root itself when empty."""


class CheckParams(msgspec.Struct, frozen=True):
    """A call that nobody makes, in whose environment, and whether the policies alone are asked."""

    question: dict[str, Any]
    env: dict[str, str] = {}
    policies_only: bool = False


class EmitParams(msgspec.Struct, frozen=True):
    """An orchestrator's event and its context."""

    event: str
    context: dict[str, Any] = {}
    root: str = ""
    blocking_only: bool = False
    env: dict[str, str] = {}


@register_method("rpc.methods")
async def list_methods(daemon: "Daemon", params: NoParams) -> object:
    """Every method there is."""
    return sorted(METHODS)


@register_method("daemon.status")
async def describe_daemon(daemon: "Daemon", params: NoParams) -> object:
    """Who answers here."""
    return {
        "pid": os.getpid(),
        "version": daemon.version,
        "code": get_loaded_stamp(),
        "trouble": daemon.succession.trouble if daemon.succession else "",
        "since": daemon.started,
        "answered": daemon.answered,
        "in_flight": len(daemon.busy),
        "http_port": daemon.http.port,
        "durable": daemon.engine.store.durable,
        "notices": list(daemon.engine.store.notices),
    }


@register_method("daemon.renew")
async def request_renewal(daemon: "Daemon", params: NoParams) -> object:
    """Look at the engine's files now, and leave the calls to a successor when they have changed."""
    done = await daemon.look_at_code(is_asked=True)
    return {"renewed": done, "trouble": daemon.succession.trouble if daemon.succession else ""}


@register_method("daemon.stop", people_only="stop the daemon")
async def request_stop(daemon: "Daemon", params: NoParams) -> object:
    """End after what is in flight."""
    daemon.stop()
    return {"stopping": True}


@register_method("journal.last")
async def read_newest(daemon: "Daemon", params: NewestParams) -> object:
    """The newest events first."""
    try:
        return [
            entry_to_json(entry) for entry in journal.read_last_entries(daemon.engine.store, params.n, **params.filters)
        ]
    except TypeError as error:  # the filters are keyword arguments: an unknown column is one that does not exist
        raise RpcError("VALIDATION_ERROR", str(error)) from error


@register_method("journal.get")
async def read_event(daemon: "Daemon", params: EventParams) -> object:
    """One event, whole."""
    entry = journal.find_entry(daemon.engine.store, params.id)
    if entry is None:
        raise RpcError("NOT_FOUND", f"the journal has no event {params.id}")
    return entry_to_json(entry)


@register_method("journal.after")
async def read_since(daemon: "Daemon", params: SinceParams) -> object:
    """What has happened since."""
    return [entry_to_json(entry) for entry in journal.read_entries_after(daemon.engine.store, params.id, params.limit)]


@register_method("catalog.list")
async def list_catalog(daemon: "Daemon", params: CatalogParams) -> object:
    """What is registered for a project, in order, whether it may run, and what is wrong with it."""
    found = await daemon.engine.join_outside(daemon.engine.catalogs.get(params.root, params.env, params.cwd))
    return describe_catalog(found, make_trust(found, daemon.engine.store))


@register_method("catalog.check")
async def answer_check(daemon: "Daemon", params: CheckParams) -> object:
    """What the hooks that are registered, or the policies alone, say about a call that nobody makes."""
    engine, kind = (daemon.checker.engine, PoliciesOnly) if params.policies_only else (daemon.engine, Consultation)
    return await answer_question(engine, params.question, params.env, kind)


@register_method("ability.emit")
async def answer_emit(daemon: "Daemon", params: EmitParams) -> object:
    """Run the hooks of an event; the merged result, and whether the event is blocked."""
    if params.event not in EVENTS:
        raise RpcError("VALIDATION_ERROR", f"event: there is no event {params.event!r}")
    if params.event in SPEAKING_EVENTS:
        require_person(daemon, SPEAK_AS_USER)
    context = complete_context(params.event, params.context, params.root)
    emission = Emission(event=params.event, context=context, blocking_only=params.blocking_only)
    # Nothing else of the daemon's environment: it comes from whoever happened to start it.
    env = {"PATH": os.environ.get("PATH", os.defpath), "HOME": os.environ.get("HOME", ""), **params.env}
    env[NO_WAIT_VARIABLE] = "1"  # who calls a method says nowhere how long it waits for the result
    return read_result(emission, await daemon.engine.answer(make_request(emission, env)))
