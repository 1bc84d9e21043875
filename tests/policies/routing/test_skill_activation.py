"""What is offered, and in which order."""

from synaptic.model.ability import SuggestedAbility
from synaptic.model.event import UserPromptSubmit
from synaptic.policies.facts import Facts
from synaptic.policies.routing.skill_activation import SkillActivation


def offered(*suggestions: SuggestedAbility) -> list[str]:
    verdict = SkillActivation().check(UserPromptSubmit(prompt="do something"), Facts(suggestions=suggestions))
    return [item["id"] for item in verdict.result.suggested_abilities] if verdict and verdict.result else []


def one(name: str, confidence: float = 0.9, priority: str = "") -> SuggestedAbility:
    return SuggestedAbility(id=name, reason="r", confidence=confidence, priority=priority)


def test_a_small_set_is_offered():
    """S2-080"""
    assert offered(*(one(name) for name in "abcdef")) == ["a", "b", "c"]


def test_declared_priorities_come_first():
    """S2-082"""
    given = (one("low", priority="low"), one("plain"), one("critical", 0.7, "critical"))
    assert offered(*given) == ["critical", "low", "plain"]
