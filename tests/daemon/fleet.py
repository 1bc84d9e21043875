"""A user with efforts: the hook methods in process, and short words for what is in the database then."""

import asyncio
import json
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from synaptic.daemon import hook_methods, rpc
from synaptic.daemon.address import connect_daemon
from synaptic.engine.walk import open_engine
from synaptic.model.call import Answer
from tests.daemon.setting import Setting
from tests.store.layered import Layered

HOOKS: Mapping[str, Mapping[str, Any]] = {
    "sessionStart": {"source": "startup"},
    "sessionEnd": {"reason": "other"},
    "preCompact": {"trigger": "auto", "custom_instructions": None},
    "preToolUse": {"tool_name": "Read", "tool_input": {"file_path": "/x"}, "tool_use_id": "t1"},
    "postToolUse": {"tool_name": "Read", "tool_input": {"file_path": "/x"}, "tool_response": {}, "tool_use_id": "t1"},
    "postToolUseFailure": {"tool_name": "Bash", "tool_input": {}, "tool_use_id": "t1", "error": "exit 1"},
    "stop": {"stop_hook_active": False, "last_assistant_message": "done"},
    "userPrompt": {"prompt": "go on"},
    "notification": {"message": "waits", "notification_type": "permission_prompt"},
    "permissionRequest": {"tool_name": "Bash", "tool_input": {"command": "ls"}},
    "teammateIdle": {"teammate_name": "W2", "team_name": "shop"},
    "taskCompleted": {"task_id": "t9", "task_subject": "totals"},
    "subagentStart": {"agent_id": "sub1", "agent_type": "Explore"},
    "subagentStop": {
        "agent_id": "sub1",
        "agent_type": "Explore",
        "stop_hook_active": False,
        "agent_transcript_path": "/s.jsonl",
        "last_assistant_message": "done",
    },
    "configChange": {"source": "user_settings"},
}
"""What each method must be given beyond the five fields that all have."""


class Fleet(Layered):
    """The layers of a setting's project. Calls are made in this process, each by an engine that lives as long."""

    def __init__(self, setting: Setting, presets: str = '["fleet"]') -> None:
        super().__init__(setting.home, str(setting.project))
        self.setting = setting
        setting.config(f'presets = {presets}\ntrust = "all"\n')

    def params(self, name: str, **fields: Any) -> dict[str, Any]:
        base = {
            "session_id": "h1",
            "transcript_path": "",
            "cwd": self.root,
            "permission_mode": "default",
            "hook_event_name": hook_methods.HOOK_METHODS[name].event if name in hook_methods.HOOK_METHODS else name,
        }
        return {**base, **HOOKS.get(name, {}), **fields}

    def call(self, name: str, agent: str = "", **fields: Any) -> dict[str, Any]:
        """One method; a refusal is raised as RpcError."""
        return asyncio.run(self._call(name, agent, self.params(name, **fields)))

    async def _call(self, name: str, agent: str, params: dict[str, Any]) -> dict[str, Any]:
        engine = open_engine(self.setting.home)
        service = type("Service", (), {"engine": engine})()
        try:
            return await rpc.call_method(service, f"hooks.{name}", params, {"AGENT_ID": agent} if agent else None)
        finally:
            await engine.close()

    def event(self, name: str, agent: str = "", **fields: Any) -> Answer:
        """The agent's own event, as `dispatch` delivers it."""
        request = self.setting.raw(name, json.dumps(self.params(name, **fields)).encode())
        if agent:
            request.env["AGENT_ID"] = agent  # type: ignore[index] - a plain dict
        return self.setting.answer(request)

    def status(self, agent: str = "h1") -> str | None:
        return self.one("SELECT status FROM agents WHERE id = ?", agent)

    def heartbeat(self, session: int) -> int:
        return self.one("SELECT heartbeat_counter FROM sessions WHERE id = ?", session)

    def ended(self, session: int) -> bool:
        return self.one("SELECT ended_at FROM sessions WHERE id = ?", session) is not None

    def messages(self) -> list[tuple[int, str, dict]]:
        sql = "SELECT session_id, role, content FROM messages ORDER BY id"
        rows = self.store.read(lambda connection: connection.execute(sql).fetchall())
        return [(session, role, json.loads(content)) for session, role, content in rows]

    def count(self, table: str) -> int:
        return self.one(f"SELECT count(*) FROM {table}")


@contextmanager
def line(setting: Setting) -> Iterator[Any]:
    """A connection to the daemon that speaks one request a line; what it yields sends many and returns the answers."""
    sock: socket.socket = connect_daemon(setting.home, 10)
    with sock, sock.makefile("rb") as answers:

        def ask(*requests: Mapping[str, Any]) -> list[dict[str, Any]]:
            sock.sendall(b"".join(json.dumps(request).encode() + b"\n" for request in requests))
            return [json.loads(answers.readline()) for _ in requests]

        yield ask
