"""Agents on this machine: found, told about the dispatcher, and left as they were."""

import shutil
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

import msgspec

from synaptic.agents.claude_entries import DELEGATE, ENTRY, Plan
from synaptic.agents.settings import Registration
from synaptic.agents.wiring import WIRINGS, Entries, File, Own, files, folder
from synaptic.files.replace import read
from synaptic.model.errors import SettingsError
from synaptic.model.home import Home
from synaptic.setup import codex_trust, own, record, settings
from synaptic.setup.options import Change, Options
from synaptic.setup.settings import Made

CLAUDE = "claude"
FOREIGN = tuple(agent for agent in WIRINGS if agent != CLAUDE)
Steps = Iterator[partial[Change]]


class Found(msgspec.Struct, frozen=True):
    """An agent on this machine."""

    program: str = ""
    """Its path; "" when it is not on PATH."""
    folder: str = ""
    """Its folder of settings; "" when there is none."""

    def __bool__(self) -> bool:
        return bool(self.program or self.folder)


def find(options: Options, agent: str) -> Found:
    """Where an agent is: its program on PATH, its folder of settings."""
    programs = (shutil.which(name, path=options.search_path) for name in WIRINGS[agent].programs)
    place = folder(agent, options.place)
    return Found(next((path for path in programs if path), ""), str(place) if place.is_dir() else "")


def found(options: Options) -> tuple[str, ...]:
    """Every agent on this machine."""
    return tuple(agent for agent in WIRINGS if find(options, agent))


def checked(names: Iterable[str]) -> tuple[str, ...]:
    """The names in their order, each once; raises SettingsError for one that nobody knows."""
    asked = set(names)
    if unknown := sorted(asked - set(WIRINGS)):
        raise SettingsError(f"agent {unknown[0]!r} is not known", hint=f"known: {', '.join(WIRINGS)}")
    return tuple(agent for agent in WIRINGS if agent in asked)


def refuse_early(options: Options, agent: str, plan: Plan) -> None:
    """Refuse whatever installing would refuse, before anything is written."""
    for file in files(agent, options.place, plan):
        if isinstance(file, Own):
            own.refuse_foreign(file)
        else:
            settings.prepare(options.home, file.path, file.wanted)


def is_current(options: Options, agent: str, plan: Plan) -> bool:
    """Whether every file of an agent is as the plan has it. Reads only."""
    return all(difference(file) == Registration() for file in files(agent, options.place, plan))


def difference(file: File) -> Registration:
    """How a file differs from what is planned."""
    if isinstance(file, Entries):
        return settings.inspect(file.path, file.wanted)
    if read(file.path) is None:
        return Registration(missing=(file.path.name,))
    return Registration() if own.is_current(file) else Registration(stale=(file.path.name,))


def install_steps(options: Options, agent: str, plan: Plan) -> Steps:
    """Every file of an agent, in an order in which nothing is called that is not there."""
    wanted = files(agent, options.place, plan)
    for file in wanted:
        yield partial(_put, options, agent, file)
    for path in _left_over(options.home, agent, wanted):
        yield partial(_take, options.home, agent, Own(path, ""))
    if agent == "codex":
        yield from _agreement_steps(options, plan)


def _agreement_steps(options: Options, plan: Plan) -> Steps:
    if options.choices is not None and options.choices.trust:
        yield partial(_agree, options, hooks_of(options, plan))
        return
    for path in map(Path, record.load(options.home).agreements):
        yield partial(_withdraw, options.home, path)


def _left_over(home: Home, agent: str, wanted: tuple[File, ...]) -> list[Path]:
    """Files of our own that an earlier version put beside those that are wanted now."""
    folders = {file.path.parent for file in wanted if isinstance(file, Own)}
    known = (Path(path) for path, mark in record.load(home).settings.items() if mark.agent == agent)
    return [path for path in known if path.parent in folders and path not in {file.path for file in wanted}]


def removal_steps(options: Options, agent: str) -> Steps:
    """The same the other way round, wherever it was written; files without anything of ours are not looked at."""
    plan = Plan(str(options.home.dispatch), settings.read_token(options.home) or "0" * 32)
    marks = {path for path, mark in record.load(options.home).settings.items() if mark.agent == agent}
    for file in reversed(files(agent, options.place, plan)):
        if str(file.path) in marks or _holds_ours(file.path):
            yield partial(_take, options.home, agent, file)
        marks.discard(str(file.path))
    for path in map(Path, sorted(marks)):
        yield partial(_take, options.home, agent, _elsewhere(path, options, agent, plan))
    if agent == "codex":
        yield from (partial(_withdraw, options.home, Path(path)) for path in record.load(options.home).agreements)


def hooks_of(options: Options, plan: Plan) -> Entries:
    """Codex's file of hooks."""
    return next(file for file in files("codex", options.place, plan) if isinstance(file, Entries))


def trusted(options: Options, plan: Plan) -> bool:
    """Whether Codex runs every entry of ours."""
    try:
        return codex_trust.standing(hooks_of(options, plan)).trusted
    except (ValueError, SettingsError):
        return False  # doctor says what is wrong with the file


def notes(options: Options, agents: Iterable[str], plan: Plan) -> tuple[str, ...]:
    """What is left for a person to do or to know."""
    told = [f"{WIRINGS[agent].title}: {WIRINGS[agent].note}" for agent in agents if WIRINGS[agent].note]
    if "codex" in agents and not trusted(options, plan):
        told.append(f"Codex runs no entry that you have not agreed to: {codex_trust.AGREE}")
    return tuple(told)


def _put(options: Options, agent: str, file: File) -> Change:
    title = WIRINGS[agent].title
    if isinstance(file, Own):
        done = own.put(options.home, file, agent)
        return Change(what="agent settings", path=str(file.path), done=done, detail=title)
    done = settings.register(options.home, file.path, file.wanted, Made(agent))
    return Change(what="agent settings", path=str(file.path), done=done, detail=title)


def _take(home: Home, agent: str, file: File) -> Change:
    done = (
        own.take(home, file.path)
        if isinstance(file, Own)
        else settings.unregister(home, file.path, file.wanted.shape)
    )  # fmt: skip
    undo = f"synaptic bootstrap --agent {agent}"
    return Change(what="agent settings", path=str(file.path), done=done, detail=WIRINGS[agent].title, undo=undo)


def _agree(options: Options, hooks: Entries) -> Change:
    """Where it cannot be written the entries still stand, and the notes say how a person agrees."""
    path = str(codex_trust.config_file(hooks))
    try:
        return Change(what="agreement", path=path, done=codex_trust.agree(options.home, hooks), detail="Codex CLI")
    except SettingsError as error:
        return Change(what="agreement", path=path, done=False, detail=error.message)


def _withdraw(home: Home, path: Path) -> Change:
    done = codex_trust.withdraw(home, path)
    undo = "synaptic bootstrap --agent codex --trust"
    return Change(what="agreement", path=str(path), done=done, detail="Codex CLI", undo=undo)


def _holds_ours(path: Path) -> bool:
    """Whether something of ours might be in a file; one that cannot be read has been told about elsewhere."""
    try:
        data = read(path) or b""
    except SettingsError:
        return False
    return ENTRY.encode() in data or DELEGATE.encode() in data


def _elsewhere(path: Path, options: Options, agent: str, plan: Plan) -> File:
    """A file that was written while the agent's folder was another one."""
    like = [file for file in files(agent, options.place, plan) if isinstance(file, Entries)]
    if not like or own.is_ours(read(path) or b""):
        return Own(path, "")
    return msgspec.structs.replace(like[0], path=path)
