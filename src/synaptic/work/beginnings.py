"""Starting and resuming an effort: the store, the skill's file and the task's folder together, and the words for it."""

import time
from collections.abc import Iterable
from typing import ClassVar

import msgspec

from synaptic.hooks.skill_files import SKILL_NAME, find_readable_skill, find_skill
from synaptic.model.errors import LayerError
from synaptic.model.layers import Effort, HandOver, Skill
from synaptic.policies.fleet.recovery import describe_hand_over
from synaptic.policies.fleet.skill_text import build_injection
from synaptic.store import agents, efforts, layers, windows
from synaptic.store.tasks import TaskDescription
from synaptic.store.windows import ContextWindow
from synaptic.work import task_files
from synaptic.work.command import CommandContext, ProjectCommand, make_no_effort_error
from synaptic.work.efforts import find_effort_root
from synaptic.work.phases import find_next_phase
from synaptic.work.tasks import find_task
from synaptic.work.views import View, effort_to_view, payload_to_view

NONE_TEXT = "(none)"


class BegunEffort(msgspec.Struct, frozen=True, kw_only=True):
    """An effort that somebody works on from now."""

    effort: Effort
    window: ContextWindow
    resumed: bool
    skill: Skill | None = None
    debriefs: tuple[str, ...] = ()
    artifacts: tuple[str, ...] = ()

    @property
    def next_skills(self) -> tuple[str, ...]:
        """What usually comes after this effort."""
        return self.skill.next_skills if self.skill else ()


class BeginCommand(ProjectCommand[BegunEffort], frozen=True, kw_only=True):
    """A command after which somebody works on an effort."""

    def answer(self, result: BegunEffort) -> View:
        return {**begun_to_view(result), "text": describe_begun(result)}


class StartEffort(BeginCommand, frozen=True, kw_only=True):
    """A new effort, or the active one of the same task and skill. Nothing is left behind by one that fails."""

    method: ClassVar[str] = "effort.start"

    task: str
    """A name, which becomes a folder in `.tasks`, or a folder in the project."""
    skill: str
    """The skill that runs."""
    mode: str = ""
    """One of the skill's modes."""
    title: str | None = None
    """What the task is about; what is known stays without it."""
    keywords: tuple[str, ...] | None = None
    """In place of the task's keywords."""
    block_after: int | None = None
    """The tool call that is stopped without a log entry."""

    def run(self, context: CommandContext) -> BegunEffort:
        root = context.require_project()
        name = _check_skill_name(self.skill)
        folder = task_files.find_task_folder(root, context.caller.cwd, self.task)
        skill = find_skill(root, name) or Skill(name=name)
        # An agent reads the answer of this command; a window for which somebody else starts it has to be told.
        waiting = build_injection(skill) if not context.caller.who.kind else None
        wanted = efforts.EffortRequest(
            root=root,
            task=TaskDescription(folder=folder, title=self.title, keywords=self.keywords),
            skill=skill,
            mode=self.mode,
            metadata={} if self.block_after is None else {"blockAfter": self.block_after},
            injections=(waiting,) if waiting else (),
            who=context.caller.who,
        )
        started = efforts.start_effort(context.require_durable_store(), wanted, time.time())
        return _make_begun(context, started.effort, started.window, resumed=started.resumed)


class ResumeEffort(BeginCommand, frozen=True, kw_only=True):
    """A new window of an active effort: of a task's newest, of an agent's last, or of the caller's own."""

    method: ClassVar[str] = "effort.resume"

    dir_path: str = ""
    """The task's folder, or its name."""
    agent_id: str = ""
    """Whoever worked on it; also who works on it from now, where the caller has no name."""
    current: bool = False
    """The effort that the caller works on."""

    def run(self, context: CommandContext) -> BegunEffort:
        if sum((bool(self.dir_path), bool(self.agent_id), self.current)) != 1:
            raise LayerError("VALIDATION_ERROR", "effort.resume: give `dirPath` or `agentId`")
        found = self._find_effort(context)
        who = context.caller.who
        # A caller without a name continues as the agent that it names; else the session would be nobody's.
        owner = msgspec.structs.replace(who, agent=who.agent or self.agent_id)
        window = efforts.enter_effort(context.require_durable_store(), found.id, owner, time.time())
        return _make_begun(context, efforts.require_effort(context.store, found.id), window, resumed=True)

    def _find_effort(self, context: CommandContext) -> Effort:
        if self.dir_path:
            return find_effort_of_task(context, self.dir_path)
        return find_effort_of_agent(context, self.agent_id) if self.agent_id else context.find_effort()


