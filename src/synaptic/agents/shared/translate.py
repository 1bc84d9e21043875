"""One vocabulary for all agents: native events, tools and keys to canonical ones, and a rewrite back again.

An agent is described by a `Dialect`: tables, and small functions where a table cannot tell. What was renamed stays in
the payload as it arrived, under `native_event_name`, `native_tool_name`, `native_tool_input` and `native_cwd`, and
only when it differs.
"""

import os.path
import re
from collections.abc import Callable, Mapping

import msgspec

from synaptic.agents.shared.payload import Payload, find_event_name, read_object, to_event
from synaptic.model.call import Call, Request
from synaptic.model.event import EVENTS, ToolEvent, Unknown
from synaptic.model.tool import Input, Tool

EVENT_KEY = "hook_event_name"
NATIVE_EVENT = "native_event_name"
NATIVE_TOOL = "native_tool_name"
NATIVE_INPUT = "native_tool_input"
NATIVE_CWD = "native_cwd"
TRAILER_CHARS = 1000
"""Characters in which a result's trailer is looked for."""
EXIT_TRAILER = re.compile(
    r"^(?:\[Process exited with code (?P<bracketed>\d+)\]"
    r"|Exit Code: (?P<listed>\d+)(?:\n(?:Signal|Background PIDs|Process Group PGID|</untrusted_context>).*)*)\s*\Z",
    re.MULTILINE,
)
"""What clients put below a command's output; text above it is the command's own and proves nothing."""


class ToolForm(msgspec.Struct, frozen=True):
    """What one native tool is in canonical terms."""

    name: str
    keys: Mapping[str, str] = {}
    """Native key to canonical key; keys that are not here keep their names. Of several for one, the first is read."""
    directory: str = ""
    """The native key that names the directory in which a shell command runs."""
    read: Callable[[Input], Tool] | None = None
    """Instead of the table: the canonical call of a native input."""
    write: Callable[[Input, Input], dict[str, object] | None] | None = None
    """Instead of the table: native input and rewritten canonical input to native input; None if that is not exact."""


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """What one agent calls things. Names that no table has are canonical already."""

    agent: str
    events: Mapping[str, str] = {}
    """Native event name to canonical name."""
    fields: Mapping[str, str] = {}
    """Native payload key to canonical key."""
    tools: Mapping[str, ToolForm] = {}
    mcp: Callable[[str, Payload], str] | None = None
    """The canonical `mcp__server__tool` of a tool name that no table has; the name itself when it is something else."""
    refine: Callable[[str, Payload], str] | None = None
    """The canonical event where the payload decides: a tool result with an error is a failure."""
    prepare: Callable[[Payload], None] | None = None
    """Puts a payload of another shape into the usual one (`tool_name`, `tool_input`), before anything is renamed."""

    def to_canonical(self, event: str) -> str:
        return self.events.get(event, event)


def decode_request(request: Request, dialect: Dialect) -> Call:
    """The call in canonical terms; raises PayloadError only when the bytes are no JSON object."""
    payload, repaired = read_object(request)
    return translate_payload(request, dialect, payload, repaired)


def translate_payload(request: Request, dialect: Dialect, payload: Payload, repaired: tuple[str, ...] = ()) -> Call:
    """The same for a payload that has been read already."""
    if dialect.prepare:
        dialect.prepare(payload)
    _rename_fields(payload, dialect.fields)
    name, doubt = _translate_event(request, payload, dialect)
    _translate_tool(payload, dialect)
    event, dropped = to_event(EVENTS.get(name, Unknown), payload, dialect.agent)
    warnings = repaired + doubt + dropped
    return Call(id=request.id, agent=request.agent, event=event, payload=payload, env=request.env, warnings=warnings)


def find_native_event(call: Call) -> str:
    """The event as the agent named it."""
    name = call.payload.get(NATIVE_EVENT)
    return name if isinstance(name, str) else call.event.hook_event_name


def to_native_input(call: Call, dialect: Dialect, new: Input) -> dict[str, object] | None:
    """A rewritten canonical input as the agent's own arguments, all of them; None where that cannot be said exactly."""
    if not isinstance(call.event, ToolEvent):
        return None
    form = dialect.tools.get(str(call.payload.get(NATIVE_TOOL, call.event.tool_name)))
    if form is None:
        return dict(new)
    was = call.payload.get(NATIVE_INPUT, call.event.tool_input)
    native: Input = was if isinstance(was, Mapping) else {}
    if form.write:
        return form.write(native, new)
    back = _map_to_native(form.keys, native)
    return {back.get(key, key): value for key, value in new.items()}


