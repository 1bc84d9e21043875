"""A tool that failed, in agents that tell it by the same event as a success: the canonical event is another one."""

import re

from synaptic.agents.payload import Payload

TAIL = 1000
"""Characters in which a result's trailer is looked for."""
TRAILER = re.compile(
    r"^(?:\[Process exited with code (?P<bracketed>\d+)\]"
    r"|Exit Code: (?P<listed>\d+)(?:\n(?:Signal|Background PIDs|Process Group PGID|</untrusted_context>).*)*)\s*\Z",
    re.MULTILINE,
)
"""What clients put below a command's output; text above it is the command's own and proves nothing."""


def refined(event: str, payload: Payload) -> str:
    """PostToolUseFailure, with `error` set, for a result that says so; else the event itself."""
    error = _error(payload.get("tool_response")) if event == "PostToolUse" else ""
    if not error:
        return event
    payload.setdefault("error", error)
    return "PostToolUseFailure"


def _error(response: object) -> str:
    if isinstance(response, dict):
        error = response.get("error")
        if error:
            message = error.get("message") if isinstance(error, dict) else error
            return message if isinstance(message, str) and message else "the tool reports an error"
        response = response.get("llmContent")
    found = TRAILER.search(response[-TAIL:]) if isinstance(response, str) else None
    code = int(found["bracketed"] or found["listed"]) if found else 0
    return f"Exit code {code}\n{response}" if code else ""
