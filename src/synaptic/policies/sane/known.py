"""Read stored sections for the gates. A section with a wrong signature never loosens a gate."""

from collections.abc import Mapping, Sequence

from synaptic.model import sane
from synaptic.model.event import Event, UserPromptSubmit
from synaptic.model.state import State
from synaptic.policies import prompt

TASK = "project:task"
"""The last prompt that was a task: its `class` and its `keywords`; `research_only` while no edit was asked for."""


def commanded(event: Event) -> str:
    """The command that a user typed, or nothing."""
    if not isinstance(event, UserPromptSubmit) or event.agent_id or not prompt.typed(event.prompt, event.source):
        return ""
    return prompt.command(event.prompt)


def flag(state: State, section: str, key: str) -> bool:
    """Whether a switch is on; in a section with a wrong signature, its cautious value counts."""
    if section in state.tampered:
        return sane.WARY.get(section, {}).get(key) is True
    return state.flag(section, key)


def texts(state: State, section: str, key: str) -> tuple[str, ...]:
    """A list of words."""
    return tuple(item for item in state.items(section, key) if isinstance(item, str))


def gated(state: State) -> bool:
    """Whether edits have to wait for research: for a task, and where no prompt has said what this is."""
    known = state.section(sane.REQUIREMENTS) and sane.REQUIREMENTS not in state.tampered
    return not known or "is_task" not in state.section(sane.REQUIREMENTS) or state.flag(sane.REQUIREMENTS, "is_task")


def researched(state: State) -> tuple[str, ...]:
    """The categories of research that are done."""
    if sane.RESEARCH in state.tampered:
        return ()
    section = state.section(sane.RESEARCH)
    return tuple(name for name in section if section[name])


class Categories:
    """Which tools count as which kind of research."""

    def __init__(self, table: Mapping[str, Sequence[str]]) -> None:
        self._table = {name: tuple(patterns) for name, patterns in table.items()}

    def of(self, tool: str) -> tuple[str, ...]:
        """The categories that a tool's success marks."""
        return tuple(name for name, patterns in self._table.items() if any(_is(tool, item) for item in patterns))

    def missing(self, state: State, servers: frozenset[str] | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Categories still to be looked into, and those that no tool here can serve."""
        done = researched(state)
        left = tuple(name for name in self._table if name not in done)
        # Where the list of servers is unknown or incomplete, nothing is waived.
        if servers is None or self._more_than_declared(state, servers):
            return left, ()
        waived = tuple(name for name in left if not _served(self._table[name], servers))
        return tuple(name for name in left if name not in waived), waived

    def _more_than_declared(self, state: State, servers: frozenset[str]) -> bool:
        """A tool of a server that no file declares has run: the list of servers is not the whole truth."""
        section = state.section(sane.RESEARCH)
        used = (entry.get("tool") for entry in section.values() if isinstance(entry, Mapping))
        names = {tool.split("__")[1] for tool in used if isinstance(tool, str) and tool.count("__") >= 2}
        return not names <= servers


def _is(tool: str, pattern: str) -> bool:
    return tool.startswith(pattern[:-1]) if pattern.endswith("*") else tool == pattern


def _served(patterns: Sequence[str], servers: frozenset[str]) -> bool:
    return any(not item.startswith("mcp__") or item.split("__")[1].rstrip("*") in servers for item in patterns)
