"""What happened: one frozen class per event, canonical names and fields as Claude Code sends them.

An event nobody knows is an `Unknown`; a field nobody knows stays in `Call.payload`. `SUBJECT` names the field a
matcher looks at, `TIMING` says whether an answer can still influence the act.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, ClassVar

import msgspec

from synaptic.model.once import computed_once
from synaptic.model.tool import Input, Tool


class Timing(StrEnum):
    """When an event is told: only `BEFORE` may influence the act, `STOP` may ask to go on."""

    BEFORE = "before"
    AFTER = "after"
    STOP = "stop"
    OBSERVE = "observe"


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """Fields that every event may carry."""

    TIMING: ClassVar[Timing] = Timing.OBSERVE
    SUBJECT: ClassVar[str] = ""

    hook_event_name: str = ""
    session_id: str = ""
    transcript_path: str = ""
    cwd: str = ""
    prompt_id: str = ""
    permission_mode: str = ""
    agent_id: str = ""
    agent_type: str = ""

    @property
    def subject(self) -> str:
        """The text that a matcher is compared with; empty when this event has none."""
        return str(getattr(self, self.SUBJECT)) if self.SUBJECT else ""

    @property
    def roles(self) -> tuple[str, ...]:
        """Further subjects that the event has for built-in policies, by what it carries."""
        return ()


class Unknown(Event, frozen=True, kw_only=True):
    """An event of a newer agent: passed through, never a reason to fail."""


class ToolEvent(Event, frozen=True, kw_only=True, dict=True):
    """An event about one tool call."""

    SUBJECT: ClassVar[str] = "tool_name"

    tool_name: str = ""
    tool_input: dict[str, Any] = {}
    tool_use_id: str = ""

    @computed_once
    def tool(self) -> Tool:
        return Tool(self.tool_name, self.tool_input)

    @property
    def roles(self) -> tuple[str, ...]:
        return self.tool.roles

    def with_input(self, new: Input) -> "ToolEvent":
        """The same event about a rewritten call."""
        return msgspec.structs.replace(self, tool_input=dict(new))


class PreToolUse(ToolEvent, frozen=True, kw_only=True):
    """A tool is about to run."""

    TIMING: ClassVar[Timing] = Timing.BEFORE


class PostToolUse(ToolEvent, frozen=True, kw_only=True):
    """A tool ran and succeeded."""

    TIMING: ClassVar[Timing] = Timing.AFTER

    tool_response: object = None
    duration_ms: float = 0


class PostToolUseFailure(ToolEvent, frozen=True, kw_only=True):
    """A tool failed or was interrupted."""

    TIMING: ClassVar[Timing] = Timing.AFTER

    error: str = ""
    is_interrupt: bool = False
    duration_ms: float = 0


class PostToolBatch(Event, frozen=True, kw_only=True):
    """All tools of one model turn have ended."""

    TIMING: ClassVar[Timing] = Timing.AFTER

    tool_calls: tuple[dict[str, Any], ...] = ()


class PermissionRequest(ToolEvent, frozen=True, kw_only=True):
    """The agent is about to ask the user for permission."""

    TIMING: ClassVar[Timing] = Timing.BEFORE

    permission_suggestions: tuple[dict[str, Any], ...] = ()


class PermissionDenied(ToolEvent, frozen=True, kw_only=True):
    """The agent's own classifier refused a tool."""

    TIMING: ClassVar[Timing] = Timing.AFTER

    reason: str = ""


class UserPromptSubmit(Event, frozen=True, kw_only=True):
    """A prompt was submitted and has not reached the model yet."""

    TIMING: ClassVar[Timing] = Timing.BEFORE

    prompt: str = ""
    source: str = ""
    session_title: str = ""


class UserPromptExpansion(Event, frozen=True, kw_only=True):
    """A slash command or MCP prompt is about to be expanded."""

    TIMING: ClassVar[Timing] = Timing.BEFORE
    SUBJECT: ClassVar[str] = "command_name"

    expansion_type: str = ""
    command_name: str = ""
    command_args: str = ""
    command_source: str = ""
    prompt: str = ""


