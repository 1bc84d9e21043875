"""Named methods behind the socket: one table, spoken to as JSON-RPC 2.0 or as lines of `{cmd, args, env}`.

A method that is for people only is refused to everything below an agent. What counts is the process that has connected,
as the kernel names it; nothing that a request says.
"""

import time
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any, TypeVar

import msgspec

from synaptic.model.errors import LayerError, SynapticError, format_refusal
from synaptic.model.text import to_utf8_deep

Params = TypeVar("Params", bound=msgspec.Struct)
MethodHandler = Callable[[Any, Any], Awaitable[object]]

JSON_RPC_CODES = {
    "UNKNOWN_COMMAND": -32601,
    "VALIDATION_ERROR": -32602,
    "HANDLER_ERROR": -32000,
    "INVALID_REQUEST": -32600,
    "FOR_PEOPLE": -32001,
}
METHODS: dict[str, tuple[Any, MethodHandler]] = {}
"""The type of a method's arguments, and its handler."""
READERS: dict[str, Callable[[Mapping[str, object]], object]] = {}
"""Methods that read their arguments themselves; those of all others are converted to the type."""
PEOPLE_ONLY: dict[str, str] = {}
"""Methods that only people may call, and what an agent may not do with each; all others are for everybody."""
REQUEST_VARIABLES = frozenset(
    {"CWD", "AGENT_ID", "CLAUDE_PLUGIN_ROOT", "AGENT_CLAIMS", "AGENT_TARGETED_CLAIMS", "AGENT_MANAGES", "AGENT_PARENT"}
)
"""What a request may say about the environment it comes from."""
CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""Where the kernel notes the start of processes."""
_peer: ContextVar[int] = ContextVar("peer", default=0)
_connected: ContextVar[float] = ContextVar("connected", default=0.0)
_environment: ContextVar[Mapping[str, str]] = ContextVar("environment", default=MappingProxyType({}))


class RpcError(SynapticError):
    """A call that is answered with an error; `code` is a word a script can compare."""

    def __init__(self, code: str, message: str, issues: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.issues = issues


def register_method(
    name: str, people_only: str = ""
) -> Callable[[Callable[[Any, Params], Awaitable[object]]], MethodHandler]:
    """Registers a handler under a name; its second parameter's type is the schema of the arguments."""

    def register(handler: Callable[[Any, Params], Awaitable[object]]) -> MethodHandler:
        schema = next(kind for key, kind in handler.__annotations__.items() if key == "params")
        METHODS[name] = (schema, handler)
        if people_only:
            PEOPLE_ONLY[name] = people_only
        return handler

    return register


def note_peer(pid: int, connected: float = 0.0) -> None:
    """Remember which process asks, and since when, for what is answered in this context."""
    _peer.set(pid)
    _connected.set(connected)


def read_peer() -> int:
    """The process that asks; 0 where nobody knows."""
    return _peer.get()


def read_connected() -> float:
    """When it has connected, by the clock of processes' starts; 0 where nobody knows."""
    return _connected.get()


def request_environment() -> Mapping[str, str]:
    """Get the variables that came with the request that is being answered."""
    return _environment.get()


async def call_method(service: Any, name: str, params: Mapping[str, object], env: object = None) -> object:
    """Run one method. Every failure is a SynapticError."""
    # A context variable: requests that are answered at the same time must not see each other's AGENT_ID.
    token = _environment.set(_read_variables(env))
    try:
        return await _call_method(service, name, params)
    finally:
        _environment.reset(token)


def _read_variables(env: object) -> Mapping[str, str]:
    """Keep the known variables of a request's environment; none when it is no object of strings."""
    try:
        given = msgspec.convert(env, dict[str, str])
    except msgspec.ValidationError:
        return {}
    return {name: value for name, value in given.items() if name in REQUEST_VARIABLES}


