"""The environment of a hook: the agent's variables, the project's, and the three about this event."""

import os
from collections.abc import Mapping

import msgspec

from synaptic.model.environment import INPUT_LIMIT
from synaptic.model.event import ToolEvent
from synaptic.model.text import to_utf8
from synaptic.runners.base import Invocation
from synaptic.runners.output import event_name
from synaptic.runners.stdin import to_json

MARK = "SYNAPTIC_RUN"
"""Unique per run, so that everything a hook started can be found again."""
RECHECK = "SYNAPTIC_RECHECK"
OWN = frozenset({"HOOK_EVENT", "HOOK_TOOL", "HOOK_INPUT", RECHECK})
"""Set by us only, never inherited: a hook that runs inside another hook must not see the outer event."""
STRING_LIMIT = 128 * 1024 - 1
"""One longer string makes exec fail on Linux, and so would disable every guard."""
TOTAL_LIMIT = 1024 * 1024
"""All strings together; exec refuses somewhere between 1.5 and 2 MiB."""


class Environment(msgspec.Struct, frozen=True):
    """Variables that fit, and the names of those that did not."""

    variables: dict[str, str]
    dropped: tuple[str, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(f"variable {name} is too long for a process and was left out" for name in self.dropped)


def environment(invocation: Invocation, mark: str) -> Environment:
    """Build an environment that exec accepts: the largest inherited variables are left out first."""
    own = {**about(invocation), MARK: mark}
    inherited = invocation.call.env or os.environ
    foreign = {name: value for name, value in inherited.items() if name not in OWN | own.keys() and _valid(name, value)}
    kept, dropped = _fitting(foreign, _size(own))
    return Environment({**kept, **own}, dropped)


def about(invocation: Invocation) -> dict[str, str]:
    """Build our own variables: those of the project, and event, tool and input."""
    event = invocation.call.event
    own = {name: value for name, value in invocation.variables.items() if _valid(name, value)}
    own |= {"HOOK_EVENT": _safe(event_name(event)), "HOOK_TOOL": _safe(_tool(event))}
    if isinstance(event, ToolEvent) and len(text := to_json(event.tool_input)) <= INPUT_LIMIT:
        own["HOOK_INPUT"] = text.decode()
    if invocation.recheck:
        own[RECHECK] = "1"
    return own


def _tool(event: object) -> str:
    return event.tool_name if isinstance(event, ToolEvent) else ""


def _safe(name: str) -> str:
    return to_utf8(name).replace("\0", "")[:1024]


def _fitting(variables: dict[str, str], used: int) -> tuple[dict[str, str], tuple[str, ...]]:
    sizes = {name: _size({name: value}) for name, value in variables.items()}
    total = used + sum(sizes.values())
    dropped: list[str] = []
    for name in sorted(sizes, key=lambda name: -sizes[name]):
        if sizes[name] <= STRING_LIMIT and total <= TOTAL_LIMIT:
            break
        dropped.append(name)
        total -= sizes[name]
    return {name: value for name, value in variables.items() if name not in dropped}, tuple(dropped)


def _valid(name: str, value: str) -> bool:
    return "=" not in name and "\0" not in name and "\0" not in value


def _size(variables: Mapping[str, str]) -> int:
    texts = (text for pair in variables.items() for text in pair)
    return sum(len(text.encode("utf-8", "surrogatepass")) + 1 for text in texts)