def _map_to_native(keys: Mapping[str, str], native: Input) -> dict[str, str]:
    """Canonical to native key; of several names for one thing, the one that was used."""
    back = _find_used_keys(keys, native)
    for own, canonical in keys.items():
        back.setdefault(canonical, own)
    return back


def _find_used_keys(keys: Mapping[str, str], native: Input) -> dict[str, str]:
    """Map each canonical key to the native key that the agent reads, in the table's order. A key in the input that is
    merely spelled like a canonical one is ignored by the agent, so it must not be what is judged."""
    used: dict[str, str] = {}
    for own, canonical in keys.items():
        if own in native:
            used.setdefault(canonical, own)
    return used


def _rename_fields(payload: Payload, fields: Mapping[str, str]) -> None:
    for own in [key for key in payload if key in fields]:
        payload.setdefault(fields[own], payload.pop(own))


def _translate_event(request: Request, payload: Payload, dialect: Dialect) -> tuple[str, tuple[str, ...]]:
    """The canonical name; what the command line says wins, as everywhere, in whichever of the two vocabularies."""
    said, asked = payload.get(EVENT_KEY), request.event
    own = said if isinstance(said, str) else ""
    if own in dialect.events:
        payload[EVENT_KEY] = dialect.to_canonical(own)
    if asked in dialect.events:
        request = msgspec.structs.replace(request, event=dialect.to_canonical(asked))
    name, doubt = find_event_name(request, payload, EVENT_KEY)
    native = own if own and dialect.to_canonical(own) == name else asked
    name = dialect.refine(name, payload) if dialect.refine else name
    payload[EVENT_KEY] = name
    if native not in ("", name):
        payload[NATIVE_EVENT] = native
    return name, doubt


def _translate_tool(payload: Payload, dialect: Dialect) -> None:
    name, given = payload.get("tool_name"), payload.get("tool_input")
    if not isinstance(name, str):
        return
    form = dialect.tools.get(name)
    if form is None:
        new = dialect.mcp(name, payload) if dialect.mcp else name
        _replace_value(payload, NATIVE_TOOL, "tool_name", new)
        return
    tool = _read_tool(form, given if isinstance(given, dict) else {})
    _replace_value(payload, NATIVE_TOOL, "tool_name", tool.name)
    if not isinstance(given, dict):
        return  # to_event says what is wrong with it
    _replace_value(payload, NATIVE_INPUT, "tool_input", tool.input)
    if form.directory:
        _move_directory(payload, given.get(form.directory))


def _read_tool(form: ToolForm, given: Input) -> Tool:
    if form.read:
        return form.read(given)
    if form.keys.keys().isdisjoint(given):
        return Tool(form.name, given)
    used = _find_used_keys(form.keys, given)
    named = ((form.keys.get(key, key), key, value) for key, value in given.items())
    return Tool(form.name, {name: value for name, key, value in named if used.get(name, key) == key})


def _replace_value(payload: Payload, native: str, key: str, new: object) -> None:
    """Replace a value and remember what it was."""
    if payload[key] != new:
        payload[native], payload[key] = payload[key], new


def _move_directory(payload: Payload, directory: object) -> None:
    """Judge a command in the directory where it will run, which some agents name in the tool input."""
    cwd = payload.get("cwd")
    if not isinstance(directory, str) or not directory:
        return
    place = os.path.normpath(os.path.join(cwd if isinstance(cwd, str) else "", directory))  # noqa: PTH118 no I/O
    if place != cwd:
        payload[NATIVE_CWD], payload["cwd"] = cwd, place


def refine_failure(event: str, payload: Payload) -> str:
    """PostToolUseFailure, with `error` set, where an agent tells a failure by the same event as a success."""
    error = _find_error(payload.get("tool_response")) if event == "PostToolUse" else ""
    if not error:
        return event
    payload.setdefault("error", error)
    return "PostToolUseFailure"


def _find_error(response: object) -> str:
    if isinstance(response, dict):
        error = response.get("error")
        if error:
            message = error.get("message") if isinstance(error, dict) else error
            return message if isinstance(message, str) and message else "the tool reports an error"
        # Gemini and Qwen have no exit code in the payload; it is only in the text that they show to the model.
        response = response.get("llmContent")
    found = EXIT_TRAILER.search(response[-TRAILER_CHARS:]) if isinstance(response, str) else None
    code = int(found["bracketed"] or found["listed"]) if found else 0
    return f"Exit code {code}\n{response}" if code else ""
