"""What a repository offers its agents: abilities, documents, actions that wait, and how often they were used."""

from typing import Any, ClassVar

from synaptic.hooks import abilities, knowledge
from synaptic.model.ability import Ability, SuggestedAbility
from synaptic.model.errors import SynapticError
from synaptic.store import follow_ups, usage
from synaptic.store.follow_ups import FollowUp
from synaptic.store.usage import UsageCount
from synaptic.work.command import CommandContext, RootCommand

ALL_DAYS = 3650


class SuggestAbilities(RootCommand[tuple[SuggestedAbility, ...]], frozen=True, kw_only=True):
    """The abilities that fit a request, best first, with the reason and how sure that is."""

    method: ClassVar[str] = "ability.suggest"

    text: str
    """What somebody wants, in their words."""
    most: int = 5
    """How many at most."""

    async def run(self, context: CommandContext) -> tuple[SuggestedAbility, ...]:
        return (await abilities.suggest_abilities(context.store, self.require_root(context), self.text))[: self.most]


class ListAbilities(RootCommand[tuple[Ability, ...]], frozen=True, kw_only=True):
    """Every ability that the repository describes."""

    method: ClassVar[str] = "ability.list"

    async def run(self, context: CommandContext) -> tuple[Ability, ...]:
        return tuple(one.ability for one in await abilities.load_abilities(context.store, self.require_root(context)))


class FindDocuments(RootCommand[tuple[dict[str, object], ...]], frozen=True, kw_only=True):
    """The documents that knowledge routing selects for an intent."""

    method: ClassVar[str] = "ability.documents"

    intent: dict[str, Any]
    """Its scope, topic and stage, or an intent in words."""

    def run(self, context: CommandContext) -> tuple[dict[str, object], ...]:
        found = knowledge.find_documents(self.require_root(context), self.intent)
        return knowledge.documents_to_items(found, str(self.intent.get("stage") or ""))


class ShowAbilityUsage(RootCommand[tuple[UsageCount, ...]], frozen=True, kw_only=True):
    """How often abilities were called, the most used first."""

    method: ClassVar[str] = "ability.usage"

    days: int = ALL_DAYS
    """How far back to look."""

    def run(self, context: CommandContext) -> tuple[UsageCount, ...]:
        return usage.read_ability_usage(context.store, self.require_root(context), self.days)


class ListFollowUps(RootCommand[tuple[FollowUp, ...]], frozen=True, kw_only=True):
    """Actions that hooks asked for and that wait, the oldest first."""

    method: ClassVar[str] = "ability.follow_ups"

    all: bool = False
    """Also what is done or dropped."""

    def run(self, context: CommandContext) -> tuple[FollowUp, ...]:
        return follow_ups.list_follow_ups(context.store, self.require_root(context), every=self.all)


class DropFollowUp(RootCommand[FollowUp], frozen=True, kw_only=True):
    """An action that waits no longer. It has no method: whether an action is carried out is a person's to say."""

    number: int
    """Its number in the list."""

    def run(self, context: CommandContext) -> FollowUp:
        found = find_follow_up(context, self.require_root(context), self.number)
        follow_ups.end_follow_up(context.require_durable_store(), found.root, found.id, "dropped")
        return found


def find_follow_up(context: CommandContext, root: str, number: int) -> FollowUp:
    """An action that waits. Raises SynapticError where none of this number does."""
    found = next((one for one in follow_ups.list_follow_ups(context.store, root) if one.id == number), None)
    if found is None:
        raise SynapticError(f"no action {number} waits here", hint="type: synaptic follow-ups list")
    return found
