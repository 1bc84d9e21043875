"""Tool calls in a transcript of Claude Code."""

from collections.abc import Iterator
from typing import Any

from synaptic.agents.base import TranscriptStep
from synaptic.agents.shared.transcripts import as_object, read_json_line, read_stamp


def read_transcript_line(line: bytes) -> tuple[TranscriptStep, ...]:
    """The calls that a line of the model begins, or the results that a line to the model holds."""
    found = read_json_line(line, b'"tool_use"', b'"tool_result"')
    return tuple(_read_steps(found)) if found.get("type") in ("assistant", "user") else ()


def _read_steps(found: dict[str, Any]) -> Iterator[TranscriptStep]:
    at, content = read_stamp(found.get("timestamp")), as_object(found.get("message")).get("content")
    for piece in map(as_object, content if isinstance(content, list) else ()):
        if piece.get("type") == "tool_use" and isinstance(piece.get("id"), str):
            yield TranscriptStep(piece["id"], str(piece.get("name", "")), at)
        elif piece.get("type") == "tool_result" and isinstance(piece.get("tool_use_id"), str):
            yield TranscriptStep(piece["tool_use_id"], at=at, has_run=_has_run(found, piece))


def _has_run(found: dict[str, Any], result: dict[str, Any]) -> bool:
    """A result that is no error is one of a tool; an error is one where the agent says that the call was permitted."""
    if not result.get("is_error"):
        return True
    return "toolDenialKind" not in found and as_object(found.get("permissionDecision")).get("decision") == "accept"
