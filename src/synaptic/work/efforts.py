"""What an agent or a person does with efforts: the store, the skill's file and the task's folder together."""

import re
import time
from datetime import datetime

import msgspec

from synaptic.model import dehydration
from synaptic.model.errors import LayerError
from synaptic.model.home import Home
from synaptic.model.layers import Effort, Layers, Session, Skill
from synaptic.store import agents, efforts, layers, tasks, windows
from synaptic.store.db import Store
from synaptic.store.efforts import NEW_ONE
from synaptic.store.layers import Place
from synaptic.store.tasks import Task
from synaptic.store.windows import Who, Window
from synaptic.work import artifacts, phases, skill_files
from synaptic.work.log_entry import stamped

SKILL = re.compile(r"[\w][\w.:-]{0,99}")
ENTRY_LIMIT = 1 << 20


class Caller(msgspec.Struct, frozen=True, kw_only=True):
    """Who asks, and where."""

    root: str
    cwd: str
    who: Who = Who()

    @property
    def place(self) -> Place:
        return Place(self.root or self.cwd, self.who.agent, self.who.host)


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """An effort as it is asked for."""

    task: str
    skill: str
    mode: str = ""
    title: str | None = None
    keywords: tuple[str, ...] | None = None
    block_after: int | None = None


class Begun(msgspec.Struct, frozen=True, kw_only=True):
    """An effort that somebody works on from now."""

    effort: Effort
    window: Window
    resumed: bool
    skill: Skill | None = None
    debriefs: tuple[str, ...] = ()
    artifacts: tuple[str, ...] = ()


class Logged(msgspec.Struct, frozen=True):
    """An entry that was written."""

    effort: Effort
    path: str


class Left(msgspec.Struct, frozen=True):
    """A window that has ended, and what its hand-over lost on the way."""

    effort: Effort
    session: Session
    warnings: tuple[str, ...] = ()


def start(store: Store, caller: Caller, ask: Ask) -> Begun:
    """A new effort, or the active one of the same task and skill. Nothing is left behind by one that fails."""
    name = _skill_name(ask.skill)
    folder = artifacts.folder_of(caller.root, caller.cwd, ask.task)
    skill = skill_files.find(caller.root, name)
    limit = {} if ask.block_after is None else {"blockAfter": ask.block_after}
    wanted = efforts.Start(
        root=caller.root,
        task=Task(folder=folder, title=ask.title, keywords=ask.keywords),
        skill=skill or Skill(name=name),
        mode=ask.mode,
        metadata=limit,
        who=caller.who,
    )
    started = efforts.start(store, wanted, time.time())
    return _begun(store, started.effort, started.window, resumed=started.resumed)


def resume(store: Store, caller: Caller, number: int) -> Begun:
    """A new window of an active effort."""
    window = efforts.enter(store, number, caller.who, time.time())
    return _begun(store, efforts.required(store, number), window, resumed=True)


def current(store: Store, caller: Caller, number: int | None = None) -> Effort:
    """The effort of this number, else the one that the caller works on."""
    if number is not None:
        return efforts.required(store, number)
    found = layers.resolve(store, caller.place).effort
    if found is None:
        raise _none_active(caller.root or caller.cwd)
    return found


def of_task(store: Store, folder: str) -> Effort:
    """The newest active effort of a task."""
    if tasks.one(store, folder) is None:
        raise LayerError("TASK_NOT_FOUND", "there is no such task", where=folder, hint="type: synaptic task list --all")
    active = [one for one in efforts.of_task(store, folder) if not one.finished]
    if not active:
        raise _none_active(folder)
    return active[-1]


def of_agent(store: Store, name: str) -> Effort:
    """The active effort that an agent works on, or worked on last: its windows may all have ended."""
    bound = agents.required(store, name).effort
    for number in (bound, *windows.efforts_of(store, name)):
        found = layers.effort(store, number) if number is not None else None
        if found and not found.finished:
            return found
    raise _none_active(f"agent {name}")


def phase(store: Store, effort: Effort, asked: phases.Asked, proof: object = None) -> Effort:
    """Another phase, by the rules of the effort's skill."""
    otherwise = declared(effort) or _phases(store, effort)

    def rule(own: tuple[str, ...] | None, now: str) -> tuple[str, tuple[str, ...]]:
        known = otherwise if own is None else own
        move = phases.move(known, now, asked)
        return move.phase, () if move.phases == known else move.phases

    return efforts.move(store, effort.id, efforts.Step(rule=rule, reason=asked.reason, proof=proof), time.time())


