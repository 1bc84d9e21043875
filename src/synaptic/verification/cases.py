"""The calls that a client is verified with, as data: each makes one empty file, and one hook speaks about it."""

from pathlib import Path
from typing import Literal

import msgspec

HOOKS = Path(__file__).with_name("hooks.toml")
Wanted = Literal["run", "stop", "rewrite", "advise"]


class VerifyCase(msgspec.Struct, frozen=True, kw_only=True):
    """One call of the scripted model."""

    name: str
    """The column of the table."""
    wanted: Wanted
    tool: Literal["shell", "write"] = "shell"
    file: str
    """What there is when the call has run as it was made."""
    instead: str = ""
    """What there is when it has run as it was rewritten."""
    says: str = ""
    """Words of the hook that nobody else says."""
    breach: str = ""
    """What is wrong when it has run all the same."""


CASES = (
    VerifyCase(name="allowed", wanted="run", file="let-through"),
    VerifyCase(
        name="denied",
        wanted="stop",
        file="must-not-be-1",
        says="a lighthouse keeper said no",
        breach="a denied call ran",
    ),
    VerifyCase(
        name="rewritten",
        wanted="rewrite",
        file="as-it-was",
        instead="as-it-should-be",
        says="as-it-should-be",
        breach="a rewritten call ran as it was",
    ),
    VerifyCase(
        name="asked",
        wanted="stop",
        file="asked-about",
        says="the harbour master should see this",
        breach="a call ran that nobody had said yes to",
    ),
    VerifyCase(name="advised", wanted="advise", file="advised", says="the tide turns at noon"),
    VerifyCase(
        name="edit",
        wanted="stop",
        tool="write",
        file="must-not-be-2",
        says="a lighthouse keeper said no",
        breach="a denied edit was made",
    ),
)
"""In this order: some clients end their run over a refused edit."""
