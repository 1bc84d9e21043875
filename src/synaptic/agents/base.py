"""The contract of an agent: everything that has to be known about one, as one value.

Every module of this package beside this one provides its agent as `AGENT`; they are found by their file names
(`shared/discover.py`). What others need (the files that bootstrap writes, what is guarded, what doctor looks at, how a
command line is started again, who typed a command) is derived from these values: there is no second list.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, Protocol

import msgspec

from synaptic.agents.shared.ours import EntryPlan, is_ours
from synaptic.model.call import Answer, Call, Request
from synaptic.model.decision import Decision


class Capability(msgspec.Struct, frozen=True, kw_only=True):
    """What one event of one agent can honour; everything else is degraded and noted in the trace."""

    deny: bool = False
    """The act can be stopped."""
    ask: bool = False
    allow: bool = False
    """A permission prompt can be skipped."""
    rewrite: bool = False
    context: bool = False
    """Text can reach the model without any other effect."""
    feedback: bool = False
    """A block is told to the model."""
    message: bool = True
    """Text can reach the user."""
    extras: frozenset[str] = frozenset()
    """Agent-specific output fields that this event honours."""
    timeout: float = 600.0
    """Seconds the agent is asked to wait; our own deadline is a little shorter."""


class Adapter(Protocol):
    """The dialect of an agent: all that the engine asks of it. Adapters are stateless."""

    name: str

    def decode(self, request: Request) -> Call:
        """Bytes to a call. Raises PayloadError only when the bytes are no JSON object; the rest is best effort."""

    def to_canonical(self, event: str) -> str:
        """An event of the agent under the name that everybody here uses."""

    def get_capability(self, event: str) -> Capability:
        """What this agent honours on an event; for an unknown event: nothing but a message."""

    def degrade(self, call: Call, decision: Decision) -> Decision:
        """The decision in terms this event can honour, with a `degraded` step for everything that was mapped."""

    def encode(self, call: Call, decision: Decision) -> Answer:
        """A degraded decision as the bytes this agent expects; nothing to say is no bytes."""

    def refuse(self, event: str, reason: str) -> Answer:
        """The fail-closed answer, when there is no call to decide on."""


TopLevel = Mapping[str, bytes]
"""The fields at the top of a payload, as JSON text. What a tool call carries is further down."""
Variables = Mapping[str, str]


class AgentSign(msgspec.Struct, frozen=True):
    """How an agent is recognised that runs an entry in the settings of Claude Code.

    Only the payload is proof: a repository can set a hook's environment, and to the true Claude Code an answer in
    another dialect would be none at all. A variable merely tells apart agents whose payloads look alike.
    """

    payload: Callable[[TopLevel], bool]
    environment: Callable[[Variables], bool] | None = None
    """What has to be set as well; None when the payload alone is proof."""
    beginning: re.Pattern[bytes] | None = None
    """How each of its payloads begins, where that is proof before anything is decoded."""

    def matches_beginning(self, stdin: bytes) -> bool:
        """Whether a payload begins as only this agent's do."""
        return self.beginning is not None and self.beginning.match(stdin) is not None

    def matches_payload(self, seen: TopLevel, env: Variables) -> bool:
        """Whether a payload, and the environment it came with, are this agent's."""
        return self.payload(seen) and (self.environment is None or self.environment(env))


def is_stamped(seen: TopLevel) -> bool:
    """Whether there is a time at the top: Claude Code puts none there, others do."""
    return "timestamp" in seen


def sets_any(*names: str) -> Callable[[Variables], bool]:
    """Whether one of these variables is set."""
    return lambda env: any(env.get(name) for name in names)


def has_transcript_below(folder: bytes) -> Callable[[TopLevel], bool]:
    """Whether the session is written down below this folder."""
    return lambda seen: folder in seen.get("transcript_path", b"")


class UserEnvironment(msgspec.Struct, frozen=True):
    """Where agents look for their files: the user's home folder, and the variables that move folders."""

    home: Path
    variables: Variables = {}


class SettingsFolder(msgspec.Struct, frozen=True):
    """The folder in which an agent keeps its settings: who has that folder uses the agent."""

    variable: str
    """Names another folder than the default one; "" where nothing moves it."""
    default: str
    """Below home."""
    below: str = ""
    """Below either of them."""

    @property
    def usual_path(self) -> str:
        """Where it is below home when nobody moves it."""
        return "/".join(filter(None, (self.default, self.below)))

    def read_named_folder(self, variables: Variables) -> str:
        """The folder that the variable names, as it is written there; "" when it names none."""
        return variables.get(self.variable, "").strip()

    def locate(self, environment: UserEnvironment) -> Path:
        """Find the folder. One that a variable names is resolved through links, as Codex does for what it trusts."""
        named = self.read_named_folder(environment.variables)
        return (Path(named).resolve() if named else environment.home / self.default) / self.below


