"""Which research is done for a task, which is missing, and which cannot be done here."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from synaptic.model import sane
from synaptic.model.state import State
from synaptic.policies.sane.known import TASK_SECTION

ENOUGH_TRIES = 2
"""Calls without a result after which a category counts as out of reach."""
OUTWARD_TOOLS = ("mcp__", "Web")
"""How tools are named that need somebody else to answer: those can be out of reach."""


def list_researched(state: State) -> tuple[str, ...]:
    """The categories of research that are done."""
    if sane.RESEARCH in state.tampered:
        return ()
    return tuple([name for name, done in state.read_section(sane.RESEARCH).items() if done])


def is_waived(state: State) -> bool:
    """Whether the user does without research for this task."""
    return bool(state.read_text(TASK_SECTION, "waived"))


def count_tries(state: State) -> dict[str, int]:
    """How often the tools of a category were called for this task and brought nothing."""
    tried = state.read_section(TASK_SECTION).get("tried")
    return (
        {str(name): times for name, times in tried.items() if isinstance(times, int)}
        if isinstance(tried, Mapping)
        else {}
    )


class ResearchProgress(msgspec.Struct, frozen=True):
    """Each category of research once: what has come of it."""

    done: tuple[str, ...]
    missing: tuple[str, ...]
    unserved: tuple[str, ...]
    """No server that is set up has a tool for them."""
    unreached: tuple[str, ...]
    """Their tools were tried and brought nothing."""


class ResearchCategories:
    """Which tools count as which kind of research."""

    def __init__(self, table: Mapping[str, Sequence[str]]) -> None:
        self._table = table

    def find_for_tool(self, tool: str) -> tuple[str, ...]:
        """The categories that a tool's success marks."""
        return tuple([name for name, patterns in self._table.items() if _serves_any(tool, patterns)])

    def read_progress(self, state: State, servers: frozenset[str] | None) -> ResearchProgress:
        """What is done, what is still to be looked into, and what cannot be."""
        researched, tries = list_researched(state), count_tries(state)
        done = tuple([name for name in self._table if name in researched])
        left = [name for name in self._table if name not in researched]
        # Server by server: what one of them has answered says nothing about another. Where the list of servers is not
        # known, none is taken for missing.
        unserved = tuple([name for name in left if servers is not None and not _is_served(self._table[name], servers)])
        unreached = tuple([name for name in left if name not in unserved and tries.get(name, 0) >= ENOUGH_TRIES])
        missing = tuple([name for name in left if name not in unserved and name not in unreached])
        return ResearchProgress(done, missing, unserved, unreached)

    def start_anew(self, servers: frozenset[str] | None) -> ResearchProgress:
        """The progress of a task that has just begun."""
        return self.read_progress(State(), servers)


def _serves_any(tool: str, patterns: Iterable[str]) -> bool:
    """Whether one of the patterns is for this tool."""
    for pattern in patterns:  # noqa: SIM110 - asked of every call: a generator would cost three times as much
        if tool.startswith(pattern[:-1]) if pattern.endswith("*") else tool == pattern:
            return True
    return False


def _is_served(patterns: Sequence[str], servers: frozenset[str]) -> bool:
    return any(not item.startswith("mcp__") or item.split("__")[1].rstrip("*") in servers for item in patterns)
