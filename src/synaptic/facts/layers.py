"""Where an event belongs among the state layers, and what a new window can take over."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from synaptic.facts.files import read_text_file
from synaptic.facts.gather import USER_HOME, EngineMeans, Gatherer
from synaptic.facts.git import find_call_file
from synaptic.files.long_paths import cut_path
from synaptic.files.snapshot import iter_names
from synaptic.hooks.skill_files import find_named_skill
from synaptic.model.call import Call
from synaptic.model.errors import LayerError, StoreError
from synaptic.model.event import Event, PostToolUse, PreToolUse, SessionStart, SubagentStart, TeammateIdle
from synaptic.model.layers import INJECTIONS, Agent, Effort, HandOver, Layers, Session, Skill
from synaptic.policies.fleet.metadata import PRELOADS
from synaptic.policies.fleet.pre_tool_use import ENGINE_COMMANDS, UNCOUNTED_TOOLS
from synaptic.policies.secrets.private import is_secret
from synaptic.store import layers as stored
from synaptic.store import lease
from synaptic.store.layers import NO_AGENT_ID, EventOrigin
from synaptic.store.redact import redact_text

COMMAND_NAMES = re.compile(rf"\b(?:{'|'.join(map(re.escape, ENGINE_COMMANDS))})\b")
MAX_REQUIRED_FILES = 8
MAX_REQUIRED_BYTES = 50_000
WAITING_KEYS: Mapping[type[Event], str] = {PreToolUse: PRELOADS, PostToolUse: INJECTIONS}
"""Events whose answer tells what waits in an effort's metadata, and its key there."""
SKILL_READERS = (SessionStart, SubagentStart)
"""Events that tell the model about its skill: once a window, so they may look for its file."""
CORE_DIRECTIVES = ("AGENTS", "INVARIANTS", "ARCHITECTURE", "COMMANDS")
SKILL_DIRECTIVES = ("TESTING", "PITFALLS", "CONTRIBUTING", "TEMPLATE", "CHECKLIST")
DIRECTIVE_FILES = tuple(f"{name}.md" for name in CORE_DIRECTIVES + SKILL_DIRECTIVES)
"""What a folder tells whoever works in it, the core files first."""
UNSEARCHED_FOLDERS = frozenset({"node_modules", ".git", "sessions", "tmp", "dist", "build", ".tasks", ".venv"})
"""Built and fetched things hold no directives."""


def read_origin(call: Call) -> EventOrigin:
    """What an event says about where it comes from."""
    event = call.event
    return EventOrigin(call.root or event.cwd, _read_agent_name(call), event.session_id, event.agent_id)


def find_call_layers(call: Call, means: EngineMeans) -> Layers:
    """Where a call belongs: looked up once, for every fact that needs it."""
    memo = means.memo.for_call(call)
    if memo.layers is None:
        try:
            found = stored.resolve_layers(means.store, read_origin(call))
            memo.layers = _restore_skill(call, found) if isinstance(call.event, SKILL_READERS) else found
        except StoreError:
            return Layers()
    return memo.layers


async def gather_layers(call: Call, means: EngineMeans) -> Layers:
    """The layers, with the calls that are being decided counted in, and without what these tell already."""
    found = _drop_told_elsewhere(call, means, find_call_layers(call, means))
    session = found.session
    if session is None or not isinstance(call.event, PreToolUse):
        return found
    if not _is_counted(call.event):
        means.reservations.leave_place(call.id)
        return found
    waiting = means.reservations.take_place(call.id, session.id)
    if not waiting:
        return found
    # Calls that run in parallel are not in the store yet; without them all would see the same count and pass the limit.
    ahead = msgspec.structs.replace(session, heartbeat=session.heartbeat + waiting)
    return msgspec.structs.replace(found, session=ahead)


async def gather_agent_name(call: Call, means: EngineMeans) -> str:
    """The name in AGENT_ID; "" for the name that means nobody."""
    return _read_agent_name(call)


