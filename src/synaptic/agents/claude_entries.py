"""The entries Claude Code's settings hold for us: one per event, written and recognised here."""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from synaptic.model.errors import SettingsError
from synaptic.model.event import CLAUDE_EVENTS, EVENTS, Timing, ToolEvent
from synaptic.model.hook import HttpEndpoint

UNREGISTERED = ("WorktreeCreate", "WorktreeRemove")
"""Whoever registers WorktreeCreate has to create the worktree; a silent entry breaks every one."""
WITHOUT_HTTP = ("SessionStart", "Setup")
"""The agent skips http hooks on these without a word."""
REGISTERED = tuple(kind.__name__ for kind in CLAUDE_EVENTS if kind.__name__ not in UNREGISTERED)

TIMEOUT = 600
TIMEOUTS: Mapping[str, int] = {
    "SessionEnd": 10,
    "UserPromptSubmit": 30,
    "MessageDisplay": 10,
    "PreModelSwitch": 30,
    "PostModelSwitch": 30,
}
"""Seconds, as the agent's own defaults; SessionEnd would get 1.5 without a number."""

ENTRY = "--entry="
HTTP_ENTRY = "synaptic-entry="
COMMON_PATH = "/.synaptic/bin/dispatch"
SHELL_FORM = re.compile(r"""("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"']*)(?:\s+\w+)*\s+--entry=[^\s;&|]+\s*""")
SHELL_KEYS = ("command", "bash")
"""Where agents keep a command line."""
DELEGATE = "amp-delegate"
"""The program beside the dispatcher for an agent that passes no arguments."""


class Plan(msgspec.Struct, frozen=True):
    """What the entries of one installation look like."""

    dispatch: str
    """Absolute path of the dispatcher: the exec form expands neither `~` nor variables."""
    token: str
    """Random per installation: a repository that repeats an entry to replace it cannot guess this."""
    fail_closed: bool = False
    http: HttpEndpoint | None = None


def entries(plan: Plan) -> dict[str, dict[str, Any]]:
    """Our matcher group for every registered event. Raises SettingsError rather than return a malformed one."""
    _check(plan)
    return {event: _group(event, plan) for event in REGISTERED}


def _group(event: str, plan: Plan) -> dict[str, Any]:
    matcher = {"matcher": ".*"} if issubclass(EVENTS[event], ToolEvent) else {}
    return {**matcher, "hooks": [_hook(event, plan)]}


def _hook(event: str, plan: Plan) -> dict[str, Any]:
    hook = _command(event, plan) if plan.http is None or event in WITHOUT_HTTP else _http(event, plan, plan.http)
    hook["timeout"] = TIMEOUTS.get(event, TIMEOUT)
    # Nobody decides for a daemon that is away when the agent asks it over HTTP: that must not be an allow.
    if (plan.fail_closed or hook["type"] == "http") and EVENTS[event].TIMING is Timing.BEFORE:
        hook["onFailure"] = "block"
    return hook


def _command(event: str, plan: Plan) -> dict[str, Any]:
    return {"type": "command", "command": plan.dispatch, "args": [event, f"{ENTRY}{plan.token}"]}


def _http(event: str, plan: Plan, endpoint: HttpEndpoint) -> dict[str, Any]:
    url = f"{endpoint.url.rstrip('/')}/{event}?{HTTP_ENTRY}{plan.token}"
    headers = {"headers": dict(endpoint.headers)} if endpoint.headers else {}
    return {"type": "http", "url": url, **headers}


def _check(plan: Plan) -> None:
    """One malformed entry makes the agent drop the whole settings file, permissions included."""
    if not plan.dispatch.startswith("/") or "${" in plan.dispatch:
        raise SettingsError(f"{plan.dispatch!r} cannot be the dispatcher's path: it must be absolute, without ${{")
    if not re.fullmatch(r"[0-9a-f]{32}", plan.token):
        raise SettingsError("the entry token must be 32 hexadecimal digits")
    if plan.http is not None and not re.match(r"http://(127\.0\.0\.1|localhost|\[::1\])(:\d+)?(/|$)", plan.http.url):
        raise SettingsError(f"{plan.http.url!r} is not on this machine", hint="use http://127.0.0.1:PORT/...")
    try:
        msgspec.json.encode(plan)
    except UnicodeEncodeError as error:
        raise SettingsError(f"{plan.dispatch!r} is not UTF-8 and cannot be written to JSON") from error


def is_ours(hook: object, dispatch: str) -> bool:
    """Whether a hook object was written by us: now, by another version, or from another home."""
    if not isinstance(hook, dict):
        return False
    if hook.get("type") == "http":
        return HTTP_ENTRY in str(hook.get("url", ""))
    command, args = hook.get("command"), hook.get("args")
    if isinstance(command, str) and isinstance(args, list):
        return _is_dispatcher(command, dispatch) and any(str(arg).startswith(ENTRY) for arg in args)
    if hook.get("action") == "delegate":
        folder, _, name = str(hook.get("to", "")).rpartition("/")
        return name == DELEGATE and _is_dispatcher(f"{folder}/dispatch", dispatch)
    return any(_is_shell_form(hook.get(key), dispatch) for key in SHELL_KEYS)


def _is_shell_form(command: object, dispatch: str) -> bool:
    found = SHELL_FORM.fullmatch(command) if isinstance(command, str) else None
    return found is not None and _is_dispatcher(_unquoted(found.group(1)), dispatch)


def quoted(path: str) -> str:
    """A path as one word of any shell that agents use."""
    return '"' + re.sub(r'([\\"$`])', r"\\\1", path) + '"'


def _unquoted(word: str) -> str:
    return re.sub(r"\\(.)", r"\1", word[1:-1]) if word.startswith('"') else word.strip("'")


def _is_dispatcher(path: str, dispatch: str) -> bool:
    return path == dispatch or path.endswith(COMMON_PATH)
