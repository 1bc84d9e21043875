"""The environment of a hook: the agent's variables, the project's, and the three about this event."""

import os
from collections.abc import Mapping

import msgspec

from synaptic.model.environment import INPUT_LIMIT, UNSAFE_NAMES, UNSAFE_PREFIXES
from synaptic.model.event import ToolEvent
from synaptic.model.text import to_utf8
from synaptic.runners.base import Invocation
from synaptic.runners.output import get_event_name
from synaptic.runners.stdin import to_json

MARK_VARIABLE = "SYNAPTIC_RUN"
"""Unique per run, so that everything a hook started can be found again."""
RECHECK_VARIABLE = "SYNAPTIC_RECHECK"
EVENT_VARIABLES = frozenset({"HOOK_EVENT", "HOOK_TOOL", "HOOK_INPUT", RECHECK_VARIABLE})
"""Set by us only, never inherited: a hook that runs inside another hook must not see the outer event."""
STRING_LIMIT = 128 * 1024 - 1
"""One longer string makes exec fail on Linux, and so would disable every guard."""
ENVIRONMENT_LIMIT = 1024 * 1024
"""All strings together; exec refuses somewhere between 1.5 and 2 MiB."""


class HookEnvironment(msgspec.Struct, frozen=True):
    """Variables that fit, and the names of those that did not."""

    variables: dict[str, str]
    dropped: tuple[str, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(f"variable {name} is too long for a process and was left out" for name in self.dropped)


def build_environment(invocation: Invocation, mark: str) -> HookEnvironment:
    """Build an environment that exec accepts: the largest inherited variables are left out first."""
    own = {**build_own_variables(invocation), MARK_VARIABLE: mark}
    inherited = invocation.call.env or os.environ
    foreign = {
        name: value
        for name, value in inherited.items()
        if name not in EVENT_VARIABLES | own.keys() and is_safe_variable(name) and _is_valid_variable(name, value)
    }
    kept, dropped = _drop_largest(foreign, _measure_variables(own))
    return HookEnvironment({**kept, **own}, dropped)


def is_safe_variable(name: str) -> bool:
    """Whether a variable of the event may reach a program that we start."""
    return name not in UNSAFE_NAMES and not name.startswith(UNSAFE_PREFIXES)


def clean_variables(env: Mapping[str, str]) -> dict[str, str]:
    """The variables of an event that may reach a program."""
    return {name: value for name, value in env.items() if is_safe_variable(name)}


def build_own_variables(invocation: Invocation) -> dict[str, str]:
    """Build our own variables: those of the project, and event, tool and input."""
    event = invocation.call.event
    own = {name: value for name, value in invocation.variables.items() if _is_valid_variable(name, value)}
    own |= {"HOOK_EVENT": _clean_name(get_event_name(event)), "HOOK_TOOL": _clean_name(_get_tool_name(event))}
    if isinstance(event, ToolEvent) and len(text := to_json(event.tool_input)) <= INPUT_LIMIT:
        own["HOOK_INPUT"] = text.decode()
    if invocation.recheck:
        own[RECHECK_VARIABLE] = "1"
    return own


def _get_tool_name(event: object) -> str:
    return event.tool_name if isinstance(event, ToolEvent) else ""


def _clean_name(name: str) -> str:
    return to_utf8(name).replace("\0", "")[:1024]


def _drop_largest(variables: dict[str, str], used: int) -> tuple[dict[str, str], tuple[str, ...]]:
    sizes = {name: _measure_variables({name: value}) for name, value in variables.items()}
    total = used + sum(sizes.values())
    dropped: list[str] = []
    for name in sorted(sizes, key=lambda name: -sizes[name]):
        if sizes[name] <= STRING_LIMIT and total <= ENVIRONMENT_LIMIT:
            break
        dropped.append(name)
        total -= sizes[name]
    return {name: value for name, value in variables.items() if name not in dropped}, tuple(dropped)


def _is_valid_variable(name: str, value: str) -> bool:
    return "=" not in name and "\0" not in name and "\0" not in value


def _measure_variables(variables: Mapping[str, str]) -> int:
    texts = (text for pair in variables.items() for text in pair)
    return sum(len(text.encode("utf-8", "surrogatepass")) + 1 for text in texts)