class SessionStart(Event, frozen=True, kw_only=True):
    """A context window opens."""

    SUBJECT: ClassVar[str] = "source"

    source: str = ""
    model: str = ""
    session_title: str = ""


class Setup(Event, frozen=True, kw_only=True):
    """The agent was started to set up or maintain a project."""

    SUBJECT: ClassVar[str] = "trigger"

    trigger: str = ""


class SessionEnd(Event, frozen=True, kw_only=True):
    """A session is over."""

    SUBJECT: ClassVar[str] = "reason"

    reason: str = ""


class Stop(Event, frozen=True, kw_only=True):
    """The agent wants to end its turn."""

    TIMING: ClassVar[Timing] = Timing.STOP

    stop_hook_active: bool = False
    last_assistant_message: str = ""
    background_tasks: tuple[dict[str, Any], ...] = ()
    session_crons: tuple[dict[str, Any], ...] = ()


class StopFailure(Event, frozen=True, kw_only=True):
    """The turn ended with an API error."""

    SUBJECT: ClassVar[str] = "error"

    error: str = ""
    error_details: str = ""
    last_assistant_message: str = ""


class SubagentStart(Event, frozen=True, kw_only=True):
    """A sub-agent starts."""

    SUBJECT: ClassVar[str] = "agent_type"


class SubagentStop(Stop, frozen=True, kw_only=True):
    """A sub-agent wants to end."""

    SUBJECT: ClassVar[str] = "agent_type"

    agent_transcript_path: str = ""


class TeammateIdle(Event, frozen=True, kw_only=True):
    """A teammate has nothing left to do."""

    TIMING: ClassVar[Timing] = Timing.STOP

    teammate_name: str = ""
    team_name: str = ""


class TaskEvent(Event, frozen=True, kw_only=True):
    """An event about one task of the agent's own list."""

    TIMING: ClassVar[Timing] = Timing.BEFORE

    task_id: str = ""
    task_subject: str = ""
    task_description: str = ""
    teammate_name: str = ""
    team_name: str = ""


class TaskCreated(TaskEvent, frozen=True, kw_only=True):
    """A task is about to be created."""


class TaskCompleted(TaskEvent, frozen=True, kw_only=True):
    """A task is about to be marked as completed."""


class PreCompact(Event, frozen=True, kw_only=True):
    """The context is about to be compacted."""

    TIMING: ClassVar[Timing] = Timing.BEFORE
    SUBJECT: ClassVar[str] = "trigger"

    trigger: str = ""
    custom_instructions: str | None = None


class PostCompact(Event, frozen=True, kw_only=True):
    """The context was compacted."""

    TIMING: ClassVar[Timing] = Timing.AFTER
    SUBJECT: ClassVar[str] = "trigger"

    trigger: str = ""
    compact_summary: str = ""


class ModelSwitch(Event, frozen=True, kw_only=True):
    """An event about a change of the model."""

    SUBJECT: ClassVar[str] = "to_model"

    from_model: str = ""
    to_model: str = ""
    requested_model: str | None = None
    source: str = ""
    context_tokens: int = 0
    prompt_cache_warm: bool = False


class PreModelSwitch(ModelSwitch, frozen=True, kw_only=True):
    """The model is about to change."""

    TIMING: ClassVar[Timing] = Timing.BEFORE


class PostModelSwitch(ModelSwitch, frozen=True, kw_only=True):
    """The model has changed."""

    TIMING: ClassVar[Timing] = Timing.AFTER


class Notification(Event, frozen=True, kw_only=True):
    """The agent tells its user something."""

    SUBJECT: ClassVar[str] = "notification_type"

    message: str = ""
    title: str = ""
    notification_type: str = ""


class Elicitation(Event, frozen=True, kw_only=True):
    """An MCP server wants an answer from the user."""

    TIMING: ClassVar[Timing] = Timing.BEFORE
    SUBJECT: ClassVar[str] = "mcp_server_name"

    mcp_server_name: str = ""
    message: str = ""
    mode: str = ""
    url: str = ""
    elicitation_id: str = ""
    requested_schema: dict[str, Any] = {}