def find_effort_of_task(context: CommandContext, named: str) -> Effort:
    """The newest active effort of a task. Raises LayerError."""
    folder = find_task(context, named).folder
    active = [one for one in efforts.list_task_efforts(context.store, folder) if not one.finished]
    if not active:
        raise make_no_effort_error(folder)
    return active[-1]


def find_effort_of_agent(context: CommandContext, name: str) -> Effort:
    """The active effort that an agent works on, or worked on last: its windows may all have ended."""
    bound = agents.require_agent(context.store, name).effort
    for number in (bound, *windows.find_agent_efforts(context.store, name)):
        found = layers.find_effort(context.store, number) if number is not None else None
        if found and not found.finished:
            return found
    raise make_no_effort_error(f"agent {name}")


def begun_to_view(begun: BegunEffort) -> View:
    """An effort that was started or resumed."""
    return {
        **effort_to_view(begun.effort),
        "sessionId": begun.window.session,
        "prevSessionId": begun.window.previous,
        "newSession": begun.window.opened,
        "resumed": begun.resumed,
        "priorDebriefs": list(begun.debriefs),
        "artifacts": list(begun.artifacts),
        "nextSkills": list(begun.next_skills),
        "dehydration": payload_to_view(begun.window.payload),
    }


def describe_begun(begun: BegunEffort) -> str:
    """What is going on now, where it is written down, and what may be read first."""
    effort, window = begun.effort, begun.window
    verb = "resumed" if begun.resumed else "started"
    session = f"session {window.session}" if window.opened else f"session {window.session}, still open"
    mode = f", mode {effort.mode}" if effort.mode else ""
    parts = [
        f"Effort {effort.id} {verb}: {effort.skill}{mode} (number {effort.ordinal} of {effort.task}), {session}.",
        f"Log: {effort.artifact_path('log')}",
        _describe_phases(begun),
        *_describe_skill(begun.skill),
        _format_paths("Prior debriefs", begun.debriefs),
    ]
    if begun.resumed:
        parts.append(_format_paths("Artifacts", begun.artifacts))
    parts.append(f"Next skills: {', '.join(begun.next_skills) or NONE_TEXT}")
    if window.payload is not None:
        parts.append(describe_hand_over(effort, HandOver(payload=window.payload)))
        parts.append(_format_paths("\nRequired files", _list_required_files(window.payload)))
    return "\n".join(parts)


def _make_begun(context: CommandContext, effort: Effort, window: ContextWindow, *, resumed: bool) -> BegunEffort:
    before = [one for one in efforts.list_task_efforts(context.store, effort.task) if one.ordinal < effort.ordinal]
    return BegunEffort(
        effort=effort,
        window=window,
        resumed=resumed,
        skill=find_readable_skill(find_effort_root(context.store, effort), effort.skill),
        debriefs=task_files.list_debriefs(before),
        artifacts=task_files.list_documents(effort.task),
    )


def _check_skill_name(given: str) -> str:
    name = given.strip().removeprefix("/")
    if not SKILL_NAME.fullmatch(name):
        raise LayerError("VALIDATION_ERROR", f"{given!r} cannot name a skill", hint="letters, digits, . : _ and -")
    return name


def _describe_phases(begun: BegunEffort) -> str:
    phases, now = begun.effort.phases, begun.effort.phase
    if not phases:
        file = "declares none" if begun.skill else "has no SKILL.md here"
        return f"Phase: {now or 'none'} (the skill {file}: any label goes)"
    ahead = find_next_phase(phases, now)
    return f"Phase: {now or 'none'}, next {ahead!r} ({'; '.join(phases)})" if ahead else f"Phase: {now} (the last one)"


def _describe_skill(skill: Skill | None) -> Iterable[str]:
    """What the skill's file asks for, as far as it does."""
    if skill and skill.templates:
        yield _format_paths("Templates", dict.fromkeys(skill.templates.values()))
    if skill and skill.directives:
        yield f"Directives: {', '.join(skill.directives)}"


def _list_required_files(payload: str) -> tuple[str, ...]:
    told = payload_to_view(payload)
    files = told.get("requiredFiles") if isinstance(told, dict) else None
    return tuple(map(str, files)) if isinstance(files, list) else ()


def _format_paths(title: str, paths: Iterable[str]) -> str:
    lines = [f"- {path}" for path in paths]
    return "\n".join((f"{title}:", *lines)) if lines else f"{title}: {NONE_TEXT}"
