"""Which MCP servers the agent's files declare."""

import asyncio
import itertools
import json
from pathlib import Path

from synaptic.facts.servers import gather_tool_servers
from synaptic.model.call import Call
from synaptic.model.event import PreToolUse

CLOCK = itertools.count(1000, 100)


def servers(folder: Path, agent: str = "claude", at: float | None = None) -> frozenset[str] | None:
    env = {"HOME": str(folder / "home")}
    root = str(folder / "p")
    call = Call("c", agent, PreToolUse(), {}, root=root, at=next(CLOCK) if at is None else at, env=env)
    return asyncio.run(gather_tool_servers(call, None))  # type: ignore[arg-type]


def place(folder: Path, name: str, content: object) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))


def test_the_project_s_file_and_the_user_s_are_read(tmp_path: Path) -> None:
    assert servers(tmp_path) == frozenset()
    place(tmp_path, "p/.mcp.json", {"mcpServers": {"memory": {"command": "x"}}})
    mine = {"mcpServers": {"github": {}}, "projects": {str(tmp_path / "p"): {"mcpServers": {"context7": {}}}, "/q": {}}}
    place(tmp_path, "home/.claude.json", {**mine, "numStartups": 3})
    assert servers(tmp_path) == {"memory", "github", "context7"}


def test_what_cannot_be_read_is_not_known(tmp_path: Path) -> None:
    place(tmp_path, "p/.mcp.json", "{")
    assert servers(tmp_path) is None
    assert servers(tmp_path, agent="codex") is None


def test_a_list_is_used_again_for_a_moment(tmp_path: Path) -> None:
    assert servers(tmp_path, at=5000.0) == frozenset()
    place(tmp_path, "p/.mcp.json", {"mcpServers": {"memory": {}}})
    assert servers(tmp_path, at=5001.0) == frozenset()
    assert servers(tmp_path, at=5006.0) == {"memory"}
