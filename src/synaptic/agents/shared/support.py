"""What each agent can honour, asked of the same tables and rules by which decisions are degraded."""

import msgspec

from synaptic.agents.base import Agent, Capability
from synaptic.agents.shared.degrade import degraded
from synaptic.model.decision import Decision, Kind


class Aspect(msgspec.Struct, frozen=True):
    """One thing that a policy may want, on the event where it wants it."""

    name: str
    event: str
    wish: Decision


class Ability(msgspec.Struct, frozen=True):
    """Whether an agent honours an aspect."""

    aspect: str
    can: bool
    instead: str = ""
    """What happens where it does not."""


ASPECTS = (
    Aspect("deny", "PreToolUse", Decision(kind=Kind.DENY, reason="why")),
    Aspect("ask", "PreToolUse", Decision(kind=Kind.ASK, reason="why")),
    Aspect("rewrite", "PreToolUse", Decision(kind=Kind.REWRITE, input={"command": "true"})),
    Aspect("advise before", "PreToolUse", Decision(kind=Kind.ADVISE, context=("hint",))),
    Aspect("advise after", "PostToolUse", Decision(kind=Kind.ADVISE, context=("hint",))),
    Aspect("prompt block", "UserPromptSubmit", Decision(kind=Kind.DENY, reason="why")),
    Aspect("stop", "Stop", Decision(feedback=("go on",))),
    Aspect("session start", "SessionStart", Decision(kind=Kind.ADVISE, context=("hint",))),
)


def abilities(agent: Agent) -> tuple[Ability, ...]:
    """Every aspect, for one agent."""
    events = {agent.adapter.canonical(event) for event in agent.events}
    return tuple(_ability(agent, aspect, events) for aspect in ASPECTS)


def _ability(agent: Agent, aspect: Aspect, events: set[str]) -> Ability:
    if aspect.event not in events:
        return Ability(aspect.name, False, "the agent has no such event")
    instead = _instead(aspect.wish, agent.adapter.capability(aspect.event), agent.name)
    if instead and aspect.wish.context and not _carries_context(agent):
        instead = "only in the journal: no event of this agent carries text to the model"
    return Ability(aspect.name, not instead, instead)


def _carries_context(agent: Agent) -> bool:
    return any(agent.adapter.capability(event).context for event in agent.events)


def _instead(wish: Decision, can: Capability, agent: str) -> str:
    """Describe what happens instead of a wish, by running the real rules; "" when it is honoured."""
    notes = (step.note for step in degraded(wish, can, agent).trace if step.phase == "degraded")
    return ", ".join(note.partition(": ")[2] or note for note in notes)
