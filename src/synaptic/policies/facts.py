"""What a policy may know beyond its event: gathered once per event, handed over frozen."""

from collections.abc import Iterable, Mapping
from functools import lru_cache

import msgspec

from synaptic.agents.shared.guarded import NO_GUARDED_PATHS, GuardedPaths
from synaptic.model.ability import SuggestedAbility
from synaptic.model.event import Event, ToolEvent
from synaptic.model.layers import ContextUsage, HandOver, Layers, SkillRun, TranscriptNews
from synaptic.model.loss import LostWork
from synaptic.model.places import NO_PLACES, EnginePlaces
from synaptic.model.project import (
    ChangedFile,
    CodeDecisions,
    Git,
    KnownRemotes,
    PendingCommit,
    PlanFile,
    TargetFile,
    TestStatus,
    Tooling,
)
from synaptic.model.sane import MirroredFiles
from synaptic.model.stakes import NO_STAKES, Stakes
from synaptic.model.state import State
from synaptic.shell.reading import CommandReading


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """Every fact has a default, so a policy is tested with only those it needs."""

    root: str = ""
    """The project's root."""
    home: str = ""
    """The user's home folder."""
    now: float = 0.0
    """Seconds since the epoch, when the event arrived."""
    agent: str = "claude"
    command: CommandReading | None = None
    """The shell command of the tool call as it is now, read once for everybody; None for every other event."""
    failed: Mapping[str, str] = {}
    """Facts that could not be gathered, and why: they have their defaults here, and guards that need them ask."""
    extra_roots: tuple[str, ...] = ()
    """Folders the user added to the workspace."""
    state: State = State()
    """Sections named in `needs`, as `project:NAME` or `session:NAME`."""
    mirror: MirroredFiles = MirroredFiles()
    """The files that show the sections, as they are now."""
    real_paths: Mapping[str, str] = {}
    """Paths of the tool call that links lead elsewhere, and where to."""
    moved_settings: GuardedPaths = NO_GUARDED_PATHS
    """Settings of agents that variables of the agent's environment have put elsewhere."""
    engine_places: EnginePlaces = NO_PLACES
    """Where the running engine is."""
    policy_processes: tuple[str, ...] = ()
    """Processes of policies from outside that wait for a question, by their numbers."""
    linked_paths: tuple[str, ...] | None = ()
    """Where links lead that a shell command changes something behind; None when there are too many to look at."""
    patched_paths: tuple[str, ...] | None = ()
    """What patches on the disk name that a shell command applies."""
    stakes: Stakes = NO_STAKES
    """What is on the disk of that which a call would destroy or overwrite, and what this session has made itself."""
    tool_servers: frozenset[str] | None = None
    """Names of the MCP servers that the agent's files declare; None when that is not known."""
    git: Git = Git()
    """The working tree that the event happened in, else the project's."""
    dirty: int = 0
    """Changes in it that are not committed; 0 where git cannot be run."""
    file_git: Git = Git()
    """The working tree that the tool call's file is or will be in."""
    plan: PlanFile = PlanFile()
    """`MASTER_PLAN.md` beside the tool call's file, else the project's."""
    plan_commits: int = 0
    """Commits since the plan was changed."""
    staleness: Mapping[str, int] = {}
    """`warn` and `deny` from PLAN_STALENESS_WARN and PLAN_STALENESS_DENY."""
    tests: TestStatus | None = None
    """What `.claude/.test-status` says; None when it is not there or cannot be understood."""
    target: TargetFile = TargetFile()
    """The tool call's file."""
    diff: tuple[str, ...] = ()
    """The first lines of its difference from the last commit."""
    linter: Tooling = Tooling()
    """The linter for it, installed and configured."""
    suite: Tooling = Tooling()
    """The tests of its project."""
    changed: tuple[ChangedFile, ...] = ()
    """Files that the session wrote, with their text."""
    code: CodeDecisions = CodeDecisions()
    """Decisions in the project's code; looked for when the session wrote something."""
    audit_tail: tuple[str, ...] = ()
    """The last lines of `.claude/.audit-log`."""
    leftovers: tuple[str, ...] = ()
    """Names of sessions' files in `.claude/`."""
    repositories: Mapping[str, Git] = {}
    """The working trees that the git calls of a shell command find, by the folder they run in."""
    losses: Mapping[str, LostWork] = {}
    """What they would lose, by question (`policies/git/questions.py`); what cannot be known is not in here."""
    deleted_work: LostWork = LostWork()
    """What a shell command deletes in the project that git does not hold, and that this session has not written."""
    tracking: Mapping[str, KnownRemotes] = {}
    """For the forced pushes among them: what is known of the remotes, by folder."""
    pending: Mapping[str, PendingCommit] = {}
    """For the commits among them: what would be committed."""
    loose_secrets: tuple[str, ...] = ()
    """Files with secrets that lie where a call of git adds everything, whatever is ignored."""
    payload: Mapping[str, object] = {}
    """The event as it arrived, fields that nobody knows included."""
    suggestions: tuple[SuggestedAbility, ...] = ()
    """Abilities of the repository that fit the prompt, best first."""
    ability_calls: int = 0
    """How often the ability of this event was called before, as far as it was counted."""
    layers: Layers = Layers()
    """Where the event belongs among project, effort, session and agent."""
    agent_name: str = ""
    """AGENT_ID of the agent's environment; empty when it has none."""
    hand_over: HandOver = HandOver()
    """What a new context window can take over."""
    usage: ContextUsage = ContextUsage()
    """How full the context is."""
    directives: tuple[str, ...] = ()
    """Directive files that are found from the file of this tool call and were not found before."""
    directive_folders: tuple[str, ...] = ()
    """The folders that were looked into for them."""
    coordinator: str = ""
    """The agent that coordinates the team of this event."""
    teammate: str = ""
    """The agent that the event's teammate name means."""
    supervised: bool = False
    """Whether a living supervisor would carry out a restart of this agent."""
    exhaustion: str = ""
    """What the end of the transcript says the turn ended with: nothing, `rate-limit` or `context`."""
    handed_over: bool = False
    """Whether this window has left a hand-over that no other one was told yet."""
    log_end: str = ""
    """The last lines of the effort's own log."""
    transcript_news: TranscriptNews | None = None
    """What the transcript says and the session's messages do not have yet."""
    skill_run: SkillRun | None = None
    """The skill that the event starts."""
    skill_texts: Mapping[str, str] = {}
    """The text of that skill's files, as far as it fits."""
    preloads: Mapping[str, str] = {}
    """The text of files that the window should know first, by path; those that do not fit are left out."""


