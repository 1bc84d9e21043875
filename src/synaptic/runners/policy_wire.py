"""What is said to the worker of a file with policies from outside, and what it may answer: one line of JSON each."""

from typing import Literal

import msgspec

from synaptic.model.decision import Kind
from synaptic.model.outside import DescribedPolicy

NOTHING = msgspec.Raw(b"{}")
OWN_SECTION = "own:"
"""Before the name of a section of the policy's own, where it says what changes."""


class WorkerOpening(msgspec.Struct, frozen=True, kw_only=True):
    """The first line to a worker."""

    accepted: dict[str, tuple[str, ...]] | None = None
    """The sha256 sums of what may be loaded, by file; None for a file that runs as it is, with what it imports."""
    compiled: str = ""
    """Where compiled copies of what it imports are kept."""


class WorkerRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line to the worker. The first of them makes it load its file."""

    number: int = 0
    kind: Literal["ask", "describe", "cases"] = "ask"
    policy: str = ""
    event: str = ""
    said: msgspec.Raw = NOTHING
    """The event."""
    facts: msgspec.Raw = NOTHING
    """The facts that it needs, and those that are always there."""
    state: msgspec.Raw = NOTHING
    """Its own sections: `remembered`, and the names of those that are `distrusted`."""
    options: msgspec.Raw = NOTHING
    tables: tuple[dict[str, dict[str, object]], ...] = ()
    """For `describe`: the options of policies that the user has set, then those of each folder of the project."""
    text: str = ""
    """For `cases`: the file of cases."""


class WorkerReply(msgspec.Struct, frozen=True, kw_only=True):
    """One line from it. A number of another request is an answer of somebody else."""

    number: int
    error: str = ""
    """What went wrong, with file and line."""
    trace: str = ""
    answer: msgspec.Raw = msgspec.Raw(b"null")
    is_last: bool = False
    """The process ends with it: nobody knows what state it is in."""


class OwnChange(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of its own sections changes."""

    section: str
    clear: bool = False
    put: dict[str, object] = {}
    add: dict[str, int | float] = {}


class PolicyAnswer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a policy said: its verdict, and what it wants to remember."""

    says: Kind = Kind.NONE
    reason: str = ""
    input: dict[str, object] | None = None
    context: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    changes: tuple[OwnChange, ...] = ()


class FileDescription(msgspec.Struct, frozen=True, kw_only=True):
    """What a file holds."""

    policies: tuple[DescribedPolicy, ...] = ()
    problems: tuple[str, ...] = ()


class CaseResult(msgspec.Struct, frozen=True, kw_only=True):
    """How the policies of a file did in their cases."""

    policy: str
    passed: int = 0
    failed: tuple[str, ...] = ()
