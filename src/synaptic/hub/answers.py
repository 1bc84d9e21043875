"""What the hub answers to a person's questions, as far as a terminal shows it. A newer hub may say more."""

import msgspec

from synaptic.hub.wire import EPOCH_SHIFT, HostStatus


class HostAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One host, with the last it has said of itself."""

    id: str
    name: str = ""
    seq: int = 0
    newest: int = 0
    is_managed: bool = False
    joined_at: float = 0.0
    seen_at: float = 0.0
    revoked_at: float | None = None
    version: str = ""
    bundle: str = ""
    status: HostStatus | None = None


class RunAnswer(msgspec.Struct, frozen=True):
    """One evaluation of an event."""

    hook: str
    kind: str
    micros: int = 0
    fault: str = ""


class EventAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One event of one host."""

    host: str
    seq: int
    at: float
    call: str = ""
    agent: str = ""
    event: str = ""
    session: str = ""
    agent_id: str = ""
    tool: str = ""
    project: str = ""
    kind: str = "none"
    by: str = ""
    code: str = ""
    micros: int = 0
    size: int = 0
    exit: int = 0
    tool_use: str = ""
    quiet: int = 0
    subject: str = ""
    reason: str = ""
    runs: tuple[RunAnswer, ...] = ()
    grants: tuple[str, ...] = ()
    place: str = ""

    @property
    def number(self) -> int:
        """In the journal of its host."""
        return self.seq & ((1 << EPOCH_SHIFT) - 1)


class SessionAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One session of one host."""

    host: str
    session: str
    agent: str = ""
    project: str = ""
    first_at: float = 0.0
    last_at: float = 0.0
    events: int = 0
    refused: int = 0
    place: str = ""
