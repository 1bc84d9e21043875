"""Abilities that fit what the user just asked for."""

from synaptic.model.ability import SuggestedAbility
from synaptic.model.decision import Verdict
from synaptic.model.event import UserPromptSubmit
from synaptic.model.result import HookResult
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.prompt import is_typed
from synaptic.policies.routing.sections import ROUTING

PRIORITIES = ("critical", "high", "medium", "low")


class SkillActivation(Policy):
    """Abilities of the repository that nobody thinks of.

    ## What it does
    Compares a prompt with the abilities and skills that the repository describes, and offers the few that fit, each
    with its reason and how sure that is. The model hears of each once a session. It validates and chooses by itself:
    nothing is ever executed.
    ## Why
    An ability that is not remembered is not used, and the model writes by hand what is there already.
    ## Known gaps
    Words are compared, with what they commonly stand for, not meanings. English is understood best. A hook of your own
    on UserPromptSubmit may answer `suggested_abilities`: both are merged, the higher confidence counts.
    """

    id = "routing.skill-activation"
    events = (UserPromptSubmit,)
    priority = 62
    preset = "routing"
    needs = ("suggestions", ROUTING)

    most: int = 3
    """Abilities that are offered at once."""
    confidence: float = 0.6
    """What is less sure is not offered."""

    def check(self, event: UserPromptSubmit, facts: Facts) -> Verdict | None:
        if not is_typed(event.prompt, event.source):
            return None
        told = facts.state.read_items(ROUTING, "told")
        fitting = [one for one in facts.suggestions if one.confidence >= self.confidence]
        new = [one for one in fitting if f"ability:{one.id}" not in told][: self.most]
        if not new:
            return None
        ordered = sorted(new, key=_rank_suggestion)
        message = _format_message(ordered[0])
        items = tuple(_suggestion_to_item(one) for one in ordered)
        result = HookResult(suggested_abilities=items, messages_to_user=(message,))
        return Verdict(messages=(message,), result=result)


def _rank_suggestion(one: SuggestedAbility) -> tuple[int, float]:
    """Declared priorities first, then how sure it is."""
    return (PRIORITIES.index(one.priority) if one.priority else len(PRIORITIES), -one.confidence)


def _suggestion_to_item(one: SuggestedAbility) -> dict[str, object]:
    item = {"id": one.id, "reason": one.reason, "confidence": one.confidence}
    extra = {"summary": one.summary, "priority": one.priority, "source": one.source}
    return item | {key: value for key, value in extra.items() if value}


def _format_message(one: SuggestedAbility) -> str:
    kind = f"{one.kind} " if one.kind and one.kind != "ability" else ""
    about = f": {one.summary}" if one.summary else ""
    return f"You can use the {one.id} {kind}ability{about}"
