"""Read stored sections for the gates. A section with a wrong signature never loosens a gate."""

from collections.abc import Mapping, Sequence

from synaptic.model import sane
from synaptic.model.event import Event, UserPromptSubmit
from synaptic.model.state import State
from synaptic.policies import prompt

TASK_SECTION = "project:task"
"""The last prompt that was a task: its `class` and its `keywords`; `research_only` while no edit was asked for."""


def read_user_command(event: Event) -> str:
    """The command that a user typed, or nothing."""
    if not isinstance(event, UserPromptSubmit) or event.agent_id or not prompt.is_typed(event.prompt, event.source):
        return ""
    return prompt.find_command(event.prompt)


def read_flag(state: State, section: str, key: str) -> bool:
    """Whether a switch is on; in a section with a wrong signature, its cautious value counts."""
    if section in state.tampered:
        return sane.WARY.get(section, {}).get(key) is True
    return state.read_flag(section, key)


def read_texts(state: State, section: str, key: str) -> tuple[str, ...]:
    """A list of words."""
    return tuple(item for item in state.read_items(section, key) if isinstance(item, str))


def is_gated(state: State) -> bool:
    """Whether edits have to wait for research: for a task, and where no prompt has said what this is."""
    known = state.read_section(sane.REQUIREMENTS) and sane.REQUIREMENTS not in state.tampered
    return (
        not known
        or "is_task" not in state.read_section(sane.REQUIREMENTS)
        or state.read_flag(sane.REQUIREMENTS, "is_task")
    )


def list_researched(state: State) -> tuple[str, ...]:
    """The categories of research that are done."""
    if sane.RESEARCH in state.tampered:
        return ()
    section = state.read_section(sane.RESEARCH)
    return tuple(name for name in section if section[name])


class ResearchCategories:
    """Which tools count as which kind of research."""

    def __init__(self, table: Mapping[str, Sequence[str]]) -> None:
        self._table = {name: tuple(patterns) for name, patterns in table.items()}

    def find_for_tool(self, tool: str) -> tuple[str, ...]:
        """The categories that a tool's success marks."""
        return tuple(
            name for name, patterns in self._table.items() if any(_tool_matches(tool, item) for item in patterns)
        )

    def split_missing(self, state: State, servers: frozenset[str] | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Categories still to be looked into, and those that no tool here can serve."""
        done = list_researched(state)
        left = tuple(name for name in self._table if name not in done)
        # Where the list of servers is unknown or incomplete, nothing is waived.
        if servers is None or self._has_undeclared_server(state, servers):
            return left, ()
        waived = tuple(name for name in left if not _is_served(self._table[name], servers))
        return tuple(name for name in left if name not in waived), waived

    def _has_undeclared_server(self, state: State, servers: frozenset[str]) -> bool:
        """A tool of a server that no file declares has run: the list of servers is not the whole truth."""
        section = state.read_section(sane.RESEARCH)
        used = (entry.get("tool") for entry in section.values() if isinstance(entry, Mapping))
        names = {tool.split("__")[1] for tool in used if isinstance(tool, str) and tool.count("__") >= 2}
        return not names <= servers


def _tool_matches(tool: str, pattern: str) -> bool:
    return tool.startswith(pattern[:-1]) if pattern.endswith("*") else tool == pattern


def _is_served(patterns: Sequence[str], servers: frozenset[str]) -> bool:
    return any(not item.startswith("mcp__") or item.split("__")[1].rstrip("*") in servers for item in patterns)
