"""A server of tools for agents, over MCP on stdin and stdout: they read and file, and none of them grants or changes.

It is a process of its own, about the project that it is started in. Texts that go out are cleaned: what an agent has
once put into a command must not come back as something else.
"""

import os
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

import anyio.to_thread
import msgspec
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

import synaptic
from synaptic.daemon.consult import CheckedCall, ask_here, ask_running
from synaptic.hooks.project import find_root
from synaptic.model.errors import StoreError, SynapticError
from synaptic.model.home import Home
from synaptic.model.text import to_utf8_deep
from synaptic.pipeline.explain import explain_event
from synaptic.store.db import Store
from synaptic.store.refused import RefusedCall
from synaptic.work.appeals import FileAppeal
from synaptic.work.command import Caller, Command, CommandContext
from synaptic.work.inbox import ListInbox, clean, is_open
from synaptic.work.past_event import FindOwnEvent

Result = TypeVar("Result")
MOST_TEXT = 16_000
MOST_GIVEN = 256 * 1024
MOST_LISTED = 30
MOST_SHOWN = 300
INSTRUCTIONS = (
    "Synaptic judges tool calls before they run. Nothing here allows anything: a refusal stands until a person lifts "
    "it. Ask `check` before a risky call; file an `appeal` once and go on with other work; look at `inbox_status` "
    "later, to see whether a person has answered."
)


def serve(home: Home, cwd: str) -> None:
    """Answer until stdin ends."""
    build_server(AgentDesk(home, cwd)).run("stdio")


class AgentDesk:
    """What an agent of one project may ask and file."""

    def __init__(self, home: Home, cwd: str) -> None:
        self._home = home
        self._cwd = cwd
        self._root = find_root({}, {"HOME": os.environ.get("HOME", "")}, cwd)

    async def check(self, question: Mapping[str, Any]) -> str:
        """What the hooks say about a call that nobody makes."""
        if len(msgspec.json.encode(to_utf8_deep(question))) > MOST_GIVEN:
            raise ToolError(f"the call is larger than {MOST_GIVEN >> 10} KiB")
        env = {name: value for name, value in os.environ.items() if name != "CLAUDE_PROJECT_DIR"}
        call = CheckedCall({**to_utf8_deep(question), "cwd": to_utf8_deep(self._cwd)}, env)
        said = await anyio.to_thread.run_sync(ask_running, self._home, call) or await ask_here(self._home, call)
        told = {key: said[key] for key in ("decision", "policy", "reason", "updated_input") if said.get(key)}
        return clean(msgspec.json.encode(to_utf8_deep(told)).decode())[:MOST_TEXT]

    def explain(self, which: str) -> str:
        """The story of one past event."""
        return "\n".join(clean(line) for line in explain_event(self._run(FindOwnEvent(which=which))))[:MOST_TEXT]

    def appeal(self, code: str, why: str) -> str:
        """File an agent's word against a refusal."""
        return self._run(FileAppeal(code=code, why=why)).told

    def list_refusals(self) -> str:
        """What was refused in this project, and what a person says to it."""
        groups = self._run(ListInbox(all=True, project=self._require_root()))
        calls = [call for group in groups for call in group.calls]
        shown = sorted(calls, key=lambda call: (not is_open(call), -call.last_at))[:MOST_LISTED]
        return msgspec.json.encode([_describe(call) for call in shown]).decode()

    def _run(self, command: Command[Result]) -> Result:
        if not self._home.database.exists():
            raise StoreError("there is no journal yet: nothing was refused", where=str(self._home.database))
        store = Store.open(self._home)
        try:
            # None of these waits for anything.
            return cast(Result, command.run(CommandContext(store, Caller(root=self._root, cwd=self._cwd))))
        finally:
            store.close()

    def _require_root(self) -> str:
        if not self._root:
            raise SynapticError("the home folder is no project", where=self._cwd)
        return self._root


def build_server(desk: AgentDesk) -> Any:
    """The server with its four tools; there is no other.

    Hooks judge these calls too. An argument named `command` or `code` would be taken for what runs here.
    """
    server = MCPServer("synaptic", version=synaptic.__version__, instructions=INSTRUCTIONS, log_level="ERROR")

    async def check(would_run: str = "", tool: str = "", given: str = "") -> str:
        """What the hooks would say about a call, without making it. `would_run`: a shell command; or `tool` with its
        input in `given`, as JSON text."""
        if bool(would_run) == bool(tool):
            raise ToolError("give `would_run`, or `tool` with `given`")
        if would_run:
            return await desk.check({"tool_name": "Bash", "tool_input": {"command": would_run}})
        return await desk.check({"tool_name": tool, "tool_input": _read_input(given)})

    async def explain(event: str) -> str:
        """Why an event of this project was decided as it was. `event`: its number, or the id of its call."""
        return await _answer(desk.explain, event)

    async def appeal(refusal: str, why: str) -> str:
        """Say why a refused call was meant well. `refusal`: its code. A person reads it; nothing is allowed by it."""
        return await _answer(desk.appeal, refusal, why)

    async def inbox_status() -> str:
        """Refusals and questions of this project, and whether a person has answered them."""
        return await _answer(desk.list_refusals)

    for read in (check, explain, inbox_status):
        server.add_tool(read, annotations=ToolAnnotations(read_only_hint=True), structured_output=False)
    server.add_tool(appeal, annotations=ToolAnnotations(destructive_hint=False), structured_output=False)
    return server


async def _answer(work: Callable[..., str], *given: str) -> str:
    try:
        return await anyio.to_thread.run_sync(work, *given)
    except SynapticError as error:
        raise ToolError(clean(str(error))) from error


def _read_input(text: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(text or "{}", type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ToolError(f"`given` is no JSON object: {clean(str(error))}") from None


def _describe(call: RefusedCall) -> dict[str, object]:
    return {
        "code": call.code,
        "policies": list(call.policies),
        "call": clean(call.subject.shown or call.subject.tool)[:MOST_SHOWN],
        "times": call.count,
        "answer": call.answer if not is_open(call) else "none yet",
        "appealed": bool(call.appeal),
    }
