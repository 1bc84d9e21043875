"""Efforts, sessions, tasks, agents and messages over the socket: what the command line does, for programs."""

import asyncio
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from synaptic.daemon.rpc import environment, method
from synaptic.hooks.project import find_root
from synaptic.model import dehydration
from synaptic.model.errors import LayerError
from synaptic.model.layers import Effort, Metadata
from synaptic.store import agents as known_agents
from synaptic.store import efforts as stored
from synaptic.store import layers, messages, skills, tasks, windows
from synaptic.store.agents import Registration
from synaptic.store.layers import NOBODY, Place
from synaptic.store.windows import Who
from synaptic.work import artifacts, efforts, required_files, skill_files
from synaptic.work.effort_text import begun_text
from synaptic.work.efforts import Ask, Begun, Caller
from synaptic.work.layer_views import (
    agent_view,
    begun_view,
    effort_view,
    message_view,
    passed_view,
    session_view,
    skill_view,
    task_view,
)
from synaptic.work.phases import Asked

if TYPE_CHECKING:
    from synaptic.daemon.server import Daemon

Count = Annotated[int, msgspec.Meta(ge=0, le=100_000)]


class Here(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Where somebody asks from; without a folder, the CWD of the request's environment."""

    cwd: str = ""


class Which(Here, frozen=True, kw_only=True):
    """An effort: by number, else the one that the caller works on."""

    effort_id: int | None = None


class Start(Here, frozen=True, kw_only=True):
    """A new effort."""

    task: str
    skill: str
    mode: str = ""
    title: str | None = None
    keywords: tuple[str, ...] | None = None
    block_after: int | None = None


class Phase(Which, frozen=True, kw_only=True):
    """Another phase."""

    phase: str
    reason: str = ""
    proof: Any = None


class Entry(Which, frozen=True, kw_only=True):
    """Something for the log."""

    text: str


class Finish(Which, frozen=True, kw_only=True):
    """The end of an effort."""

    keywords: tuple[str, ...] | None = None


class Resume(Here, frozen=True, kw_only=True):
    """An effort by its task's folder, or by its agent."""

    dir_path: str = ""
    agent_id: str = ""


class Payload(Here, frozen=True, kw_only=True):
    """A hand-over."""

    payload: Any


class Update(Which, frozen=True, kw_only=True):
    """Top-level keys of an effort's metadata."""

    set: dict[str, Any] = {}
    remove: tuple[str, ...] = ()


class Ending(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The end of a session."""

    session_id: int
    payload: Any = None


class Listing(Here, frozen=True, kw_only=True):
    """The things of a project, or of all of them."""

    all: bool = False
    effort_id: int | None = None


class One(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One session."""

    session_id: int


class Folder(Here, frozen=True, kw_only=True):
    """One task."""

    dir_path: str


class Files(Here, frozen=True, kw_only=True):
    """Skills to be kept; without paths, all that the project sees."""

    paths: tuple[str, ...] = ()


class Status(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What an agent does."""

    agent_id: str
    status: str
    note: str = ""


class Dialogue(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The first messages of a session."""

    session_id: int
    limit: Count | None = None


class Registered(Registration, frozen=True, kw_only=True, rename={"targeted_claims": "targetedClaims"}):
    """An agent, replacing what was known of it."""


@method("effort.start")
async def start(daemon: "Daemon", params: Start) -> object:
    """A new effort, or the active one of the same task and skill."""
    ask = Ask(**{name: getattr(params, name) for name in Ask.__struct_fields__})
    return _begun(efforts.start(daemon.engine.store, _caller(params, required=True), ask))


@method("effort.resume")
async def resume(daemon: "Daemon", params: Resume) -> object:
    """A new window of the most recent active effort of a task or an agent."""
    store, caller = daemon.engine.store, _caller(params)
    if not params.dir_path and not params.agent_id:
        raise LayerError("VALIDATION_ERROR", "effort.resume: give `dirPath` or `agentId`")
    if params.dir_path:
        found = efforts.of_task(store, os.path.normpath(params.dir_path))
    else:
        found = efforts.of_agent(store, params.agent_id)
    who = msgspec.structs.replace(caller.who, agent=caller.who.agent or params.agent_id)
    return _begun(efforts.resume(store, msgspec.structs.replace(caller, who=who), found.id))


@method("effort.phase")
async def phase(daemon: "Daemon", params: Phase) -> object:
    """Another phase, by the rules of the skill."""
    before = _effort(daemon, params)
    after = efforts.phase(daemon.engine.store, before, Asked(params.phase, params.reason), params.proof)
    return {**effort_view(after), "previousPhase": before.phase or None}


@method("effort.log")
async def log(daemon: "Daemon", params: Entry) -> object:
    """One entry in the effort's log; the heartbeat starts again."""
    caller, found = _caller(params), _effort(daemon, params)
    # Somebody else may hold the file: that must not keep the agents' events waiting.
    written = await asyncio.to_thread(efforts.log, daemon.engine.store, caller, found, params.text)
    return {"effortId": written.effort.id, "logPath": written.path}


@method("effort.finish")
async def finish(daemon: "Daemon", params: Finish) -> object:
    """The end of an effort and of its windows."""
    found = _effort(daemon, params)
    return effort_view(stored.finish(daemon.engine.store, found.id, params.keywords, time.time()))


@method("effort.show")
async def show(daemon: "Daemon", params: Which) -> object:
    """An effort with its phases, sessions and files."""
    store, found = daemon.engine.store, _effort(daemon, params)
    return {
        **effort_view(found),
        "history": passed_view(stored.history(store, found.id)),
        "sessions": [session_view(one) for one in windows.of_efforts(store, (found.id,))],
        "artifacts": list(artifacts.documents(found.task)),
    }


@method("effort.list")
async def listed(daemon: "Daemon", params: Listing) -> object:
    """The active efforts of a project; the finished ones too with `all`."""
    project = _project(daemon, params)
    found = [] if project is None else stored.listing(daemon.engine.store, project, every=params.all)
    return [effort_view(one) for one in found]


@method("effort.dehydrate")
async def dehydrate(daemon: "Daemon", params: Payload) -> object:
    """What the next window shall know, kept with the open one, which ends."""
    left = await efforts.dehydrate(daemon.engine.store, _caller(params), msgspec.json.encode(params.payload))
    return {**session_view(left.session), "warnings": list(left.warnings)}


@method("effort.updateMetadata")
async def update_metadata(daemon: "Daemon", params: Update) -> object:
    """Keys are removed, then set."""
    found = _effort(daemon, params)
    change = Metadata(effort=found.id, put=params.set, drop=params.remove)
    return effort_view(stored.update_metadata(daemon.engine.store, found.id, change))


@method("session.finish")
async def finish_session(daemon: "Daemon", params: Ending) -> object:
    """The end of a session, with what it leaves for the next one."""
    store, read = daemon.engine.store, None
    if params.payload is not None:
        read = dehydration.read(msgspec.json.encode(params.payload))
        found = stored.required(store, windows.required(store, params.session_id).effort)
        read = await required_files.allowed(daemon.engine.home, efforts.root_of(store, found), found, read)
    ended = windows.finish(store, params.session_id, read.payload.text() if read else None, time.time())
    return {**session_view(ended), "warnings": list(read.warnings if read else ())}


@method("session.list")
async def sessions(daemon: "Daemon", params: Listing) -> object:
    """The sessions of an effort, or of a project's active efforts; those that have ended only with `all`."""
    store = daemon.engine.store
    project = _project(daemon, params)
    numbers = [one.id for one in stored.listing(store, project, every=params.all)] if project is not None else []
    wanted = numbers if params.effort_id is None else [stored.required(store, params.effort_id).id]
    return [session_view(one) for one in windows.of_efforts(store, wanted, every=params.all)]


@method("session.show")
async def session(daemon: "Daemon", params: One) -> object:
    """One session."""
    return session_view(windows.required(daemon.engine.store, params.session_id))


@method("task.list")
async def listed_tasks(daemon: "Daemon", params: Listing) -> object:
    """The tasks of a project, or of all."""
    project = None if params.all else _project(daemon, params)
    if project is None and not params.all:
        return []
    return [task_view(one) for one in tasks.listing(daemon.engine.store, project)]


@method("task.show")
async def task(daemon: "Daemon", params: Folder) -> object:
    """One task with its efforts."""
    store = daemon.engine.store
    found = tasks.one(store, os.path.normpath(params.dir_path))
    if found is None:
        raise LayerError("TASK_NOT_FOUND", "there is no such task", where=params.dir_path)
    return {**task_view(found), "effortList": [effort_view(one) for one in stored.of_task(store, found.folder)]}


@method("skills.list")
async def listed_skills(daemon: "Daemon", params: Here) -> object:
    """The skills that a project sees, by name."""
    found = skill_files.every(_caller(params).root)
    return {"skills": [skill_view(one) for one in found.skills], "errors": list(found.problems)}


@method("skills.cache")
async def cache_skills(daemon: "Daemon", params: Files) -> object:
    """Read skills' files again; what cannot be read keeps the others from nothing."""
    caller = _caller(params, required=True)
    paths = (Path(path) for path in params.paths)
    found = skill_files.gathered(paths) if params.paths else skill_files.every(caller.root)
    skills.remember(daemon.engine.store, caller.root, found.skills, time.time())
    return {"cached": len(found.skills), "errors": list(found.problems)}


@method("agents.register")
async def register(daemon: "Daemon", params: Registered) -> object:
    """An agent by name; the whole row is replaced."""
    return agent_view(known_agents.register(daemon.engine.store, params, time.time()))


@method("agents.updateStatus")
async def update_status(daemon: "Daemon", params: Status) -> object:
    """What an agent does, said by a program."""
    return agent_view(
        known_agents.set_status(daemon.engine.store, params.agent_id, params.status, params.note, time.time())
    )


@method("agents.list")
async def listed_agents(daemon: "Daemon", params: Here) -> object:
    """Everybody who is known."""
    return [agent_view(one) for one in layers.agents(daemon.engine.store)]


@method("agents.findByEffort")
async def find_by_effort(daemon: "Daemon", params: Which) -> object:
    """Who works on an effort; null when nobody does."""
    found = known_agents.of_effort(daemon.engine.store, _effort(daemon, params).id)
    return agent_view(found) if found else None


@method("messages.list")
async def listed_messages(daemon: "Daemon", params: Dialogue) -> object:
    """The dialogue of a session, from its beginning."""
    return [message_view(one) for one in messages.of_session(daemon.engine.store, params.session_id, params.limit)]


def _caller(params: Here, *, required: bool = False) -> Caller:
    env = environment()
    cwd = params.cwd or env.get("CWD", "")
    if required and not cwd.startswith("/"):
        raise LayerError("VALIDATION_ERROR", "`cwd` must be an absolute path")
    name = env.get("AGENT_ID", "")
    root = find_root({}, {"HOME": str(Path.home())}, cwd) if cwd else ""
    if required and not root:
        raise LayerError("VALIDATION_ERROR", "the home folder is no project", where=cwd)
    return Caller(root=root, cwd=cwd, who=Who(agent="" if name == NOBODY else name))


def _effort(daemon: "Daemon", params: Which) -> Effort:
    return efforts.current(daemon.engine.store, _caller(params), params.effort_id)


def _project(daemon: "Daemon", params: Here) -> int | None:
    caller = _caller(params)
    return layers.resolve(daemon.engine.store, Place(caller.root or caller.cwd)).project


def _begun(begun: Begun) -> dict[str, Any]:
    return {**begun_view(begun), "text": begun_text(begun)}
