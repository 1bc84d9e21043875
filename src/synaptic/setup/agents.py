"""Find agents on this machine, write our entries into their settings, and remove them again."""

import shutil
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

import msgspec

from synaptic.agents.base import Agent, AgentFile, OwnFile, SettingsFile
from synaptic.agents.shared import record
from synaptic.agents.shared.discover import find_agent, list_agent_names, load_agents
from synaptic.agents.shared.ours import EntryPlan
from synaptic.agents.shared.settings import EntryDifference
from synaptic.files.replace import read_file
from synaptic.model.errors import SettingsError
from synaptic.model.home import Home
from synaptic.setup import agreements, own, settings
from synaptic.setup.agreements import AgreementFile
from synaptic.setup.options import SetupChange, SetupOptions
from synaptic.setup.settings import FileOwner

ChangeSteps = Iterator[partial[SetupChange]]


class FoundAgent(msgspec.Struct, frozen=True):
    """An agent on this machine."""

    program: str = ""
    """Its path; "" when it is not on PATH."""
    folder: str = ""
    """Its folder of settings; "" when there is none."""

    def __bool__(self) -> bool:
        return bool(self.program or self.folder)


def find_agent_here(options: SetupOptions, agent: Agent) -> FoundAgent:
    """Locate an agent: its program on PATH, its folder of settings."""
    programs = (shutil.which(name, path=options.search_path) for name in agent.programs)
    folder = agent.folder.locate(options.environment)
    return FoundAgent(next((path for path in programs if path), ""), str(folder) if folder.is_dir() else "")


def list_found_agents(options: SetupOptions) -> tuple[str, ...]:
    """List every agent found on this machine."""
    return tuple(agent.name for agent in load_agents() if find_agent_here(options, agent))


def check_agent_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return the agent names in standard order, each once; raises SettingsError for an unknown one."""
    asked, known = set(names), list_agent_names()
    if unknown := sorted(asked - set(known)):
        raise SettingsError(f"agent {unknown[0]!r} is not known", hint=f"known: {', '.join(known)}")
    return tuple(name for name in known if name in asked)


def refuse_agent_early(options: SetupOptions, agent: Agent, plan: EntryPlan) -> None:
    """Refuse whatever installing would refuse, before anything is written."""
    for file in agent.list_files(options.environment, plan):
        if isinstance(file, OwnFile):
            own.refuse_foreign_file(file)
        else:
            settings.prepare_settings(options.home, file.path, file.wanted)


def is_agent_current(options: SetupOptions, agent: Agent, plan: EntryPlan) -> bool:
    """Whether every file of an agent is as the plan has it. Reads only."""
    return all(compare_file(file) == EntryDifference() for file in agent.list_files(options.environment, plan))


def compare_file(file: AgentFile) -> EntryDifference:
    """Compare a file with what is planned."""
    if isinstance(file, SettingsFile):
        return settings.inspect_settings(file.path, file.wanted)
    if read_file(file.path) is None:
        return EntryDifference(missing=(file.path.name,))
    # A file of ours with other content was written by another version.
    return EntryDifference() if own.is_file_current(file) else EntryDifference(stale=(file.path.name,))


def iter_install_steps(options: SetupOptions, agent: Agent, plan: EntryPlan) -> ChangeSteps:
    """Iterate over the steps that write an agent's files: a program before the entry that calls it."""
    wanted = agent.list_files(options.environment, plan)
    for file in wanted:
        yield partial(_put_file, options, agent, file)
    for path in _find_left_over(options.home, agent, wanted):
        yield partial(_take_file, options.home, agent, OwnFile(path, ""))
    yield from _iter_agreement_steps(options, agent, plan)


def _iter_agreement_steps(options: SetupOptions, agent: Agent, plan: EntryPlan) -> ChangeSteps:
    if options.choices is not None and options.choices.trust:
        yield from (partial(_agree_to_entries, options, file) for file in iter_agreement_files(options, agent, plan))
    else:
        yield from _iter_withdrawal_steps(options.home, agent)


def _iter_withdrawal_steps(home: Home, agent: Agent) -> ChangeSteps:
    for path, mark in record.load_record(home).agreements.items():
        if mark.agent == agent.name:
            yield partial(_withdraw_entries, home, agent, Path(path))


def _find_left_over(home: Home, agent: Agent, wanted: tuple[AgentFile, ...]) -> list[Path]:
    """Find files that an earlier version of us wrote beside those that are wanted now."""
    folders = {file.path.parent for file in wanted if isinstance(file, OwnFile)}
    known = (Path(path) for path, mark in record.load_record(home).settings.items() if mark.agent == agent.name)
    return [path for path in known if path.parent in folders and path not in {file.path for file in wanted}]


