"""Find agents on this machine, write our entries into their settings, and remove them again."""

import shutil
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

import msgspec

from synaptic.agents.base import Agent, AgentFile, OwnFile, SettingsFile
from synaptic.agents.shared.discover import agent_names, all_agents, find_agent
from synaptic.agents.shared.ours import Plan
from synaptic.agents.shared.settings import Registration
from synaptic.files.replace import read
from synaptic.model.errors import SettingsError
from synaptic.model.home import Home
from synaptic.setup import agreements, own, record, settings
from synaptic.setup.agreements import AgreementFile
from synaptic.setup.options import Change, Options
from synaptic.setup.settings import Made

Steps = Iterator[partial[Change]]


class FoundAgent(msgspec.Struct, frozen=True):
    """An agent on this machine."""

    program: str = ""
    """Its path; "" when it is not on PATH."""
    folder: str = ""
    """Its folder of settings; "" when there is none."""

    def __bool__(self) -> bool:
        return bool(self.program or self.folder)


def find_here(options: Options, agent: Agent) -> FoundAgent:
    """Locate an agent: its program on PATH, its folder of settings."""
    programs = (shutil.which(name, path=options.search_path) for name in agent.programs)
    folder = agent.folder.locate(options.environment)
    return FoundAgent(next((path for path in programs if path), ""), str(folder) if folder.is_dir() else "")


def find_all_here(options: Options) -> tuple[str, ...]:
    """List every agent found on this machine."""
    return tuple(agent.name for agent in all_agents() if find_here(options, agent))


def check_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return the agent names in standard order, each once; raises SettingsError for an unknown one."""
    asked, known = set(names), agent_names()
    if unknown := sorted(asked - set(known)):
        raise SettingsError(f"agent {unknown[0]!r} is not known", hint=f"known: {', '.join(known)}")
    return tuple(name for name in known if name in asked)


def refuse_early(options: Options, agent: Agent, plan: Plan) -> None:
    """Refuse whatever installing would refuse, before anything is written."""
    for file in agent.wire(options.environment, plan):
        if isinstance(file, OwnFile):
            own.refuse_foreign(file)
        else:
            settings.prepare(options.home, file.path, file.wanted)


def is_current(options: Options, agent: Agent, plan: Plan) -> bool:
    """Whether every file of an agent is as the plan has it. Reads only."""
    return all(difference(file) == Registration() for file in agent.wire(options.environment, plan))


def difference(file: AgentFile) -> Registration:
    """Compare a file with what is planned."""
    if isinstance(file, SettingsFile):
        return settings.inspect(file.path, file.wanted)
    if read(file.path) is None:
        return Registration(missing=(file.path.name,))
    # A file of ours with other content was written by another version.
    return Registration() if own.is_current(file) else Registration(stale=(file.path.name,))


def install_steps(options: Options, agent: Agent, plan: Plan) -> Steps:
    """Iterate over the steps that write an agent's files: a program before the entry that calls it."""
    wanted = agent.wire(options.environment, plan)
    for file in wanted:
        yield partial(_put, options, agent, file)
    for path in _left_over(options.home, agent, wanted):
        yield partial(_take, options.home, agent, OwnFile(path, ""))
    yield from _agreement_steps(options, agent, plan)


def _agreement_steps(options: Options, agent: Agent, plan: Plan) -> Steps:
    if options.choices is not None and options.choices.trust:
        yield from (partial(_agree, options, file) for file in agreement_files(options, agent, plan))
    else:
        yield from _withdrawal_steps(options.home, agent)


def _withdrawal_steps(home: Home, agent: Agent) -> Steps:
    for path, mark in record.load(home).agreements.items():
        if mark.agent == agent.name:
            yield partial(_withdraw, home, agent, Path(path))


def _left_over(home: Home, agent: Agent, wanted: tuple[AgentFile, ...]) -> list[Path]:
    """Find files that an earlier version of us wrote beside those that are wanted now."""
    folders = {file.path.parent for file in wanted if isinstance(file, OwnFile)}
    known = (Path(path) for path, mark in record.load(home).settings.items() if mark.agent == agent.name)
    return [path for path in known if path.parent in folders and path not in {file.path for file in wanted}]


