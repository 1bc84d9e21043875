"""One delivery of one event: the event, everything that came with it, and where it belongs."""

from collections.abc import Mapping

import msgspec

from synaptic.model.event import Event, ToolEvent
from synaptic.model.tool import Input


class HookProcess(msgspec.Struct, frozen=True):
    """The process that an agent has started for an event, as far as anybody can tell."""

    caller: tuple[int, str]
    """The agent's own process: its id and its start."""
    born: float
    """When the agent's process was started."""
    started: float
    """When the process of the event was."""


class Request(msgspec.Struct, frozen=True):
    """What `dispatch` sends: nothing of it is understood yet."""

    agent: str
    event: str
    stdin: bytes
    id: str
    """Time-ordered and unique; the same request sent twice is answered from the journal."""
    env: Mapping[str, str] = {}
    stranger: str = ""
    """Why it is not the agent's own call, where something below an agent has sent it: written, and moves nothing."""
    cwd: str = ""
    """Where `dispatch` ran: the folder of an event that names none."""
    sent: HookProcess | None = None
    """Of an event that reports what has happened, where the agent's own hook has sent it."""


class Answer(msgspec.Struct, frozen=True):
    """What `dispatch` prints and returns."""

    stdout: bytes = b""
    stderr: bytes = b""
    exit: int = 0


class Call(msgspec.Struct, frozen=True):
    """A decoded request on its way through the pipeline."""

    id: str
    agent: str
    event: Event
    payload: Mapping[str, object]
    """Everything that arrived, in canonical names, fields nobody knows included: what a hook reads on stdin."""
    root: str = ""
    at: float = 0.0
    env: Mapping[str, str] = {}
    warnings: tuple[str, ...] = ()
    """What could not be decoded, by agent and key."""

    def with_input(self, new: Input) -> "Call":
        """The same call with a rewritten tool input, for hooks further down the chain."""
        if not isinstance(self.event, ToolEvent):
            return self
        payload = {**self.payload, "tool_input": dict(new)}
        return msgspec.structs.replace(self, event=self.event.with_input(new), payload=payload)