class ElicitationResult(Event, frozen=True, kw_only=True):
    """The user's answer is about to go to an MCP server."""

    TIMING: ClassVar[Timing] = Timing.BEFORE
    SUBJECT: ClassVar[str] = "mcp_server_name"

    mcp_server_name: str = ""
    elicitation_id: str = ""
    mode: str = ""
    action: str = ""
    content: dict[str, Any] = {}


class ConfigChange(Event, frozen=True, kw_only=True):
    """A settings file changed and is about to take effect."""

    TIMING: ClassVar[Timing] = Timing.BEFORE
    SUBJECT: ClassVar[str] = "source"

    source: str = ""
    file_path: str = ""


class WorktreeCreate(Event, frozen=True, kw_only=True):
    """The agent wants a worktree; whoever listens must create it."""

    TIMING: ClassVar[Timing] = Timing.BEFORE

    name: str = ""


class WorktreeRemove(Event, frozen=True, kw_only=True):
    """The agent is done with a worktree."""

    worktree_path: str = ""


class InstructionsLoaded(Event, frozen=True, kw_only=True):
    """An instructions file was loaded."""

    SUBJECT: ClassVar[str] = "load_reason"

    file_path: str = ""
    memory_type: str = ""
    load_reason: str = ""
    globs: tuple[str, ...] = ()
    trigger_file_path: str = ""
    parent_file_path: str = ""


class CwdChanged(Event, frozen=True, kw_only=True):
    """The working directory moved."""

    old_cwd: str = ""
    new_cwd: str = ""


class FileChanged(Event, frozen=True, kw_only=True):
    """A watched file changed."""

    SUBJECT: ClassVar[str] = "basename"

    file_path: str = ""
    event: str = ""

    @property
    def basename(self) -> str:
        return self.file_path.rpartition("/")[2]


class DirectoryAdded(Event, frozen=True, kw_only=True):
    """A directory was added to the workspace."""

    SUBJECT: ClassVar[str] = "source"

    directory: str = ""
    source: str = ""


class MessageDisplay(Event, frozen=True, kw_only=True):
    """A piece of the model's text is about to be shown."""

    turn_id: str = ""
    message_id: str = ""
    index: int = 0
    final: bool = False
    delta: str = ""


class AbilityEvent(Event, frozen=True, kw_only=True):
    """An event of an orchestrator's ability call."""

    SUBJECT: ClassVar[str] = "ability_id"

    ability_id: str = ""
    operation_key: str = ""
    stage: str = ""
    timestamp: str = ""
    repository_root: str = ""


class PreAbilityCall(AbilityEvent, frozen=True, kw_only=True):
    """An ability is about to be called."""

    TIMING: ClassVar[Timing] = Timing.BEFORE

    planned_input_summary: str = ""


class PostAbilityCall(AbilityEvent, frozen=True, kw_only=True):
    """An ability call has ended."""

    TIMING: ClassVar[Timing] = Timing.AFTER

    status: str = ""
    duration_ms: float | None = None
    input_summary: str = ""
    output_summary: str = ""
    tool_call_path: str = ""


class SessionStop(Event, frozen=True, kw_only=True):
    """A session is stopped on purpose."""

    TIMING: ClassVar[Timing] = Timing.AFTER

    changed_files: tuple[str, ...] = ()
    stage: str = ""
    timestamp: str = ""
    repository_root: str = ""


CLAUDE_EVENTS: tuple[type[Event], ...] = (
    PreToolUse, PostToolUse, PostToolUseFailure, PostToolBatch, Notification, UserPromptSubmit, UserPromptExpansion,
    SessionStart, SessionEnd, Stop, StopFailure, SubagentStart, SubagentStop, PreCompact, PostCompact, PreModelSwitch,
    PostModelSwitch, PermissionRequest, PermissionDenied, Setup, TeammateIdle, TaskCreated, TaskCompleted, Elicitation,
    ElicitationResult, ConfigChange, WorktreeCreate, WorktreeRemove, InstructionsLoaded, CwdChanged, FileChanged,
    DirectoryAdded, MessageDisplay,
)  # fmt: skip
ABILITY_EVENTS: tuple[type[Event], ...] = (PreAbilityCall, PostAbilityCall, SessionStop)
EVENTS: Mapping[str, type[Event]] = {kind.__name__: kind for kind in CLAUDE_EVENTS + ABILITY_EVENTS}