async def gather_hand_over(call: Call, means: EngineMeans) -> HandOver:
    """What the windows before have left: a payload that was not told yet, and files."""
    effort = find_call_layers(call, means).effort
    if effort is None:
        return HandOver()
    try:
        previous = _find_previous(call, means, effort)
    except StoreError:
        return HandOver()
    payload = _find_untold_payload(previous)
    if previous and payload and not means.reservations.take_text(call.id, ("payload", previous.id)):
        # Another call of the session is telling it at this moment.
        payload = None
    return HandOver(
        previous=previous,
        payload=payload,
        files=dict(_read_required_files(payload, call, effort)),
        artifacts=tuple(_iter_own_files(effort)),
        debriefs=tuple(_iter_debriefs(effort)),
    )


async def gather_handed_over(call: Call, means: EngineMeans) -> bool:
    """Whether the window's own session has ended with a payload that waits for the next one."""
    found = find_call_layers(call, means)
    if found.effort is None or found.session is not None:
        return False
    try:
        previous = _find_previous(call, means, found.effort)
    except StoreError:
        return False
    return (
        previous is not None and previous.host == call.event.session_id and _find_untold_payload(previous) is not None
    )


async def gather_directives(call: Call, means: EngineMeans) -> tuple[str, ...]:
    """Directive files near the file of the call that the effort has not met."""
    found, root = find_call_layers(call, means), call.root
    effort = found.effort
    folders = _find_new_folders(find_call_file(call), root, effort) if effort and root else []
    if effort is None or not folders:
        return ()
    known, names = frozenset(effort.directives), choose_directive_files(_restore_skill(call, found).skill)
    return tuple(path for folder in folders for path in _iter_directives(folder, names) if path not in known)


async def gather_directive_folders(call: Call, means: EngineMeans) -> tuple[str, ...]:
    """Folders that were searched for directive files, so that the effort does not search them again."""
    effort, root = find_call_layers(call, means).effort, call.root
    return tuple(_find_new_folders(find_call_file(call), root, effort)) if effort and root else ()


async def gather_supervised(call: Call, means: EngineMeans) -> bool:
    """Whether a living supervisor holds the lease of this agent."""
    name = _read_agent_name(call)
    return bool(name) and lease.is_lease_held(means.store.path.parent, name)


async def gather_teammate(call: Call, means: EngineMeans) -> str:
    """The agent that a team calls by this name."""
    found = _find_teammate(call, means)
    return found.id if found else ""


async def gather_coordinator(call: Call, means: EngineMeans) -> str:
    """Whoever the teammate works for: its parent, or the agent that the environment names as such."""
    found = _find_teammate(call, means)
    return (found.parent if found else "") or call.env.get("AGENT_PARENT", "")


FACTS: Mapping[str, Gatherer] = {
    "layers": gather_layers,
    "agent_name": gather_agent_name,
    "hand_over": gather_hand_over,
    "handed_over": gather_handed_over,
    "directives": gather_directives,
    "directive_folders": gather_directive_folders,
    "supervised": gather_supervised,
    "teammate": gather_teammate,
    "coordinator": gather_coordinator,
}


def _read_agent_name(call: Call) -> str:
    name = call.env.get("AGENT_ID", "")
    return "" if name == NO_AGENT_ID else name


def _restore_skill(call: Call, found: Layers) -> Layers:
    """The layers with their skill as its file says now, where the store forgot it because that file has changed."""
    effort = found.effort
    if effort is None or found.skill is not None:
        return found
    try:
        skill = find_named_skill(found.root or call.root, effort.skill, call.env.get("HOME") or USER_HOME)
    except LayerError:
        return found
    return msgspec.structs.replace(found, skill=skill) if skill else found


def _is_counted(event: PreToolUse) -> bool:
    """Whether a call will probably be counted: one that writes the log takes no place ahead of others."""
    return event.tool_name not in UNCOUNTED_TOOLS and COMMAND_NAMES.search(event.tool.command) is None


def _drop_told_elsewhere(call: Call, means: EngineMeans, found: Layers) -> Layers:
    """What waits in an effort's metadata is told once, also by calls that begin or end in the same moment."""
    effort, key = found.effort, WAITING_KEYS.get(type(call.event), "")
    if effort is None or call.event.agent_id or not effort.metadata.get(key):
        return found
    if means.reservations.take_text(call.id, (key, effort.id)):
        return found
    rest = {name: value for name, value in effort.metadata.items() if name != key}
    return msgspec.structs.replace(found, effort=msgspec.structs.replace(effort, metadata=rest))


