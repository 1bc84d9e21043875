"""Abilities over the socket: emit an event, search the pool, route an intent, look at queue and usage."""

import os
from typing import TYPE_CHECKING, Any

import msgspec

from synaptic.daemon.emit import Emission, completed, request_of, told
from synaptic.daemon.rpc import RpcError, method
from synaptic.hooks import abilities, knowledge
from synaptic.model.event import EVENTS
from synaptic.store import follow_ups, usage

if TYPE_CHECKING:
    from synaptic.daemon.server import Daemon


class Emit(msgspec.Struct, frozen=True):
    """An event and its context."""

    event: str
    context: dict[str, Any] = {}
    root: str = ""
    blocking_only: bool = False
    env: dict[str, str] = {}


class Repository(msgspec.Struct, frozen=True):
    """A repository."""

    root: str


class Request(msgspec.Struct, frozen=True):
    """What somebody wants of a repository."""

    root: str
    text: str
    most: int = 5


class Intent(msgspec.Struct, frozen=True):
    """A structured intent."""

    root: str
    intent: dict[str, Any]


@method("ability.emit")
async def emit(daemon: "Daemon", params: Emit) -> object:
    """Run the hooks of an event; the merged result, and whether the event is blocked."""
    if params.event not in EVENTS:
        raise RpcError("VALIDATION_ERROR", f"event: there is no event {params.event!r}")
    context = completed(params.event, params.context, params.root)
    emission = Emission(event=params.event, context=context, blocking_only=params.blocking_only)
    env = {"PATH": os.environ.get("PATH", os.defpath), "HOME": os.environ.get("HOME", ""), **params.env}
    return told(emission, await daemon.engine.answer(request_of(emission, env)))


@method("ability.suggest")
async def suggest(daemon: "Daemon", params: Request) -> object:
    """The abilities that fit, best first."""
    return (await abilities.suggest(daemon.engine.store, params.root, params.text))[: params.most]


@method("ability.list")
async def listed(daemon: "Daemon", params: Repository) -> object:
    """Every ability of a repository."""
    return [one.ability for one in await abilities.every(daemon.engine.store, params.root)]


@method("ability.documents")
async def documents(daemon: "Daemon", params: Intent) -> object:
    """The documents that an intent leads to."""
    found = knowledge.documents_for(params.root, params.intent)
    return knowledge.as_items(found, str(params.intent.get("stage") or ""))


@method("ability.follow_ups")
async def queue(daemon: "Daemon", params: Repository) -> object:
    """Actions that wait."""
    return follow_ups.waiting(daemon.engine.store, params.root)


@method("ability.usage")
async def used(daemon: "Daemon", params: Repository) -> object:
    """How often abilities were called."""
    return usage.abilities(daemon.engine.store, params.root)
