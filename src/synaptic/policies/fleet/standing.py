"""Which agent an event belongs to, and the effect that sets that agent's status."""

from synaptic.model.event import Event
from synaptic.model.layers import SetStatus, Status
from synaptic.policies.facts import Facts

MAX_NOTE_LENGTH = 200


def find_agent_key(event: Event, facts: Facts) -> str:
    """The agent's key: its AGENT_ID, or its window where it has none."""
    return facts.agent_name or event.session_id


def build_status(event: Event, facts: Facts, now: Status, note: str = "") -> SetStatus | None:
    """The agent's new status; None for a sub-agent, and for a window without a name in a project nobody knows."""
    name = find_agent_key(event, facts)
    if event.agent_id or not name or not (facts.agent_name or facts.layers.project):
        return None
    effort = facts.layers.effort
    return SetStatus(
        agent=name,
        status=now,
        kind=facts.agent,
        named=bool(facts.agent_name),
        host=event.session_id,
        project=_find_project(facts),
        effort=effort.id if effort else None,
        note=shorten_line(note),
    )


def _find_project(facts: Facts) -> str:
    """The project's root where it is new or certain: a folder inside a known project is no project of its own."""
    effort = facts.layers.effort
    certain = effort is not None and effort.task.startswith(f"{facts.root}/")
    return facts.root if certain or facts.layers.project is None else ""


def shorten_line(text: str) -> str:
    """The beginning of a text, in one line."""
    # Cut before it is split: an error text may be megabytes long.
    line = " ".join(text[: MAX_NOTE_LENGTH * 4].split())
    return line if len(line) <= MAX_NOTE_LENGTH else f"{line[: MAX_NOTE_LENGTH - 1]}…"