def removal_steps(options: Options, agent: Agent) -> Steps:
    """Iterate over the steps that remove our parts, in reverse order, wherever they were written."""
    plan = Plan(str(options.home.dispatch), settings.read_token(options.home) or "0" * 32)
    marks = {path for path, mark in record.load(options.home).settings.items() if mark.agent == agent.name}
    for file in reversed(agent.wire(options.environment, plan)):
        if str(file.path) in marks or _holds_ours(file, agent):
            yield partial(_take, options.home, agent, file)
        marks.discard(str(file.path))
    for path in map(Path, sorted(marks)):
        yield partial(_take, options.home, agent, _find_elsewhere(path, options, agent, plan))
    yield from _withdrawal_steps(options.home, agent)


def agreement_files(options: Options, agent: Agent, plan: Plan) -> Iterator[AgreementFile]:
    """Where an agent keeps agreements to its entries; none where it asks for none."""
    if agent.agreement is not None:
        for hooks in agent.entries(options.environment, plan):
            yield AgreementFile(agent, agent.agreement, hooks)


def is_trusted(options: Options, agent: Agent, plan: Plan) -> bool:
    """Whether an agent runs every entry of ours."""
    try:
        return all(file.standing().trusted for file in agreement_files(options, agent, plan))
    except (ValueError, SettingsError):
        return False  # doctor says what is wrong with the file


def notes(options: Options, names: Iterable[str], plan: Plan) -> tuple[str, ...]:
    """List what is left for a person to do or to know."""
    told = [find_agent(name) for name in names]
    lines = [f"{agent.title}: {agent.note}" for agent in told if agent.note]
    for agent in told:
        if agent.agreement is not None and not is_trusted(options, agent, plan):
            lines.append(f"{agent.title} runs no entry that you have not agreed to: {agent.agreement.how}")
    return tuple(lines)


def _put(options: Options, agent: Agent, file: AgentFile) -> Change:
    if isinstance(file, OwnFile):
        done = own.put(options.home, file, agent.name)
    else:
        done = settings.register(options.home, file.path, file.wanted, Made(agent.name))
    return Change(what="agent settings", path=str(file.path), done=done, detail=agent.title)


def _take(home: Home, agent: Agent, file: AgentFile) -> Change:
    if isinstance(file, OwnFile):
        done = own.take(home, file.path)
    else:
        done = settings.unregister(home, file.path, file.wanted.shape)
    undo = f"synaptic bootstrap --agent {agent.name}"
    return Change(what="agent settings", path=str(file.path), done=done, detail=agent.title, undo=undo)


def _agree(options: Options, file: AgreementFile) -> Change:
    """Write Codex's agreement; when that fails the entries stay, and the notes say how a person agrees."""
    path = str(file.path)
    try:
        done = agreements.agree(options.home, file)
    except SettingsError as error:
        return Change(what="agreement", path=path, done=False, detail=error.message)
    return Change(what="agreement", path=path, done=done, detail=file.agent.title)


def _withdraw(home: Home, agent: Agent, path: Path) -> Change:
    done = agent.agreement is not None and agreements.withdraw(home, path, agent.agreement)
    undo = f"synaptic bootstrap --agent {agent.name} --trust"
    return Change(what="agreement", path=str(path), done=done, detail=agent.title, undo=undo)


def _holds_ours(file: AgentFile, agent: Agent) -> bool:
    """Whether a file may hold something of ours; an unreadable one is reported elsewhere."""
    try:
        data = read(file.path) or b""
    except SettingsError:
        return False
    return own.is_ours(data) if isinstance(file, OwnFile) else agent.mark.encode() in data


def _find_elsewhere(path: Path, options: Options, agent: Agent, plan: Plan) -> AgentFile:
    """Describe a recorded file that was written while the agent's folder was another one."""
    like = next(agent.entries(options.environment, plan), None)
    if like is None or own.is_ours(read(path) or b""):
        return OwnFile(path, "")
    return msgspec.structs.replace(like, path=path)
