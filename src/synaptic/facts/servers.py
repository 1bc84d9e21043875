"""Which MCP servers the agent's files declare: what tools there can be at all."""

from collections.abc import Mapping

import msgspec

from synaptic.facts.gather import USER_HOME, EngineMeans, Gatherer
from synaptic.files.bounded import read_content
from synaptic.model.call import Call

SETTINGS_LIMIT = 32 * 1024 * 1024
PROJECT_LIMIT = 1024 * 1024
"""Bytes; a repository's own file is small, or nobody waits for it."""
FRESH_SECONDS = 5.0
"""Seconds for which a list is used again: the agent's own file changes with every prompt."""
MAX_KNOWN_PROJECTS = 64
KNOWN_AGENT = "claude"
"""The one agent whose files are known."""


class _ProjectServers(msgspec.Struct, frozen=True):
    mcpServers: dict[str, msgspec.Raw] = {}


class _ClaudeSettings(_ProjectServers, frozen=True):
    projects: dict[str, _ProjectServers] = {}


_known_servers: dict[tuple[str, str], tuple[float, frozenset[str] | None]] = {}


async def gather_tool_servers(call: Call, means: EngineMeans) -> frozenset[str] | None:
    """Names of the servers; None for an agent whose files are not known, and for files that cannot be read."""
    if call.agent != KNOWN_AGENT or not call.root:
        return None
    home = call.env.get("HOME") or USER_HOME
    kept = _known_servers.get((home, call.root))
    if kept is not None and 0 <= call.at - kept[0] < FRESH_SECONDS:
        return kept[1]
    if len(_known_servers) >= MAX_KNOWN_PROJECTS:
        _known_servers.clear()
    found = _read_declared(home, call.root)
    _known_servers[home, call.root] = (call.at, found)
    return found


def _read_declared(home: str, root: str) -> frozenset[str] | None:
    # A file that cannot be decoded makes the answer "not known", because a missing name would mean "no such tool".
    names: set[str] = set()
    for path, limit in ((f"{root}/.mcp.json", PROJECT_LIMIT), (f"{home}/.claude.json", SETTINGS_LIMIT)):
        content = read_content(path, limit)
        if content is None:
            continue
        try:
            settings = msgspec.json.decode(content if isinstance(content, bytes) else b"", type=_ClaudeSettings)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        names |= settings.mcpServers.keys()
        names |= settings.projects.get(root, _ProjectServers()).mcpServers.keys()
    return frozenset(names)


FACTS: Mapping[str, Gatherer] = {"tool_servers": gather_tool_servers}