class SettingsShape(msgspec.Struct, frozen=True, kw_only=True):
    """Where a JSON document keeps hooks: an array for every event, in an object."""

    inside: str = "hooks"
    """The member that holds the events; "" when the document itself does."""
    nested: bool = True
    """Whether an event's array has groups with `hooks` of their own, or the hooks themselves."""
    comments: bool = False
    """Whether the agent reads JSON with comments."""
    head: Mapping[str, int] = {}
    """Members that the agent demands beside the hooks."""
    is_ours: Callable[[object, str], bool] = is_ours
    """How a hook of ours is recognised, given the dispatcher's path."""


class WantedEntries(msgspec.Struct, frozen=True):
    """What a document should hold of ours."""

    shape: SettingsShape
    dispatch: str
    groups: Mapping[str, Any]
    """What is appended to each event's array."""

    def has_written(self, hook: object) -> bool:
        """Whether a hook in the document is one of ours."""
        return self.shape.is_ours(hook, self.dispatch)


class SettingsFile(msgspec.Struct, frozen=True):
    """A file of the agent or its user that holds entries of ours."""

    path: Path
    wanted: WantedEntries


class OwnFile(msgspec.Struct, frozen=True):
    """A file that is ours alone."""

    path: Path
    text: str
    mode: int = 0o644


AgentFile = SettingsFile | OwnFile


class HookSwitch(msgspec.Struct, frozen=True):
    """A setting with which a user or an agent stops hooks."""

    file: str
    """Below the agent's folder."""
    keys: tuple[str, ...]
    value: object
    """What the setting is, or holds, when hooks are off."""
    state: Literal["warn", "fail"] = "fail"
    told: str = "stops every hook"


Agreements = Mapping[str, str]
"""Key of an entry to the hash of what is agreed to."""


class Agreement(Protocol):
    """How an agent is told that its user agrees to entries, where it runs none without that."""

    file: str
    """Below the agent's folder."""
    how: str
    """What a person types to agree."""

    def list_wanted(self, hooks: SettingsFile, text: str) -> Agreements:
        """An agreement to every entry of ours in the text of the settings file."""

    def read_known(self, text: str) -> Agreements:
        """Everything that the text of the file says is agreed to. Raises ValueError for a text that is none."""

    def add(self, text: str, missing: Agreements) -> str:
        """What has to stand behind the text. Raises ValueError where that cannot be said."""

    def remove(self, text: str, added: str) -> str:
        """The text without what was added, also when the agent has moved something in between."""


