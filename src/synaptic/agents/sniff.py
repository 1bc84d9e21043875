"""Who truly speaks: other agents run the entries in Claude Code's settings too, each in its own dialect.

Only the payload is proof: a repository can set a hook's environment, and to a true Claude Code an answer in another
dialect would be none at all. A variable merely tells apart agents whose payloads look alike.
"""

import re
from collections.abc import Callable, Mapping

import msgspec

from synaptic.model.call import Request

CLAUDE = "claude"
READERS = frozenset({"copilot", "cursor"})
"""Agents that run Claude Code's entries beside their own."""
TRUE = re.compile(rb'\{"session_id":"[^"\\]*","transcript_path":"[^"\\]*/\.claude/projects/')
"""How Claude Code begins every payload. An agent's own fields come first: no tool input can imitate them here."""
NOTHING = msgspec.Raw()


class Traits(msgspec.Struct, frozen=True):
    """The fields at the top of a payload by which agents differ; what a tool call carries is further down."""

    cursor_version: msgspec.Raw = NOTHING
    timestamp: msgspec.Raw = NOTHING
    turn_id: msgspec.Raw = NOTHING
    hook_name: msgspec.Raw = msgspec.field(default=NOTHING, name="hookName")
    cline_version: msgspec.Raw = msgspec.field(default=NOTHING, name="clineVersion")
    session_id: msgspec.Raw = NOTHING
    transcript_path: msgspec.Raw = NOTHING
    hook_event_name: msgspec.Raw = NOTHING


Env = Mapping[str, str]
Sign = Callable[[Traits, Env], bool]
DECODER = msgspec.json.Decoder(Traits)


def sniff(request: Request) -> str:
    """The agent that speaks: the one named on the command line, unless that is Claude Code and somebody else does."""
    if request.agent != CLAUDE or TRUE.match(request.stdin):
        return request.agent
    try:
        seen = DECODER.decode(request.stdin)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return CLAUDE
    return next((agent for agent, sign in SIGNS if sign(seen, request.env)), CLAUDE)


def by_speaker(request: Request) -> Request:
    """The same request under the name of whoever truly speaks; the very same object when that is who it says."""
    speaker = sniff(request)
    return request if speaker == request.agent else msgspec.structs.replace(request, agent=speaker)


def _set(env: Env, *names: str) -> bool:
    return any(env.get(name) for name in names)


def _under(seen: Traits, folder: bytes) -> bool:
    return folder in bytes(seen.transcript_path)


def _codex(seen: Traits, env: Env) -> bool:
    """A piece of Claude Code's text is part of a turn too."""
    turn = bool(bytes(seen.turn_id)) and bytes(seen.hook_event_name) != b'"MessageDisplay"'
    return turn or _under(seen, b"/.codex/")


def _droid(seen: Traits, env: Env) -> bool:
    return _under(seen, b"/.factory/") and _set(env, "FACTORY_PROJECT_DIR", "DROID_PROJECT_DIR")


def _amp(seen: Traits, env: Env) -> bool:
    bare = not bytes(seen.session_id) and not bytes(seen.hook_event_name)
    return bare and env.get("AGENT") == "amp" and _set(env, "AGENT_TOOL_NAME")


def _stamped(*names: str) -> Sign:
    """Claude Code puts no time at the top of a payload, these agents do."""
    return lambda seen, env: bool(bytes(seen.timestamp)) and _set(env, *names)


SIGNS: tuple[tuple[str, Sign], ...] = (
    ("cursor", lambda seen, env: bool(bytes(seen.cursor_version))),
    ("copilot", _stamped("COPILOT_CLI")),
    ("codex", _codex),
    ("cline", lambda seen, env: bool(bytes(seen.hook_name) and bytes(seen.cline_version))),
    ("droid", _droid),
    ("qwen", _stamped("QWEN_PROJECT_DIR")),  # before Gemini, whose variables it sets too
    ("gemini", _stamped("GEMINI_SESSION_ID")),
    ("amp", _amp),
)
"""The first sign that holds decides."""
