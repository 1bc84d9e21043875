"""Handing over to the next context window, with files that the engine reads for an agent: those that it may read."""

import os
import time
from collections.abc import Mapping
from typing import Any, ClassVar

import msgspec

from synaptic.engine.check import Checker
from synaptic.model import dehydration
from synaptic.model.decision import Decision, Kind
from synaptic.model.dehydration import ReadDehydration
from synaptic.model.errors import LayerError
from synaptic.model.home import Home
from synaptic.model.layers import Effort, Layers, Session
from synaptic.store import efforts, layers, windows
from synaptic.work.command import Command, CommandContext, ProjectCommand, make_no_effort_error
from synaptic.work.efforts import find_effort_root
from synaptic.work.views import View, session_to_view

REFUSING_KINDS = frozenset({Kind.DENY, Kind.ASK})


class EndedSession(msgspec.Struct, frozen=True):
    """A window that has ended, and what its hand-over lost on the way."""

    session: Session
    warnings: tuple[str, ...] = ()

    def to_view(self) -> View:
        return {**session_to_view(self.session), "warnings": list(self.warnings)}


class Dehydrate(ProjectCommand[EndedSession], frozen=True, kw_only=True):
    """What the next window shall know, kept with the caller's open one, which ends."""

    method: ClassVar[str] = "effort.dehydrate"
    other_names: ClassVar[Mapping[str, str]] = {"dehydrationPayload": "payload"}

    payload: Any
    """summary, lastAction, nextSteps (required), handoverInstructions, userHistory, requiredFiles; or that as bytes."""

    async def run(self, context: CommandContext) -> EndedSession:
        read = dehydration.read_dehydration(self.payload)
        found = layers.resolve_layers(context.store, context.caller.place)
        if found.effort is None:
            raise make_no_effort_error(context.caller.root or context.caller.cwd)
        session = _find_own_session(context, found)
        return await _end_session(context, session, found.effort, read)

    def answer(self, result: EndedSession) -> View:
        return result.to_view()


class FinishSession(Command[EndedSession], frozen=True, kw_only=True):
    """The end of a session, with what it leaves for the next one."""

    method: ClassVar[str] = "session.finish"
    # As the layer's documentation names it, which is also how a session that is shown spells it.
    other_names: ClassVar[Mapping[str, str]] = {"dehydrationPayload": "payload"}

    session_id: int
    """Its number."""
    payload: Any = None
    """A hand-over, as `effort.dehydrate` takes it."""

    async def run(self, context: CommandContext) -> EndedSession:
        read = None if self.payload is None else dehydration.read_dehydration(self.payload)
        effort = efforts.require_effort(context.store, windows.require_session(context.store, self.session_id).effort)
        return await _end_session(context, self.session_id, effort, read)

    def answer(self, result: EndedSession) -> View:
        return result.to_view()


async def explain_refused_file(home: Home, root: str, path: str) -> str:
    """Why a file is kept from agents; nothing when it is not."""
    decision = await _ask_to_read(Checker(home), root, path)
    return f"{decision.by}: {decision.reason}" if decision.kind in REFUSING_KINDS else ""


async def drop_refused_files(home: Home, root: str, effort: Effort, read: ReadDehydration) -> ReadDehydration:
    """A hand-over without the required files that a policy keeps from agents, and with a word about each of them."""
    # The engine will read these files for the next window, past the hooks: so the policies are asked here instead.
    checker = Checker(home)
    allowed, refused = [], []
    for name in read.payload.required_files:
        decisions = [await _ask_to_read(checker, root, path) for path in _list_possible_paths(name, root, effort)]
        found = next((one for one in decisions if one.kind in REFUSING_KINDS), None)
        if found is None:
            allowed.append(name)
        else:
            refused.append(f"required file {name} left out ({found.by}): {found.reason}")
    payload = msgspec.structs.replace(read.payload, required_files=tuple(allowed))
    return ReadDehydration(payload, (*read.warnings, *refused))


async def _end_session(
    context: CommandContext, session: int, effort: Effort, read: ReadDehydration | None
) -> EndedSession:
    store = context.require_durable_store()
    if read is not None:
        read = await drop_refused_files(context.home, find_effort_root(store, effort), effort, read)
    ended = windows.finish_window(store, session, read.payload.to_text() if read else None, time.time())
    return EndedSession(ended, read.warnings if read else ())


def _find_own_session(context: CommandContext, found: Layers) -> int:
    """The open session of the caller's window: another window's is not theirs to end."""
    effort, session, who = found.effort, found.session, context.caller.who
    assert effort is not None
    if session and session.host in ("", who.host or session.host):
        return session.id
    before = layers.find_newest_session(context.store, effort.id, who.agent, who.host)
    if before and before.ended_at is not None:
        what = f"session {before.id} of effort {effort.id} has ended"
        raise LayerError("ALREADY_ENDED", what, hint="type: synaptic effort resume")
    what = f"this window has no session of effort {effort.id}"
    raise LayerError("NOT_FOUND", what, hint="type: synaptic effort resume")


async def _ask_to_read(checker: Checker, root: str, path: str) -> Decision:
    return await checker.decide({"tool_name": "Read", "tool_input": {"file_path": path}, "cwd": root})


def _list_possible_paths(name: str, root: str, effort: Effort) -> tuple[str, ...]:
    """Every file that the name may mean when it is read: the reader looks in the project, then in the task."""
    if name.startswith(("/", "~")):
        return (os.path.expanduser(name) if name.startswith("~/") else name,)  # noqa: PTH111
    return tuple(os.path.normpath(f"{folder}/{name}") for folder in (root, effort.task))
