"""The event as it arrived, what the repository offers for a prompt, and how often an ability was used."""

from collections.abc import Mapping

from synaptic.facts.gather import EngineMeans, Gatherer
from synaptic.hooks import abilities
from synaptic.model.ability import Suggested
from synaptic.model.call import Call
from synaptic.model.errors import StoreError
from synaptic.model.event import AbilityEvent, UserPromptSubmit
from synaptic.store import usage

MOST = 8


async def payload(call: Call, means: EngineMeans) -> Mapping[str, object]:
    """The whole payload, as it arrived."""
    return call.payload


async def suggestions(call: Call, means: EngineMeans) -> tuple[Suggested, ...]:
    """Abilities that fit a prompt. Other events get none, so that no tool call waits for a search."""
    if not isinstance(call.event, UserPromptSubmit):
        return ()
    try:
        return (await abilities.suggest(means.store, call.root, call.event.prompt))[:MOST]
    except (StoreError, OSError):
        return ()


async def ability_calls(call: Call, means: EngineMeans) -> int:
    """How often this project has called the ability."""
    if not isinstance(call.event, AbilityEvent):
        return 0
    try:
        return usage.calls(means.store, call.root, call.event.ability_id)
    except StoreError:
        return 0


FACTS: Mapping[str, Gatherer] = {"payload": payload, "suggestions": suggestions, "ability_calls": ability_calls}
