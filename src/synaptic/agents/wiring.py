"""How each agent is told about the dispatcher: which files, which entries, in which form and unit of time."""

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from synaptic.agents.adapters import MODULES, adapter
from synaptic.agents.claude_entries import DELEGATE, ENTRY, Plan, quoted
from synaptic.agents.claude_entries import REGISTERED as CLAUDE
from synaptic.agents.claude_settings import settings_file, wanted
from synaptic.agents.settings import Shape, Wanted
from synaptic.model.event import EVENTS, Event, Timing, ToolEvent

OWNED = "written by `synaptic bootstrap`, taken out by `synaptic down`"
"""In every file that is ours alone."""


class Place(msgspec.Struct, frozen=True):
    """Whose machine: the folder that agents call home, and the variables that move their own folders."""

    home: Path
    env: Mapping[str, str] = {}


class Root(msgspec.Struct, frozen=True):
    """A folder of an agent."""

    variable: str
    """Names another folder than the default one."""
    default: str
    """Below home."""
    below: str = ""
    """Below either of them."""

    def folder(self, place: Place) -> Path:
        """A folder that was named is taken for what it truly is, as Codex does in what it trusts."""
        named = place.env.get(self.variable, "").strip()
        return (Path(named).resolve() if named else place.home / self.default) / self.below


class Entries(msgspec.Struct, frozen=True):
    """A file of the agent or its user that holds entries of ours."""

    path: Path
    wanted: Wanted


class Own(msgspec.Struct, frozen=True):
    """A file that is ours alone."""

    path: Path
    text: str
    mode: int = 0o644


File = Entries | Own


class Told(msgspec.Struct, frozen=True):
    """What the files of an agent are made from."""

    agent: str
    place: Place
    folder: Path
    plan: Plan


class Wiring(msgspec.Struct, frozen=True, kw_only=True):
    """One agent: how it is found, and what it has to be given."""

    title: str
    programs: tuple[str, ...]
    root: Root
    """Where it keeps its settings: who has that folder uses the agent."""
    make: Callable[[Told], tuple[File, ...]]
    note: str = ""
    """What a user should know before the first session."""


def folder(agent: str, place: Place) -> Path:
    """Where an agent keeps its settings."""
    return WIRINGS[agent].root.folder(place)


def files(agent: str, place: Place, plan: Plan) -> tuple[File, ...]:
    """Everything that tells an agent about the dispatcher. Raises SettingsError for a plan that cannot be written."""
    return WIRINGS[agent].make(Told(agent, place, folder(agent, place), plan))


def registered(agent: str) -> tuple[str, ...]:
    """The events that an entry is written for, as the agent names them."""
    names: tuple[str, ...] = CLAUDE if agent == "claude" else import_module(MODULES[agent]).REGISTERED
    return names


def holes(agent: str) -> tuple[str, ...]:
    """What no hook of this agent sees."""
    names: tuple[str, ...] = getattr(import_module(MODULES[agent]), "HOLES", ())
    return names


def canonical(agent: str, event: str) -> str:
    """An agent's event under the name that everybody here uses."""
    dialect = getattr(adapter(agent), "dialect", None)
    name: str = dialect.canonical(event) if dialect is not None else event
    return name


def owned(text: str) -> bool:
    """Whether a file is one that we wrote."""
    return OWNED in text


def _kind(agent: str, event: str) -> type[Event]:
    return EVENTS.get(canonical(agent, event), Event)


def _seconds(agent: str, event: str) -> int:
    return int(adapter(agent).capability(event).timeout)


def _command(told: Told, event: str) -> str:
    return f"{quoted(told.plan.dispatch)} {told.agent} {event} {ENTRY}{told.plan.token}"


def _script(told: Told, event: str) -> str:
    return f"#!/bin/sh\n# synaptic, {OWNED}\nexec {_command(told, event)}\n"


def _judging_script(told: Told, event: str) -> str:
    """Cline goes by what is printed, never by the exit code with which a dispatcher without an engine refuses."""
    told_in_json = '{"cancel":true,"errorMessage":"synaptic: blocked, because it could not be checked"}'
    lines = (_command(told, event), f"[ $? -ne 2 ] || echo '{told_in_json}'")
    return f"#!/bin/sh\n# synaptic, {OWNED}\n" + "\n".join(lines) + "\n"


def _hook(told: Told, event: str) -> dict[str, Any]:
    return {"type": "command", "command": _command(told, event), "timeout": _seconds(told.agent, event)}


def _group(told: Told, event: str) -> dict[str, Any]:
    return {"hooks": [_hook(told, event)]}


def _named_group(told: Told, event: str) -> dict[str, Any]:
    """Gemini's family: milliseconds, and a name by which a user can switch the hook off."""
    hook = _hook(told, event)
    return {"hooks": [{"name": "synaptic", **hook, "timeout": 1000 * hook["timeout"]}]}