class CommandLine(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about an agent's command line, or that of one of its verbs."""

    flag: str = ""
    """The option that carries a prompt; empty where a prompt is a word of its own."""
    prompts: frozenset[str] = frozenset()
    """Every option that carries one."""
    words_are_prompts: bool = True
    """What words that belong to no option are; else they name something else, such as a folder."""
    resume: frozenset[str] = frozenset()
    """Options that continue an old session, or claim its id."""
    resume_verbs: frozenset[str] = frozenset()
    other: frozenset[str] = frozenset()
    """Options that give a prompt in another way, such as from a file."""
    switches: frozenset[str] = frozenset()
    """Options that take no value."""
    several: frozenset[str] = frozenset()
    """Options that take every word up to the next option."""
    verbs: "Mapping[str, CommandLine]" = {}
    """Verbs that have a command line of their own: `codex exec`."""


def split_options(text: str) -> frozenset[str]:
    """Options, or verbs, that are written as one text with blanks between them."""
    return frozenset(text.split())


class HookBypass(msgspec.Struct, frozen=True, kw_only=True):
    """How an agent can be started so that it does not call the engine, beside the variables that move its files."""

    options: frozenset[str] = frozenset()
    """Options with which it ignores its user's settings, or puts others above them."""
    unless: str = ""
    """What the value of such an option holds when the user's settings count all the same."""
    switches: frozenset[str] = frozenset()
    """Options whose value switches hooks off when it names them: `-c features.hooks=false`."""
    variables: frozenset[str] = frozenset()
    """Variables that do the same."""
    verbs: frozenset[str] = frozenset()
    """Words with which it changes its own settings: `config set`."""
    unasked: frozenset[str] = frozenset()
    """Options with which it does everything without asking anybody; `--option=value` where the value says so."""
    other_use: frozenset[str] = frozenset()
    """Options with which its program starts no agent, so that others mean something else there."""
    own_program: frozenset[str] = frozenset()
    """Variables in which its commands find the path of its program: a start by one of them has no name to go by."""


UNKNOWN_COMMAND_LINE = CommandLine(
    words_are_prompts=False, resume=split_options("--resume --continue"), switches=split_options("--continue")
)
"""Of an agent whose options nobody has looked at."""


class Wiring(msgspec.Struct, frozen=True):
    """What the files of an agent are made from."""

    agent: "Agent"
    environment: UserEnvironment
    plan: EntryPlan

    def locate_file(self, name: str) -> Path:
        """Where one of the agent's files is."""
        return self.agent.locate_file(name, self.environment)


class Absence(msgspec.Struct, frozen=True, kw_only=True):
    """How it is seen that nobody sits at an agent, so that it takes every question of a hook for a refusal."""

    variables: Variables = {}
    """Those that it gives its hooks then, and their values."""
    options: frozenset[str] = frozenset()
    """Options of its command line with which it answers once and ends."""


class TranscriptStep(msgspec.Struct, frozen=True):
    """One step of a tool call, as a line of the agent's transcript tells it."""

    number: str
    """As it is in the agent's events."""
    tool: str = ""
    """Of the line with which the call begins."""
    at: float = 0.0
    has_run: bool = False
    """It is the call's result, and the tool has really run: it was neither refused nor called wrongly."""


class CallTrail(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent lets be known about a call after it was asked about."""

    proves_run: frozenset[str]
    """Events, in canonical names, that come for a call only when it has run, never after a refusal."""
    after_refusal: str
    """What comes after a refusal; "" for nothing."""
    read_line: Callable[[bytes], tuple[TranscriptStep, ...]] | None
    """Of its transcript; None where it keeps none, or numbers no calls in it."""


class ReportedVersion(msgspec.Struct, frozen=True):
    """Where an agent says its own version while it works."""

    place: Literal["payload", "transcript"]
    """In what it sends with an event, or in lines of the transcript that its events name."""
    keys: tuple[str, ...]
    """The way to it, from the top of the object."""


RESULT_EVENTS = frozenset({"PostToolUse", "PostToolUseFailure"})


class Agent(msgspec.Struct, frozen=True, kw_only=True):
    """One coding agent. No field has a default: whoever adds an agent says something about each of them."""

    name: str
    """As it is named on the command line of the dispatcher: the name of its module."""
    title: str
    note: str
    """What a user should know before the first session; "" for nothing."""

    adapter: Adapter
    """Its dialect, and what each of its events can honour."""
    events: tuple[str, ...]
    """The events that an entry is written for, as the agent names them."""
    unseen: tuple[str, ...]
    """What no hook of this agent sees or can do."""
    absence: Absence | None
    """None where it asks nobody in any case, or where nothing is known about it."""
    trail: CallTrail
    reported_version: ReportedVersion | None
    """None where it says none: then its program is all that tells."""

    sign: AgentSign | None
    """How it is recognised behind Claude Code's entries; None where it never runs them."""
    reads_claude_settings: bool
    """Whether it runs Claude Code's entries beside its own."""
    imitates: str
    """The agent whose variables it sets beside its own, so that it has to be asked about first; "" for none."""

    folder: SettingsFolder
    named_files: Mapping[str, str]
    """Variable to the one file of that folder that it puts elsewhere."""
    files: Callable[[Wiring], tuple[AgentFile, ...]]
    """Everything that tells the agent about the dispatcher. Raises SettingsError for a plan that cannot be written."""
    mark: str
    """What is in the text of every entry of ours."""
    strict_events: frozenset[str]
    """Every event that it knows, where a settings file that names another one is ignored whole."""
    agreement: Agreement | None
    """None where it runs entries without asking."""
    switches: tuple[HookSwitch, ...]
    guards: tuple[str, ...]
    """What else in its folder decides whether hooks run: a folder stands for everything in it."""
    credentials: tuple[str, ...]
    """Files below home in which it keeps what it logs in with."""

    programs: tuple[str, ...]
    processes: tuple[str, ...]
    """How its process is recognised: by the name of its program, or, with a slash, by a piece of its script's path."""
    version_arguments: tuple[str, ...]
    """Make the program say its version."""
    command_line: CommandLine
    bypass: HookBypass

    shell_variables: tuple[str, ...]
    """Set for the commands that it runs: who finds one of them runs inside this agent."""
    session_variables: tuple[str, ...]
    """Those of them that hold the session's id, as it is in its events."""

    @property
    def variables(self) -> tuple[str, ...]:
        """Everything that moves a file of this agent."""
        return tuple(filter(None, (self.folder.variable, *self.named_files)))

    def locate_file(self, name: str, environment: UserEnvironment) -> Path:
        """Where a file of its folder is: in the folder, unless a variable names that very file."""
        for variable, file in self.named_files.items():
            # Such a variable moves this one file and wins over the one that moves the whole folder.
            if file == name and (named := environment.variables.get(variable)):
                return Path(named).absolute()
        return self.folder.locate(environment) / name

    def list_files(self, environment: UserEnvironment, plan: EntryPlan) -> tuple[AgentFile, ...]:
        """Every file that tells this agent about the dispatcher, where the environment puts it."""
        return self.files(Wiring(self, environment, plan))

    def iter_settings_files(self, environment: UserEnvironment, plan: EntryPlan) -> Iterator[SettingsFile]:
        """Those of its files that are its own or its user's, with entries of ours in them."""
        return (file for file in self.list_files(environment, plan) if isinstance(file, SettingsFile))
