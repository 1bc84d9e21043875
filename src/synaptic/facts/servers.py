"""Which MCP servers the agent's files declare: what tools there can be at all."""

from collections.abc import Mapping

import msgspec

from synaptic.facts.gather import USER_HOME, EngineMeans, Gatherer
from synaptic.files import snapshot
from synaptic.model.call import Call

LIMIT = 32 * 1024 * 1024
FRESH = 5.0
"""Seconds for which a list is used again: the agent's own file changes with every prompt."""
KEPT = 64
AGENT = "claude"
"""The one agent whose files are known."""


class _Project(msgspec.Struct, frozen=True):
    mcpServers: dict[str, msgspec.Raw] = {}


class _Settings(_Project, frozen=True):
    projects: dict[str, _Project] = {}


_known: dict[tuple[str, str], tuple[float, frozenset[str] | None]] = {}


async def tool_servers(call: Call, means: EngineMeans) -> frozenset[str] | None:
    """Names of the servers; None for an agent whose files are not known, and for files that cannot be read."""
    if call.agent != AGENT or not call.root:
        return None
    home = call.env.get("HOME") or USER_HOME
    kept = _known.get((home, call.root))
    if kept is not None and 0 <= call.at - kept[0] < FRESH:
        return kept[1]
    if len(_known) >= KEPT:
        _known.clear()
    found = _declared(home, call.root)
    _known[home, call.root] = (call.at, found)
    return found


def _declared(home: str, root: str) -> frozenset[str] | None:
    # A file that cannot be decoded makes the answer "not known", because a missing name would mean "no such tool".
    names: set[str] = set()
    for path in (f"{root}/.mcp.json", f"{home}/.claude.json"):
        content = snapshot.read(path, LIMIT)
        if content is None:
            continue
        try:
            settings = msgspec.json.decode(content if isinstance(content, bytes) else b"", type=_Settings)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        names |= settings.mcpServers.keys()
        names |= settings.projects.get(root, _Project()).mcpServers.keys()
    return frozenset(names)


FACTS: Mapping[str, Gatherer] = {"tool_servers": tool_servers}
