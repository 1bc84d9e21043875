"""What Claude Code's settings hold for us: one entry per event, by a process or over HTTP; and where they are."""

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from synaptic.agents.base import AgentFile, SettingsFile, SettingsShape, WantedEntries, Wiring
from synaptic.agents.shared.ours import ENTRY_ARGUMENT, HTTP_ENTRY_ARGUMENT, EntryPlan
from synaptic.model.errors import SettingsError
from synaptic.model.event import CLAUDE_EVENTS, EVENTS, Timing, ToolEvent
from synaptic.model.hook import HttpEndpoint

SETTINGS_NAME = "settings.json"
PROJECT_SETTINGS = (".claude/settings.json", ".claude/settings.local.json")
"""Below a project's root."""
CLAUDE_SHAPE = SettingsShape()
UNREGISTERED_EVENTS = ("WorktreeCreate", "WorktreeRemove")
"""Whoever registers WorktreeCreate has to create the worktree; a silent entry breaks every one."""
EVENTS_WITHOUT_HTTP = ("SessionStart", "Setup")
"""The agent skips http hooks on these without a word."""
REGISTERED_EVENTS = tuple(kind.__name__ for kind in CLAUDE_EVENTS if kind.__name__ not in UNREGISTERED_EVENTS)

TIMEOUT = 600
TIMEOUTS: Mapping[str, int] = {
    "SessionEnd": 10,
    "UserPromptSubmit": 30,
    "MessageDisplay": 10,
    "PreModelSwitch": 30,
    "PostModelSwitch": 30,
}
"""Seconds, as the agent's own defaults; SessionEnd would get 1.5 without a number."""


def locate_settings(user_home: Path, claude_dir: Path | None = None) -> Path:
    """The user's own settings; `claude_dir` is CLAUDE_CONFIG_DIR."""
    return (claude_dir or user_home / ".claude") / SETTINGS_NAME


def locate_managed_folder() -> Path:
    """Where this machine's administrator keeps settings that no repository can switch off."""
    if sys.platform == "darwin":
        return Path("/Library/Application Support/ClaudeCode")
    return Path("/etc/claude-code")


def locate_managed_file(folder: Path) -> Path:
    """The file of ours among them."""
    return folder / "managed-settings.d" / "synaptic.json"


def make_files(wiring: Wiring) -> tuple[AgentFile, ...]:
    """The user's own settings, with our entries."""
    return (SettingsFile(wiring.locate_file(SETTINGS_NAME), build_wanted_entries(wiring.plan)),)


def build_wanted_entries(plan: EntryPlan) -> WantedEntries:
    """What a settings file should hold of ours. Raises SettingsError for a plan that cannot be written."""
    return WantedEntries(CLAUDE_SHAPE, plan.dispatch, build_entries(plan))


def build_entries(plan: EntryPlan) -> dict[str, dict[str, Any]]:
    """Our matcher group for every registered event. Raises SettingsError rather than return a malformed one."""
    _check_plan(plan)
    return {event: _build_group(event, plan) for event in REGISTERED_EVENTS}


def _build_group(event: str, plan: EntryPlan) -> dict[str, Any]:
    matcher = {"matcher": ".*"} if issubclass(EVENTS[event], ToolEvent) else {}
    return {**matcher, "hooks": [_build_hook(event, plan)]}


def _build_hook(event: str, plan: EntryPlan) -> dict[str, Any]:
    hook = (
        _build_command_hook(event, plan)
        if plan.http is None or event in EVENTS_WITHOUT_HTTP
        else _build_http_hook(event, plan, plan.http)
    )
    hook["timeout"] = TIMEOUTS.get(event, TIMEOUT)
    # Nobody decides for a daemon that is away when the agent asks it over HTTP: that must not be an allow.
    if (plan.fail_closed or hook["type"] == "http") and EVENTS[event].TIMING is Timing.BEFORE:
        hook["onFailure"] = "block"
    return hook


def _build_command_hook(event: str, plan: EntryPlan) -> dict[str, Any]:
    return {"type": "command", "command": plan.dispatch, "args": [event, f"{ENTRY_ARGUMENT}{plan.token}"]}


def _build_http_hook(event: str, plan: EntryPlan, endpoint: HttpEndpoint) -> dict[str, Any]:
    url = f"{endpoint.url.rstrip('/')}/{event}?{HTTP_ENTRY_ARGUMENT}{plan.token}"
    headers = {"headers": dict(endpoint.headers)} if endpoint.headers else {}
    return {"type": "http", "url": url, **headers}


def _check_plan(plan: EntryPlan) -> None:
    """One malformed entry makes the agent drop the whole settings file, permissions included."""
    if not plan.dispatch.startswith("/") or "${" in plan.dispatch:
        raise SettingsError(f"{plan.dispatch!r} cannot be the dispatcher's path: it must be absolute, without ${{")
    if not re.fullmatch(r"[0-9a-f]{32}", plan.token):
        raise SettingsError("the entry token must be 32 hexadecimal digits")
    # Payloads hold prompts, commands and file contents: they must not be posted to another machine.
    if plan.http is not None and not re.match(r"http://(127\.0\.0\.1|localhost|\[::1\])(:\d+)?(/|$)", plan.http.url):
        raise SettingsError(f"{plan.http.url!r} is not on this machine", hint="use http://127.0.0.1:PORT/...")
    try:
        msgspec.json.encode(plan)
    except UnicodeEncodeError as error:
        raise SettingsError(f"{plan.dispatch!r} is not UTF-8 and cannot be written to JSON") from error