async def _call_method(service: Any, name: str, params: Mapping[str, object]) -> object:
    if name not in METHODS:
        raise RpcError("UNKNOWN_COMMAND", f"there is no method {name!r}; `synaptic rpc rpc.methods` lists them")
    schema, handler = METHODS[name]
    if name in PEOPLE_ONLY:
        require_person(service, PEOPLE_ONLY[name])
    try:
        reader = READERS.get(name)
        typed = reader(params) if reader else msgspec.convert(params, schema)
    except msgspec.ValidationError as error:
        raise RpcError("VALIDATION_ERROR", f"{name}: {error}", (format_issue(str(error)),)) from error
    try:
        return await handler(service, typed)
    except SynapticError:
        raise
    except Exception as error:  # a handler's own mistake: the caller gets a line, and the connection stays usable
        raise RpcError("HANDLER_ERROR", f"{name}: {type(error).__name__}: {error}") from error


def require_person(service: Any, what: str) -> None:
    """Refuse what only people may do to everything below an agent, and to those whose process is not known."""
    if why := service.engine.senders.find_agent_above(read_peer()):
        raise RpcError("FOR_PEOPLE", format_refusal(what, why))


def format_issue(message: str) -> str:
    """Format msgspec's error about `$.field` as `field: message`."""
    text, found, path = message.partition(" - at `$.")
    if found:
        return f"{path.rstrip('`')}: {text}"
    field = message.partition("`")[2].partition("`")[0]
    return f"{field}: {message}" if field else message


class JsonRpcRequest(msgspec.Struct, frozen=True):
    """One request in JSON-RPC 2.0."""

    method: str
    params: dict[str, Any] = {}
    id: str | int | None = None
    jsonrpc: str = "2.0"
    env: object = None


async def answer_json_rpc(service: Any, body: bytes) -> bytes:
    """One JSON-RPC document in, one out."""
    try:
        request = msgspec.json.decode(body, type=JsonRpcRequest)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return _encode_reply(None, error=RpcError("INVALID_REQUEST", f"not a JSON-RPC request: {error}"))
    try:
        return _encode_reply(request.id, result=await call_method(service, request.method, request.params, request.env))
    except SynapticError as error:
        return _encode_reply(request.id, error=error)


def _encode_reply(number: str | int | None, *, result: object = None, error: SynapticError | None = None) -> bytes:
    if error is None:
        return encode_text({"jsonrpc": "2.0", "id": number, "result": result})
    word = _error_code(error)
    issues = list(error.issues) if isinstance(error, RpcError) else []
    body = {"code": JSON_RPC_CODES.get(word, -32000), "message": str(error), "data": {"code": word, "issues": issues}}
    return encode_text({"jsonrpc": "2.0", "id": number, "error": body})


def encode_text(value: object) -> bytes:
    """JSON, whatever texts are in it: a name from a disk or another process may hold what UTF-8 cannot."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(to_utf8_deep(msgspec.to_builtins(value, str_keys=True)))


def _error_code(error: SynapticError) -> str:
    return error.code if isinstance(error, RpcError | LayerError) else "HANDLER_ERROR"


class LineRequest(msgspec.Struct, frozen=True):
    """One request in the one-line form."""

    cmd: str
    args: dict[str, Any] = {}
    env: object = None


async def answer_line(service: Any, line: bytes) -> bytes:
    """One line in, one line out; a bad line leaves the connection usable."""
    try:
        request = msgspec.json.decode(line, type=LineRequest)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return await _answer_document(service, line) + b"\n"
    try:
        data = await call_method(service, request.cmd, request.args, request.env)
    except SynapticError as error:
        word = _error_code(error)
        details = {"details": {"issues": list(error.issues)}} if isinstance(error, RpcError) and error.issues else {}
        return encode_text({"ok": False, "error": word, "message": str(error), **details}) + b"\n"
    return encode_text({"ok": True, "data": data}) + b"\n"


async def _answer_document(service: Any, line: bytes) -> bytes:
    """A line without `cmd` may be a JSON-RPC document."""
    try:
        msgspec.json.decode(line, type=JsonRpcRequest)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return msgspec.json.encode({"ok": False, "error": "Invalid JSON request"})
    return await answer_json_rpc(service, line)
