"""An effort in words, for the agent or person who has just started or resumed it."""

from collections.abc import Iterable

from synaptic.model.layers import HandOver
from synaptic.policies.fleet.recovery import recovered
from synaptic.work.efforts import Begun, declared, next_skills
from synaptic.work.layer_views import payload_view
from synaptic.work.phases import expected

NONE = "(none)"


def begun_text(begun: Begun) -> str:
    """What is going on now, where it is written down, and what may be read first."""
    effort, window = begun.effort, begun.window
    verb = "resumed" if begun.resumed else "started"
    session = f"session {window.session}" if window.opened else f"session {window.session}, still open"
    mode = f", mode {effort.mode}" if effort.mode else ""
    parts = [
        f"Effort {effort.id} {verb}: {effort.skill}{mode} (number {effort.ordinal} of {effort.task}), {session}.",
        f"Log: {effort.artifact('log')}",
        _phases(begun),
        _list("Prior debriefs", begun.debriefs),
    ]
    if begun.resumed:
        parts.append(_list("Artifacts", begun.artifacts))
    parts.append(f"Next skills: {', '.join(next_skills(begun)) or NONE}")
    if window.payload is not None:
        parts.append(recovered(effort, HandOver(payload=window.payload)))
        parts.append(_list("\nRequired files", _required(window.payload)))
    return "\n".join(parts)


def _phases(begun: Begun) -> str:
    phases, now = declared(begun.effort), begun.effort.phase
    if not phases:
        file = "declares none" if begun.skill else "has no SKILL.md here"
        return f"Phase: {now or 'none'} (the skill {file}: any label goes)"
    ahead = expected(phases, now)
    return f"Phase: {now or 'none'}, next {ahead!r} ({'; '.join(phases)})" if ahead else f"Phase: {now} (the last one)"


def _required(payload: str) -> tuple[str, ...]:
    told = payload_view(payload)
    files = told.get("requiredFiles") if isinstance(told, dict) else None
    return tuple(map(str, files)) if isinstance(files, list) else ()


def _list(title: str, paths: Iterable[str]) -> str:
    lines = [f"- {path}" for path in paths]
    return "\n".join((f"{title}:", *lines)) if lines else f"{title}: {NONE}"
