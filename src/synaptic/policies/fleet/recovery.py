"""What a new context window is told about the ones before it."""

from collections.abc import Iterator, Mapping

import msgspec

from synaptic.model.layers import Effort, HandOver

PAYLOAD_FIELDS = (
    ("summary", "Summary"),
    ("lastAction", "Last Action"),
    ("nextSteps", "Next Steps"),
    ("handoverInstructions", "Handover"),
    ("userHistory", "User History"),
)


def decode_payload(text: str | None) -> object:
    """A payload as it was given: an object where it is one, else its text."""
    if text is None:
        return None
    try:
        return msgspec.json.decode(text)
    # Whoever wrote the hand-over may have left plain text: better shown as it is than lost.
    except (msgspec.DecodeError, UnicodeEncodeError):
        return text


def describe_hand_over(effort: Effort, left: HandOver) -> str:
    """The payload, in words, with the files that it requires."""
    payload = decode_payload(left.payload)
    said = payload if isinstance(payload, Mapping) else {"summary": payload}
    lines = ["## Session Recovery (Dehydrated Context)", *_describe_place(effort)]
    for key, title in PAYLOAD_FIELDS:
        if text := _format_value(said.get(key)):
            lines += ["", f"### {title}", text]
    if left.files:
        lines += ["", "### Required Files", *_format_files(left.files)]
    return "\n".join(lines)


def describe_artifacts(effort: Effort, left: HandOver, log_end: str = "") -> str:
    """What there is without a payload: the effort's own files, and the end of its log; nothing when it has none."""
    if not left.artifacts:
        return ""
    lines = ["## Session Recovery (Artifacts)", *_describe_place(effort)]
    lines += ["", "The window before this one left no summary. Read what the effort has written so far:"]
    lines += (f"- {path}" for path in left.artifacts)
    if log_end:
        lines += ["", "### The End Of The Log", log_end]
    return "\n".join(lines)


def _describe_place(effort: Effort) -> tuple[str, ...]:
    return f"Session: {effort.task}", f"Skill: {effort.skill}", f"Phase: {effort.phase or 'none'}"


def _format_files(files: Mapping[str, str | None]) -> Iterator[str]:
    for path, text in files.items():
        yield f"[MISSING {path}]" if text is None else f"[{path}]\n{text.rstrip()}"


def _format_value(value: object) -> str:
    if isinstance(value, list | tuple):
        return "\n".join(f"- {_format_value(item)}" for item in value)
    if value is None or isinstance(value, str):
        return (value or "").strip()
    return msgspec.json.encode(value).decode()
