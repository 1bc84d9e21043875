"""Context windows of efforts, and what was said in them."""

from typing import Annotated, ClassVar

import msgspec

from synaptic.model.layers import Session
from synaptic.store import efforts, messages, windows
from synaptic.store.messages import DialogueMessage
from synaptic.work.command import Command, CommandContext, EffortCommand, ProjectCommand
from synaptic.work.views import View, message_to_view, session_to_view

Count = Annotated[int, msgspec.Meta(ge=0, le=100_000)]


class ListSessions(EffortCommand[list[Session]], frozen=True, kw_only=True):
    """The open sessions of a project, or of one effort by its number; the newest first."""

    method: ClassVar[str] = "session.list"

    all: bool = False
    """Also those that have ended."""

    def run(self, context: CommandContext) -> list[Session]:
        store = context.store
        if self.effort_id is not None:
            numbers = [efforts.require_effort(store, self.effort_id).id]
        else:
            numbers = [one.id for one in efforts.list_efforts(store, context.find_project(), every=True)]
        return windows.list_sessions(store, numbers, every=self.all)

    def answer(self, result: list[Session]) -> list[View]:
        return [session_to_view(one) for one in result]


class ShowSession(Command[Session], frozen=True, kw_only=True):
    """One session, and what it left for the next one."""

    method: ClassVar[str] = "session.show"

    session_id: int
    """Its number."""

    def run(self, context: CommandContext) -> Session:
        return windows.require_session(context.store, self.session_id)

    def answer(self, result: Session) -> View:
        return session_to_view(result)


class ListMessages(ProjectCommand[list[DialogueMessage]], frozen=True, kw_only=True):
    """The dialogue of a session, or of the effort that the caller works on; the oldest first."""

    method: ClassVar[str] = "messages.list"

    session_id: int | None = None
    """One session; without it, all of the caller's effort."""
    limit: Count | None = None
    """How many at most."""
    newest: bool = False
    """Of more than that, the last ones and not the first."""

    def run(self, context: CommandContext) -> list[DialogueMessage]:
        if self.session_id is not None:
            sessions = [windows.require_session(context.store, self.session_id)]
        else:
            sessions = windows.list_sessions(context.store, (context.find_effort().id,))
        return messages.of_sessions(context.store, [one.id for one in sessions], self.limit, newest=self.newest)

    def answer(self, result: list[DialogueMessage]) -> list[View]:
        return [message_to_view(one) for one in result]
