"""Detects which agent really sent a payload: others run Claude Code's entries too, and speak their own dialects."""

from functools import cache

import msgspec

from synaptic.agents.base import Sign
from synaptic.agents.shared.discover import CLAUDE, agents_by_sign, find_agent
from synaptic.model.call import Request

DECODER = msgspec.json.Decoder(dict[str, msgspec.Raw])


def identify_sender(request: Request) -> str:
    """The agent that is named on the command line, unless that is Claude Code and somebody else sent the payload."""
    if request.agent != CLAUDE:
        return request.agent
    named = find_agent(CLAUDE).sign
    if named is not None and named.begins(request.stdin):
        return CLAUDE
    try:
        seen = {name: bytes(value) for name, value in DECODER.decode(request.stdin).items()}
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return CLAUDE
    return next((agent for agent, sign in _signs() if sign.fits(seen, request.env)), CLAUDE)


def with_true_sender(request: Request) -> Request:
    """The same request under the name of its sender; the very same object when that is who it says."""
    sender = identify_sender(request)
    return request if sender == request.agent else msgspec.structs.replace(request, agent=sender)


@cache
def _signs() -> tuple[tuple[str, Sign], ...]:
    """Order the signs: those that need no variable first, because a variable may be inherited from an outer agent."""
    found = [(agent.name, agent.sign) for agent in agents_by_sign() if agent.sign and agent.name != CLAUDE]
    return tuple(sorted(found, key=lambda one: one[1].environment is not None))
