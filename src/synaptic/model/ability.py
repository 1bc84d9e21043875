"""What an agent can be offered: abilities of a repository, how they are found again, and what is suggested."""

from collections.abc import Mapping

import msgspec

STAGES = ("understand", "plan", "act", "review")


class Ability(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One ability as a file of the repository describes it."""

    id: str
    summary: str = ""
    keywords: tuple[str, ...] = ()
    negative_keywords: tuple[str, ...] = ()
    """A request that holds one of them is about something else."""
    intent_patterns: tuple[str, ...] = ()
    """Regular expressions over the request."""
    scopes: tuple[str, ...] = ()
    operation_key: str = ""
    kind: str = ""
    """workflow, agent, skill, script: for people."""
    level: str = ""
    """`high` is preferred where two fit equally; `low` is the other way round."""
    priority: str = ""
    """critical, high, medium or low: the order in which suggestions are shown."""
    source: str = ""
    """The file that describes it, relative to the repository."""


class IndexedAbility(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An ability with its words, reduced to their stems."""

    ability: Ability
    name: tuple[str, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()
    """One per keyword."""
    summary: tuple[str, ...] = ()
    other: tuple[str, ...] = ()
    """Words of scopes, of the operation key and of intent patterns."""


class AbilityCandidate(msgspec.Struct, frozen=True):
    """An ability that shares words with a request, and how well it does so by BM25 (more is better)."""

    indexed: IndexedAbility
    score: float


class AbilityMatches(msgspec.Struct, frozen=True):
    """The candidates for a request, and in how many abilities of the pool each word of it occurs."""

    candidates: tuple[AbilityCandidate, ...] = ()
    counts: Mapping[str, int] = {}
    size: int = 0


class SuggestedAbility(msgspec.Struct, frozen=True, kw_only=True):
    """One ability that fits a request, why, and how sure that is."""

    id: str
    reason: str
    confidence: float
    summary: str = ""
    kind: str = ""
    priority: str = ""
    source: str = ""
