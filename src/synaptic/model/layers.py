"""The state layers: session, effort, task, agent; where an event belongs among them, and how they change."""

from collections.abc import Mapping
from typing import Literal

import msgspec

Status = Literal["error", "attention", "working", "checked", "done"]
STATUSES: tuple[Status, ...] = ("error", "attention", "working", "checked", "done")
"""What a display shows first comes first."""
BLOCK_AFTER = 10
"""Tool calls without a word about them."""
OVERFLOW = 0.90
INJECTIONS = "pendingInjections"
"""The key of an effort's metadata that holds what the model should be told after its next tool call."""

PHASES = "phases"
"""The key of an effort's metadata with its declared phases: those of its skill when it began, and what was added."""


def pick_foremost_status(statuses: tuple[Status, ...]) -> Status:
    """One status for many agents, such as those of a window."""
    return min(statuses, key=STATUSES.index, default="done")


class Effort(msgspec.Struct, frozen=True, kw_only=True):
    """One run of a skill; it survives its context windows."""

    id: int
    task: str
    """The task's folder, which names it."""
    project: int
    skill: str
    ordinal: int
    mode: str = ""
    finished: bool = False
    phase: str = ""
    directives: tuple[str, ...] = ()
    directories: tuple[str, ...] = ()
    """Folders in which directives have been looked for."""
    loaded: tuple[str, ...] = ()
    metadata: Mapping[str, object] = {}
    created_at: float = 0.0
    finished_at: float | None = None

    @property
    def limit(self) -> int:
        """The call that is stopped when nothing was logged before it."""
        given = self.metadata.get("blockAfter")
        return int(given) if isinstance(given, int | float) and not isinstance(given, bool) else BLOCK_AFTER

    @property
    def phases(self) -> tuple[str, ...]:
        """The declared phases, as far as the effort knows them itself."""
        known = self.metadata.get(PHASES)
        return tuple(one for one in known if isinstance(one, str)) if isinstance(known, list) else ()

    def artifact_path(self, kind: str = "") -> str:
        """The path of a file of this effort: `log`, `plan`, or its debrief without a kind."""
        suffix = f"_{kind.upper()}" if kind else ""
        return f"{self.task}/{self.ordinal}_{self.skill.upper()}{suffix}.md"


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """One context window; it ends and is never resumed."""

    id: int
    effort: int
    task: str = ""
    previous: int | None = None
    host: str = ""
    agent: str = ""
    subagent: str = ""
    heartbeat: int = 0
    last_heartbeat: float | None = None
    edited: str = ""
    """The file of the newest counted edit: the next edit of the same one is not counted again."""
    usage: float | None = None
    loaded: tuple[str, ...] = ()
    payload: str | None = None
    handed_over: bool = False
    transcript: str = ""
    offset: int = 0
    model: str = ""
    created_at: float = 0.0
    ended_at: float | None = None