def _matched_group(told: Told, event: str) -> dict[str, Any]:
    matcher = {"matcher": "*"} if issubclass(_kind(told.agent, event), ToolEvent) else {}
    return {**matcher, **_group(told, event)}


def _copilot_hook(told: Told, event: str) -> dict[str, Any]:
    return {"type": "command", "bash": _command(told, event), "timeoutSec": _seconds(told.agent, event)}


def _cursor_hook(told: Told, event: str) -> dict[str, Any]:
    closed = told.plan.fail_closed and _kind(told.agent, event).TIMING is Timing.BEFORE
    return {**_hook(told, event), **({"failClosed": True} if closed else {})}


Group = Callable[[Told, str], dict[str, Any]]


def _json(file: str, group: Group, shape: Shape) -> Callable[[Told], tuple[File, ...]]:
    """One JSON file with an entry for every event."""

    def make(told: Told) -> tuple[File, ...]:
        groups = {event: group(told, event) for event in registered(told.agent)}
        return (Entries(told.folder / file, Wanted(shape, told.plan.dispatch, groups)),)

    return make


def _claude(told: Told) -> tuple[File, ...]:
    return (Entries(settings_file(told.place.home, told.folder), wanted(told.plan)),)


def _opencode(told: Told) -> tuple[File, ...]:
    text: str = import_module(MODULES[told.agent]).plugin(told.plan)
    return (Own(told.folder / "plugins" / "synaptic.js", f"// synaptic, {OWNED}\n{text}"),)


def _cline(told: Told) -> tuple[File, ...]:
    events = registered(told.agent)
    made = {event: _judging_script if event == "PreToolUse" else _script for event in events}
    return tuple(Own(told.folder / "hooks" / event, make(told, event), 0o755) for event, make in made.items())


def _amp(told: Told) -> tuple[File, ...]:
    """The program takes no arguments; the rule stands last, so that the user's own rules keep their say."""
    program = Path(told.plan.dispatch).with_name(DELEGATE)
    rule = {"tool": "*", "action": "delegate", "to": str(program)}
    shape = Shape(inside="", nested=False, comments=True)
    path = Path(told.place.env.get("AMP_SETTINGS_FILE") or told.folder / "settings.json").absolute()
    asked = Entries(path, Wanted(shape, told.plan.dispatch, {"amp.permissions": rule}))
    return (Own(program, _script(told, "PreToolUse"), 0o755), asked)


FLAT = Shape(nested=False, head={"version": 1})
COMMENTED = Shape(comments=True)
TOP = Shape(inside="", comments=True)
CONFIG = "XDG_CONFIG_HOME"

WIRINGS: Mapping[str, Wiring] = {
    "claude": Wiring(
        title="Claude Code", programs=("claude",), root=Root("CLAUDE_CONFIG_DIR", ".claude"), make=_claude
    ),
    "codex": Wiring(
        title="Codex CLI",
        programs=("codex",),
        root=Root("CODEX_HOME", ".codex"),
        make=_json("hooks.json", _group, Shape()),
    ),
    "gemini": Wiring(
        title="Gemini CLI",
        programs=("gemini",),
        root=Root("GEMINI_CLI_HOME", "", ".gemini"),
        make=_json("settings.json", _named_group, COMMENTED),
    ),
    "copilot": Wiring(
        title="GitHub Copilot CLI",
        programs=("copilot",),
        root=Root("COPILOT_HOME", ".copilot"),
        make=_json("hooks/synaptic.json", _copilot_hook, FLAT),
    ),
    "droid": Wiring(
        title="Factory droid",
        programs=("droid",),
        root=Root("FACTORY_HOME_OVERRIDE", "", ".factory"),
        make=_json("hooks.json", _matched_group, TOP),
    ),
    "qwen": Wiring(
        title="Qwen Code",
        programs=("qwen",),
        root=Root("QWEN_HOME", ".qwen"),
        make=_json("settings.json", _named_group, COMMENTED),
    ),
    "opencode": Wiring(
        title="OpenCode", programs=("opencode",), root=Root(CONFIG, ".config", "opencode"), make=_opencode
    ),
    "cline": Wiring(title="Cline CLI", programs=("cline",), root=Root("CLINE_DIR", ".cline"), make=_cline),
    "cursor": Wiring(
        title="Cursor",
        programs=("cursor-agent", "cursor"),
        root=Root("", ".cursor"),
        make=_json("hooks.json", _cursor_hook, FLAT),
    ),
    "amp": Wiring(
        title="Amp",
        programs=("amp",),
        root=Root(CONFIG, ".config", "amp"),
        make=_amp,
        note="asks about every shell command that no rule of yours names; its own list of harmless ones is not reached",
    ),
}
"""In the order in which they are shown."""
VARIABLES = frozenset({"AMP_SETTINGS_FILE", *(one.root.variable for one in WIRINGS.values())}) - {""}
"""Everything that moves a file of an agent."""
