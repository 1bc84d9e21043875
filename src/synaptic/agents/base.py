"""The contract of an adapter: decode, degrade, encode."""

from typing import Protocol

import msgspec

from synaptic.model.call import Answer, Call, Request
from synaptic.model.decision import Decision


class Capability(msgspec.Struct, frozen=True, kw_only=True):
    """What one event of one agent can honour; everything else is degraded and noted in the trace."""

    deny: bool = False
    """The act can be stopped."""
    ask: bool = False
    allow: bool = False
    """A permission prompt can be skipped."""
    rewrite: bool = False
    context: bool = False
    """Text can reach the model without any other effect."""
    feedback: bool = False
    """A block is told to the model."""
    message: bool = True
    """Text can reach the user."""
    extras: frozenset[str] = frozenset()
    """Agent-specific output fields that this event honours."""
    timeout: float = 600.0
    """Seconds the agent is asked to wait; our own deadline is a little shorter."""


class Adapter(Protocol):
    """All that the engine asks of an agent. Adapters are stateless."""

    name: str

    def decode(self, request: Request) -> Call:
        """Bytes to a call. Raises PayloadError only when the bytes are no JSON object; the rest is best effort."""

    def capability(self, event: str) -> Capability:
        """What this agent honours on an event; for an unknown event: nothing but a message."""

    def degrade(self, call: Call, decision: Decision) -> Decision:
        """The decision in terms this event can honour, with a `degraded` step for everything that was mapped."""

    def encode(self, call: Call, decision: Decision) -> Answer:
        """A degraded decision as the bytes this agent expects; nothing to say is no bytes."""

    def refuse(self, event: str, reason: str) -> Answer:
        """The fail-closed answer, when there is no call to decide on."""
