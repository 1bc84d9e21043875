"""The event as it arrived, what the repository offers for a prompt, and how often an ability was used."""

from collections.abc import Mapping

from synaptic.facts.gather import EngineMeans, Gatherer
from synaptic.hooks import abilities
from synaptic.model.ability import SuggestedAbility
from synaptic.model.call import Call
from synaptic.model.errors import StoreError
from synaptic.model.event import AbilityEvent, UserPromptSubmit
from synaptic.store import usage

MAX_SUGGESTIONS = 8


async def gather_payload(call: Call, means: EngineMeans) -> Mapping[str, object]:
    """The whole payload, as it arrived."""
    return call.payload


async def gather_suggestions(call: Call, means: EngineMeans) -> tuple[SuggestedAbility, ...]:
    """Abilities that fit a prompt. Other events get none, so that no tool call waits for a search."""
    if not isinstance(call.event, UserPromptSubmit):
        return ()
    try:
        return (await abilities.suggest_abilities(means.store, call.root, call.event.prompt))[:MAX_SUGGESTIONS]
    except (StoreError, OSError):
        return ()


async def gather_ability_calls(call: Call, means: EngineMeans) -> int:
    """How often this project has called the ability."""
    if not isinstance(call.event, AbilityEvent):
        return 0
    try:
        return usage.count_calls(means.store, call.root, call.event.ability_id)
    except StoreError:
        return 0


FACTS: Mapping[str, Gatherer] = {
    "payload": gather_payload,
    "suggestions": gather_suggestions,
    "ability_calls": gather_ability_calls,
}
