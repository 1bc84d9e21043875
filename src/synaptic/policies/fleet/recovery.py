"""What a new context window is told about the ones before it."""

from collections.abc import Iterator, Mapping

import msgspec

from synaptic.model.layers import Effort, HandOver

FIELDS = (
    ("summary", "Summary"),
    ("lastAction", "Last Action"),
    ("nextSteps", "Next Steps"),
    ("handoverInstructions", "Handover"),
    ("userHistory", "User History"),
)


def payload_of(text: str | None) -> object:
    """A payload as it was given: an object where it is one, else its text."""
    if text is None:
        return None
    try:
        return msgspec.json.decode(text)
    # Whoever wrote the hand-over may have left plain text: better shown as it is than lost.
    except (msgspec.DecodeError, UnicodeEncodeError):
        return text


def recovered(effort: Effort, left: HandOver) -> str:
    """The payload, in words, with the files that it requires."""
    payload = payload_of(left.payload)
    said = payload if isinstance(payload, Mapping) else {"summary": payload}
    lines = ["## Session Recovery (Dehydrated Context)", *_place(effort)]
    for key, title in FIELDS:
        if text := _text(said.get(key)):
            lines += ["", f"### {title}", text]
    if left.files:
        lines += ["", "### Required Files", *_files(left.files)]
    return "\n".join(lines)


def rehydrated(effort: Effort, left: HandOver, log_end: str = "") -> str:
    """What there is without a payload: the effort's own files, and the end of its log; nothing when it has none."""
    if not left.artifacts:
        return ""
    lines = ["## Session Recovery (Artifacts)", *_place(effort)]
    lines += ["", "The window before this one left no summary. Read what the effort has written so far:"]
    lines += (f"- {path}" for path in left.artifacts)
    if log_end:
        lines += ["", "### The End Of The Log", log_end]
    return "\n".join(lines)


def _place(effort: Effort) -> tuple[str, ...]:
    return f"Session: {effort.task}", f"Skill: {effort.skill}", f"Phase: {effort.phase or 'none'}"


def _files(files: Mapping[str, str | None]) -> Iterator[str]:
    for path, text in files.items():
        yield f"[MISSING {path}]" if text is None else f"[{path}]\n{text.rstrip()}"


def _text(value: object) -> str:
    if isinstance(value, list | tuple):
        return "\n".join(f"- {_text(item)}" for item in value)
    if value is None or isinstance(value, str):
        return (value or "").strip()
    return msgspec.json.encode(value).decode()
