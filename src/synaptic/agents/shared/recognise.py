"""Detects which agent really sent a payload: others run Claude Code's entries too, and speak their own dialects."""

from functools import cache

import msgspec

from synaptic.agents.base import AgentSign
from synaptic.agents.shared.discover import CLAUDE_NAME, find_adapter, find_agent, has_dialect, order_by_sign
from synaptic.model.call import Request
from synaptic.model.event import PreToolUse

TOP_LEVEL_DECODER = msgspec.json.Decoder(dict[str, msgspec.Raw])


def identify_sender(request: Request) -> str:
    """The agent that is named on the command line, unless that is Claude Code and somebody else sent the payload."""
    if request.agent != CLAUDE_NAME:
        return request.agent
    named = find_agent(CLAUDE_NAME).sign
    if named is not None and named.matches_beginning(request.stdin):
        return CLAUDE_NAME
    try:
        seen = {name: bytes(value) for name, value in TOP_LEVEL_DECODER.decode(request.stdin).items()}
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return CLAUDE_NAME
    return next((agent for agent, sign in _order_signs() if sign.matches_payload(seen, request.env)), CLAUDE_NAME)


def correct_sender(request: Request) -> Request:
    """The same request under the name of its sender; the very same object when that is who it says."""
    sender = identify_sender(request)
    return request if sender == request.agent else msgspec.structs.replace(request, agent=sender)


def is_before_act(agent: str, event: str) -> bool:
    """Whether an event comes before a tool runs: no answer to it would be an allow. Who is unknown speaks as Claude."""
    wire = find_adapter(agent if has_dialect(agent) else CLAUDE_NAME)
    return wire.to_canonical(event) == PreToolUse.__name__


@cache
def _order_signs() -> tuple[tuple[str, AgentSign], ...]:
    """Order the signs: those that need no variable first, because a variable may be inherited from an outer agent."""
    found = [(agent.name, agent.sign) for agent in order_by_sign() if agent.sign and agent.name != CLAUDE_NAME]
    return tuple(sorted(found, key=lambda one: one[1].environment is not None))