def iter_removal_steps(options: SetupOptions, agent: Agent) -> ChangeSteps:
    """Iterate over the steps that remove our parts, in reverse order, wherever they were written."""
    plan = EntryPlan(str(options.home.dispatch), settings.read_token(options.home) or "0" * 32)
    marks = {path for path, mark in record.load_record(options.home).settings.items() if mark.agent == agent.name}
    for file in reversed(agent.list_files(options.environment, plan)):
        if str(file.path) in marks or _holds_ours(file, agent):
            yield partial(_take_file, options.home, agent, file)
        marks.discard(str(file.path))
    for path in map(Path, sorted(marks)):
        yield partial(_take_file, options.home, agent, _make_recorded_file(path, options, agent, plan))
    yield from _iter_withdrawal_steps(options.home, agent)


def iter_agreement_files(options: SetupOptions, agent: Agent, plan: EntryPlan) -> Iterator[AgreementFile]:
    """Where an agent keeps agreements to its entries; none where it asks for none."""
    if agent.agreement is not None:
        for hooks in agent.iter_settings_files(options.environment, plan):
            yield AgreementFile(agent, agent.agreement, hooks)


def is_agent_trusted(options: SetupOptions, agent: Agent, plan: EntryPlan) -> bool:
    """Whether an agent runs every entry of ours."""
    try:
        return all(file.read_standing().is_trusted for file in iter_agreement_files(options, agent, plan))
    except (ValueError, SettingsError):
        return False  # doctor says what is wrong with the file


def list_notes(options: SetupOptions, names: Iterable[str], plan: EntryPlan) -> tuple[str, ...]:
    """List what is left for a person to do or to know."""
    told = [find_agent(name) for name in names]
    lines = [f"{agent.title}: {agent.note}" for agent in told if agent.note]
    for agent in told:
        if agent.agreement is not None and not is_agent_trusted(options, agent, plan):
            lines.append(f"{agent.title} runs no entry that you have not agreed to: {agent.agreement.how}")
    return tuple(lines)


def _put_file(options: SetupOptions, agent: Agent, file: AgentFile) -> SetupChange:
    if isinstance(file, OwnFile):
        done = own.put_own_file(options.home, file, agent.name)
    else:
        done = settings.register_entries(options.home, file.path, file.wanted, FileOwner(agent.name))
    return SetupChange(what="agent settings", path=str(file.path), done=done, detail=agent.title)


def _take_file(home: Home, agent: Agent, file: AgentFile) -> SetupChange:
    if isinstance(file, OwnFile):
        done = own.take_own_file(home, file.path)
    else:
        done = settings.unregister_entries(home, file.path, file.wanted.shape)
    undo = f"synaptic bootstrap --agent {agent.name}"
    return SetupChange(what="agent settings", path=str(file.path), done=done, detail=agent.title, undo=undo)


def _agree_to_entries(options: SetupOptions, file: AgreementFile) -> SetupChange:
    """Write Codex's agreement; when that fails the entries stay, and the notes say how a person agrees."""
    path = str(file.path)
    try:
        done = agreements.write_agreements(options.home, file)
    except SettingsError as error:
        return SetupChange(what="agreement", path=path, done=False, detail=error.message)
    return SetupChange(what="agreement", path=path, done=done, detail=file.agent.title)


def _withdraw_entries(home: Home, agent: Agent, path: Path) -> SetupChange:
    done = agent.agreement is not None and agreements.withdraw_agreements(home, path, agent.agreement)
    undo = f"synaptic bootstrap --agent {agent.name} --trust"
    return SetupChange(what="agreement", path=str(path), done=done, detail=agent.title, undo=undo)


def _holds_ours(file: AgentFile, agent: Agent) -> bool:
    """Whether a file may hold something of ours; an unreadable one is reported elsewhere."""
    try:
        data = read_file(file.path) or b""
    except SettingsError:
        return False
    return own.is_own_file(data) if isinstance(file, OwnFile) else agent.mark.encode() in data


def _make_recorded_file(path: Path, options: SetupOptions, agent: Agent, plan: EntryPlan) -> AgentFile:
    """Describe a recorded file that was written while the agent's folder was another one."""
    like = next(agent.iter_settings_files(options.environment, plan), None)
    if like is None or own.is_own_file(read_file(path) or b""):
        return OwnFile(path, "")
    return msgspec.structs.replace(like, path=path)
