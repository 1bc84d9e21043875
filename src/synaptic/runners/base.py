"""What a runner is given."""

from collections.abc import Mapping

import msgspec

from synaptic.model.call import Call
from synaptic.model.hook import Hook


class Invocation(msgspec.Struct, frozen=True):
    """One run of one hook: the call as rewritten so far, and the project's variables."""

    hook: Hook
    call: Call
    variables: Mapping[str, str]
    """The six SYNAPTIC_* variables; the runner adds HOOK_EVENT, HOOK_TOOL and HOOK_INPUT."""
    timeout: float
    recheck: bool = False
    contents: Mapping[str, frozenset[str]] | None = None
    """The sha256 sums of what may run, by file; None for hooks that run as they are."""