def _find_previous(call: Call, means: EngineMeans, effort: Effort) -> Session | None:
    return stored.find_newest_session(means.store, effort.id, _read_agent_name(call), call.event.session_id)


def _find_untold_payload(previous: Session | None) -> str | None:
    return previous.payload if previous and not previous.handed_over else None


def _read_required_files(payload: str | None, call: Call, effort: Effort) -> Iterator[tuple[str, str | None]]:
    for name in _list_required_names(payload)[:MAX_REQUIRED_FILES]:
        places = _list_possible_paths(name, call, effort)
        found = next((place for place in places if os.path.isfile(place)), "")  # noqa: PTH113
        yield name, _read_allowed_text(found, call) if found else None


def _read_allowed_text(path: str, call: Call) -> str | None:
    """The text of a required file. What it leads to may have changed since policies were asked, at the hand-over."""
    home = call.env.get("HOME") or USER_HOME
    if any(is_secret(one, home) for one in (path, os.path.realpath(path))):
        return None
    return redact_text(read_text_file(path)[:MAX_REQUIRED_BYTES])


def _list_required_names(payload: str | None) -> list[str]:
    try:
        read = msgspec.json.decode(payload or "{}", type=dict[str, object])
    except msgspec.DecodeError:
        return []
    names = read.get("requiredFiles")
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def _list_possible_paths(name: str, call: Call, effort: Effort) -> tuple[str, ...]:
    """Where a file of a payload may be: as it is written, in the home, the project or the task's folder."""
    if name.startswith("~/"):
        return (f"{call.env.get('HOME') or Path.home()}/{name[2:]}",)
    return (name,) if name.startswith("/") else (f"{call.root}/{name}", f"{effort.task}/{name}")


def _iter_own_files(effort: Effort) -> Iterator[str]:
    yield from (path for path in _list_documents(effort.task) if _read_ordinal(path) == effort.ordinal)


def _iter_debriefs(effort: Effort) -> Iterator[str]:
    """`1_BRAINSTORM.md` of the efforts before this one, not their logs and plans."""
    for path in _list_documents(effort.task):
        name = path.rpartition("/")[2].removesuffix(".md")
        if 0 < _read_ordinal(path) < effort.ordinal and not name.endswith(("_LOG", "_PLAN")):
            yield path


def _list_documents(folder: str) -> list[str]:
    return [f"{folder}/{name}" for name in iter_names(folder) if name.endswith(".md") and not name.startswith(".")]


def _read_ordinal(path: str) -> int:
    number = path.rpartition("/")[2].partition("_")[0]
    return int(number) if number.isascii() and number.isdigit() else 0


def _find_new_folders(file: str, root: str, effort: Effort) -> list[str]:
    """From the file's folder up to the project's root, those that were not searched yet."""
    folder, found = cut_path(os.path.dirname(file)), []  # noqa: PTH120
    while folder == root or folder.startswith(f"{root}/"):
        if folder not in effort.directories and UNSEARCHED_FOLDERS.isdisjoint(folder[len(root) :].split("/")):
            found.append(folder)
        folder = folder.rpartition("/")[0]
    return found


def choose_directive_files(skill: Skill | None) -> tuple[str, ...]:
    """The core files, and of the others those that the skill declares; all of them for one that declares none."""
    asked = {name.rpartition("/")[2].upper().removesuffix(".MD") for name in skill.directives} if skill else set()
    if not asked:
        return DIRECTIVE_FILES
    return tuple(f"{name}.md" for name in (*CORE_DIRECTIVES, *(one for one in SKILL_DIRECTIVES if one in asked)))


def _iter_directives(folder: str, names: Iterable[str]) -> Iterator[str]:
    """`.directives/NAME` before a plain `NAME`."""
    for name in names:
        for path in (f"{folder}/.directives/{name}", f"{folder}/{name}"):
            if os.path.isfile(path):  # noqa: PTH113
                yield os.path.realpath(path)
                break


def _find_teammate(call: Call, means: EngineMeans) -> Agent | None:
    name = call.event.teammate_name if isinstance(call.event, TeammateIdle) else ""
    if not name:
        return None
    try:
        known = stored.list_agents(means.store)
    except StoreError:
        return None
    return next((agent for agent in known if name in (agent.label, agent.id)), None)
