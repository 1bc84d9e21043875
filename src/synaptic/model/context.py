"""The contexts of an orchestrator, as it promises to send them: base fields never change, others may be added."""

from typing import Any, Literal

import msgspec

Stage = Literal["understand", "plan", "act", "review"]
Status = Literal["success", "failure", "skipped"]
Caller = Literal["ai_session", "background_job", "ci_pipeline", "manual_cli"]


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """What every context has. Fields that are not here are kept for the handlers."""

    event_type: str
    session_id: str
    timestamp: str
    repository_root: str | None = None
    stage: Stage | None = None
    caller: dict[str, Any] | None = None
    """`source`: ai_session, background_job, ci_pipeline or manual_cli."""
    environment: str | None = None


class UserPromptSubmitContext(Context, frozen=True, kw_only=True):
    """A prompt was submitted."""

    user_message: str
    files_touched: tuple[str, ...] = ()


class PreAbilityCallContext(Context, frozen=True, kw_only=True):
    """An ability is about to be called."""

    ability_id: str
    operation_key: str | None = None
    planned_input_summary: str | None = None


class PostAbilityCallContext(Context, frozen=True, kw_only=True):
    """An ability call has ended."""

    ability_id: str
    status: Status
    operation_key: str | None = None
    duration_ms: float | None = None
    input_summary: str | None = None
    output_summary: str | None = None
    tool_call_path: str | tuple[str, ...] | None = None
    error_message: str | None = None


class SessionStopContext(Context, frozen=True, kw_only=True):
    """A session is stopped on purpose."""

    changed_files: tuple[str, ...] = ()


CONTEXTS: dict[str, type[Context]] = {
    "UserPromptSubmit": UserPromptSubmitContext,
    "PreAbilityCall": PreAbilityCallContext,
    "PostAbilityCall": PostAbilityCallContext,
    "SessionStop": SessionStopContext,
}


def describe_fault(event: str, context: object) -> str:
    """How a context breaks its promise, with the key; nothing when it keeps it."""
    try:
        msgspec.convert(context, CONTEXTS.get(event, Context))
    except msgspec.ValidationError as error:
        return f"{event}: {error}"
    return ""
