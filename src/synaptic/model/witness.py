"""What is known about one tool call beside the decision: what was asked, what was let through, and what ran."""

from enum import IntFlag, StrEnum

import msgspec


class Sign(IntFlag):
    """One thing that was seen about a call with one input."""

    LET = 1
    """It was let through with this input."""
    REFUSED = 2
    QUESTION = 4
    """A person was asked by the agent itself; its prompt tells nobody the answer."""
    REPLACED = 8
    """Another input was let through in the place of this one."""
    RAN = 16
    OTHER_INPUT = 32
    """It ran with an input that nobody had asked about, under a number that was asked about."""
    DOUBTED = 64
    """Its agent tells no result that proves anything, or the decision came after the agent's patience."""
    WRITTEN = 128
    """It is in the agent's own transcript."""
    TOLD = 256
    """A person was told."""
    NO_ENTRY = 512
    """The agent's settings had lost our entry when it ran."""
    NUMBERED = 1024
    CLAIMED = 2048
    """Somebody says that it ran, and a tool may have made that up."""


class Standing(StrEnum):
    """What became of a call."""

    OBEYED = "obeyed"
    DISOBEYED = "disobeyed"
    REWRITE_IGNORED = "rewrite ignored"
    UNASKED = "unasked"
    UNSEEN = "unseen"
    """In the agent's transcript only: no hook of ours was called, and why is not known."""
    NOT_OBSERVABLE = "not observable"


ALARMS = frozenset({Standing.DISOBEYED, Standing.REWRITE_IGNORED, Standing.UNASKED})
"""What a person is told at once."""


class WitnessedCall(msgspec.Struct, frozen=True, kw_only=True):
    """What one event says about a call, before it is made into digests."""

    number: str
    """As the agent numbers it; "" where it does not."""
    said: bytes
    """The input that was asked about, or that ran."""
    let: bytes = b""
    """The input that was let through in its place."""
    signs: Sign