def join_facts(facts: Facts, more: Facts, names: Iterable[str]) -> Facts:
    """Facts about a call, and those of these names that were gathered later."""
    values = {name: getattr(more, name) for name in names if ":" not in name}
    state = State(
        {**facts.state.sections, **more.state.sections},
        facts.state.tampered | more.state.tampered,
        facts.state.known and more.state.known,
    )
    return msgspec.structs.replace(facts, **values, state=state, failed={**facts.failed, **more.failed})


def read_command(event: Event, root: str, home: str) -> CommandReading | None:
    """The shell command of a tool call, not looked at yet; None for every other event."""
    text = event.tool.command if isinstance(event, ToolEvent) else ""
    if not text:
        return None
    is_powershell = isinstance(event, ToolEvent) and event.tool_name == "PowerShell"
    return _read_command_cached(text, event.cwd or root, home, is_powershell)


@lru_cache(maxsize=16)
def _read_command_cached(text: str, cwd: str, home: str, is_powershell: bool) -> CommandReading:
    # A command comes again after its tool has run, and when an agent retries it. One may be a megabyte: few are kept.
    return CommandReading(text, cwd, home, is_powershell)


def with_command(facts: Facts, event: Event) -> Facts:
    """The same facts about an event with another command."""
    return msgspec.structs.replace(facts, command=read_command(event, facts.root, facts.home))
