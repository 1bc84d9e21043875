"""What each agent can honour, asked of the same tables and rules by which decisions are degraded."""

import msgspec

from synaptic.agents.base import Agent, Capability
from synaptic.agents.shared.degrade import degrade_decision
from synaptic.model.decision import Decision, Kind


class SupportAspect(msgspec.Struct, frozen=True):
    """One thing that a policy may want, on the event where it wants it."""

    name: str
    event: str
    wish: Decision


class AspectSupport(msgspec.Struct, frozen=True):
    """Whether an agent honours an aspect."""

    aspect: str
    can: bool
    instead: str = ""
    """What happens where it does not."""


SUPPORT_ASPECTS = (
    SupportAspect("deny", "PreToolUse", Decision(kind=Kind.DENY, reason="why")),
    SupportAspect("ask", "PreToolUse", Decision(kind=Kind.ASK, reason="why")),
    SupportAspect("rewrite", "PreToolUse", Decision(kind=Kind.REWRITE, input={"command": "true"})),
    SupportAspect("advise before", "PreToolUse", Decision(kind=Kind.ADVISE, context=("hint",))),
    SupportAspect("advise after", "PostToolUse", Decision(kind=Kind.ADVISE, context=("hint",))),
    SupportAspect("prompt block", "UserPromptSubmit", Decision(kind=Kind.DENY, reason="why")),
    SupportAspect("stop", "Stop", Decision(feedback=("go on",))),
    SupportAspect("session start", "SessionStart", Decision(kind=Kind.ADVISE, context=("hint",))),
)


def assess_agent(agent: Agent) -> tuple[AspectSupport, ...]:
    """Every aspect, for one agent."""
    events = {agent.adapter.to_canonical(event) for event in agent.events}
    return tuple(_assess_aspect(agent, aspect, events) for aspect in SUPPORT_ASPECTS)


def _assess_aspect(agent: Agent, aspect: SupportAspect, events: set[str]) -> AspectSupport:
    if aspect.event not in events:
        return AspectSupport(aspect.name, False, "the agent has no such event")
    instead = _describe_instead(aspect.wish, agent.adapter.get_capability(aspect.event), agent.name)
    if instead and aspect.wish.context and not _carries_context(agent):
        instead = "only in the journal: no event of this agent carries text to the model"
    return AspectSupport(aspect.name, not instead, instead)


def _carries_context(agent: Agent) -> bool:
    return any(agent.adapter.get_capability(event).context for event in agent.events)


def _describe_instead(wish: Decision, can: Capability, agent: str) -> str:
    """Describe what happens instead of a wish, by running the real rules; "" when it is honoured."""
    notes = (step.note for step in degrade_decision(wish, can, agent).trace if step.phase == "degraded")
    return ", ".join(note.partition(": ")[2] or note for note in notes)