class Agent(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who works, by the name that its terminal has, never by a process number."""

    id: str
    label: str = ""
    kind: str = ""
    status: Status = "done"
    effort: int | None = None
    parent: str = ""
    host: str = ""
    named: bool = False
    pane: str = ""
    note: str = ""


class Skill(msgspec.Struct, frozen=True, kw_only=True):
    """What a skill's file says about its runs."""

    name: str
    phases: tuple[str, ...] = ()
    templates: Mapping[str, str] = {}
    modes: object = None
    next_skills: tuple[str, ...] = ()
    directives: tuple[str, ...] = ()
    version: str = ""
    description: str = ""
    tier: str = ""
    path: str = ""


class SkillRun(msgspec.Struct, frozen=True, kw_only=True):
    """A skill that somebody starts, and the task that it would belong to."""

    skill: Skill
    root: str
    """The project's root, without links."""
    task: str
    """The task's folder: that of the effort before it, else one that is named after what is asked."""
    title: str = ""
    """What the skill is asked to do."""


class Layers(msgspec.Struct, frozen=True, kw_only=True):
    """Where an event belongs: whatever cannot be told, and everything after it, is missing."""

    project: int | None = None
    root: str = ""
    """The project's folder."""
    effort: Effort | None = None
    session: Session | None = None
    """The open one of whoever caused the event: a sub-agent's own, or the main one."""
    agent: Agent | None = None
    skill: Skill | None = None


class ContextUsage(msgspec.Struct, frozen=True):
    """How full a context is, as its transcript tells."""

    share: float | None = None
    """From 0 to 1; None when it is not told."""
    offset: int | None = None
    """Up to where the transcript was read for it; None when there is none."""


class HandOver(msgspec.Struct, frozen=True, kw_only=True):
    """What a new window can take from the ones before it."""

    previous: Session | None = None
    """The newest main session of the effort, ended or not."""
    payload: str | None = None
    """What it left, unless it was told already."""
    files: Mapping[str, str | None] = {}
    """Files that the payload requires, and their text; None for one that is not there."""
    artifacts: tuple[str, ...] = ()
    """The effort's own files that exist."""
    debriefs: tuple[str, ...] = ()
    """Those of the task's finished efforts."""


class OpenSession(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A window opens. The open one that it follows ends with it, and what that left counts as told."""

    effort: int
    host: str = ""
    agent: str = ""
    subagent: str = ""
    model: str = ""
    transcript: str = ""
    follows: int | None = None
    """A main session follows another one; a sub-agent's follows nobody and ends nothing."""


class BeginEffort(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """An agent has started a skill: the active effort of the same task and skill goes on, else one begins."""

    root: str
    """The project's root."""
    task: str
    """The task's folder."""
    skill: Skill
    title: str = ""
    host: str = ""
    agent: str = ""
    kind: str = ""


class EndSession(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A window is over. One that has ended stays as it is."""

    session: int
    merge_loaded: bool = False
    """What it has loaded is added to the effort's list."""
    whole_window: bool = False
    """The window has closed: what it had open of other efforts ends too."""


class Beat(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """One tool call: counted, not counted, or the log that sets the count back."""

    session: int
    add: int = 1
    reset: bool = False
    edited: str = ""
    usage: float | None = None
    offset: int | None = None
    claim: bool = False
    """The session has no window yet: it is the one of this event from now on."""


class Loaded(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Files that a window has read."""

    session: int
    files: tuple[str, ...]


class Note(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """One line of a session's dialogue."""

    session: int
    role: str
    content: str
    tool: str = ""


class TranscriptMessage(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a transcript that somebody said, without secrets."""

    role: str
    content: str
    tool: str = ""
    at: float = 0.0


class TranscriptNews(msgspec.Struct, frozen=True, kw_only=True):
    """What a transcript says beyond the place up to which it was taken in."""

    session: int = 0
    """Whose it is."""
    path: str = ""
    known: int = 0
    """The place, as it is stored."""
    end: int = 0
    """Up to where it was read now: whole lines only."""
    messages: tuple[TranscriptMessage, ...] = ()


class Ingest(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """News of a transcript become messages of a session, unless another event has taken them in meanwhile."""

    news: TranscriptNews


class SetStatus(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """What an agent is doing; one that nobody knew is known from now on."""

    agent: str
    status: Status
    label: str = ""
    kind: str = ""
    named: bool = False
    host: str = ""
    project: str = ""
    """The project's root."""
    effort: int | None = None
    note: str = ""


class Metadata(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Top-level keys of an effort's metadata: first dropped, then put; `take` removes the first n of a list."""

    effort: int
    put: Mapping[str, object] = {}
    drop: tuple[str, ...] = ()
    take: Mapping[str, int] = {}


class Discovered(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Directives that touched files have brought up, and the folders that need not be searched again."""

    effort: int
    directives: tuple[str, ...] = ()
    directories: tuple[str, ...] = ()


class Restart(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The agent's supervisor shall end it and start it again with this prompt."""

    agent: str
    prompt: str


class Signal(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A coordinator shall hear something: counted, and told with its session's next event."""

    agent: str
    text: str


class ForgetSkill(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A skill's file has changed: what was read from it is no longer true."""

    path: str


LayerEffect = (
    BeginEffort
    | Ingest
    | OpenSession
    | EndSession
    | Beat
    | Loaded
    | Note
    | SetStatus
    | Metadata
    | Discovered
    | Restart
    | Signal
    | ForgetSkill
)
LAYER_EFFECTS = (
    BeginEffort, Ingest, OpenSession, EndSession, Beat, Loaded, Note, SetStatus, Metadata, Discovered, Restart, Signal,
    ForgetSkill,
)  # fmt: skip
