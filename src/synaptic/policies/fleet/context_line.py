"""The context line beside a prompt: task, skill, phase, heartbeat and usage."""

from datetime import UTC, datetime

from synaptic.model.layers import BLOCK_AFTER, Effort, Session


def format_heartbeat(effort: Effort | None, session: Session | None) -> str:
    """Calls since the last log, and how many there may be."""
    return f"{session.heartbeat if session else 0}/{effort.limit if effort else BLOCK_AFTER}"


def format_context_line(effort: Effort, session: Session | None, now: float) -> str:
    """Time, task, skill, phase, heartbeat, and how full the context is where that is known."""
    parts = [
        f"[Session Context] Time: {_format_time(now)}",
        f"Session: {effort.task}",
        f"Skill: {effort.skill}",
        f"Phase: {effort.phase or 'none'}",
        f"Heartbeat: {format_heartbeat(effort, session)}",
    ]
    if session and session.usage is not None:
        parts.append(f"Context: {session.usage:.0%}")
    return " | ".join(parts)


def _format_time(now: float) -> str:
    return datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
