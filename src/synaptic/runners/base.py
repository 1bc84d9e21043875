"""What a runner is given and what it returns: failure of someone else's code is a value, never an exception."""

from collections.abc import Mapping
from typing import Protocol

import msgspec

from synaptic.model.call import Call
from synaptic.model.decision import Failure, Verdict
from synaptic.model.hook import Hook


class Invocation(msgspec.Struct, frozen=True):
    """One run of one hook: the call as rewritten so far, and the project's variables."""

    hook: Hook
    call: Call
    variables: Mapping[str, str]
    """The six SYNAPTIC_* variables; the runner adds HOOK_EVENT, HOOK_TOOL and HOOK_INPUT."""
    timeout: float
    recheck: bool = False


class Runner(Protocol):
    """Executes one kind of handler."""

    async def run(self, invocation: Invocation) -> Verdict | Failure | None:
        """Wait for the hook's answer. None is silence."""