def log(store: Store, caller: Caller, effort: Effort, text: str) -> Logged:
    """One entry in the log of an active effort.

    The heartbeat starts again, except from an agent's own shell: there the tool call that carried this has told whose
    it is, and from here a sub-agent looks like its parent.
    """
    if effort.finished:
        raise LayerError("EFFORT_FINISHED", f"effort {effort.id} is finished", hint=NEW_ONE)
    if not text.strip():
        raise LayerError("VALIDATION_ERROR", "there is nothing to log", hint="give a text, or one on stdin")
    if len(text) > ENTRY_LIMIT:
        raise LayerError("PAYLOAD_TOO_LARGE", f"an entry has at most {ENTRY_LIMIT} letters", hint="log less")
    when = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M:%S")
    path = artifacts.append(root_of(store, effort), effort, stamped(text, when))
    if not caller.who.kind:
        efforts.quiet(store, effort.id, time.time())
    return Logged(effort, path)


async def dehydrate(store: Store, caller: Caller, raw: bytes) -> Left:
    """What the next window shall know, kept with this one, which ends."""
    from synaptic.work import required_files  # noqa: PLC0415  all policies: nothing that every log should wait for

    read = dehydration.read(raw)
    found = layers.resolve(store, caller.place)
    if found.effort is None:
        raise _none_active(caller.root or caller.cwd)
    session = _own_session(store, caller, found)
    read = await required_files.allowed(Home(store.path.parent), root_of(store, found.effort), found.effort, read)
    ended = windows.finish(store, session, read.payload.text(), time.time())
    return Left(found.effort, ended, read.warnings)


def next_skills(begun: Begun) -> tuple[str, ...]:
    """What usually comes after this effort."""
    return begun.skill.next_skills if begun.skill else ()


def declared(effort: Effort) -> tuple[str, ...]:
    """The phases of an effort, as far as it knows them itself."""
    known = effort.metadata.get(efforts.PHASES)
    return tuple(one for one in known if isinstance(one, str)) if isinstance(known, list) else ()


def root_of(store: Store, effort: Effort) -> str:
    """The project of an effort."""
    task = tasks.one(store, effort.task)
    assert task is not None, "an effort has a task"
    return task.project


def _own_session(store: Store, caller: Caller, found: Layers) -> int:
    """The open session of the caller's window: another window's is not theirs to end."""
    effort, session = found.effort, found.session
    assert effort is not None
    if session and session.host in ("", caller.who.host or session.host):
        return session.id
    before = layers.newest_session(store, effort.id, caller.who.agent)
    if before and before.ended_at is not None:
        what = f"session {before.id} of effort {effort.id} has ended"
        raise LayerError("ALREADY_ENDED", what, hint="type: synaptic effort resume")
    what = f"this window has no session of effort {effort.id}"
    raise LayerError("NOT_FOUND", what, hint="type: synaptic effort resume")


def _begun(store: Store, effort: Effort, window: Window, *, resumed: bool) -> Begun:
    before = [one for one in efforts.of_task(store, effort.task) if one.ordinal < effort.ordinal]
    return Begun(
        effort=effort,
        window=window,
        resumed=resumed,
        skill=_skill(store, effort),
        debriefs=artifacts.debriefs(before),
        artifacts=artifacts.documents(effort.task),
    )


def _skill(store: Store, effort: Effort) -> Skill | None:
    """The skill's file as it is now; one that can no longer be read keeps nobody from working."""
    try:
        return skill_files.find(root_of(store, effort), effort.skill)
    except LayerError:
        return None


def _phases(store: Store, effort: Effort) -> tuple[str, ...]:
    found = _skill(store, effort)
    return found.phases if found else ()


def _skill_name(given: str) -> str:
    name = given.strip().removeprefix("/")
    if not SKILL.fullmatch(name):
        raise LayerError("VALIDATION_ERROR", f"{given!r} cannot name a skill", hint="letters, digits, . : _ and -")
    return name


def _none_active(where: str) -> LayerError:
    return LayerError("NO_ACTIVE_EFFORT", "there is no active effort", where=where, hint=NEW_ONE)
