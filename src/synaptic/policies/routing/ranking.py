"""Which ability a request means: words weighed by how rare they are, phrases, patterns, and how sure that is."""

import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice

import msgspec

from synaptic.model.ability import Ability, AbilityCandidate, AbilityMatches, IndexedAbility, SuggestedAbility
from synaptic.model.pattern import LinearPattern, SlowPattern
from synaptic.policies.routing.terms import MAX_TERMS_TEXT, extract_terms, map_stems
from synaptic.policies.routing.thesaurus import find_related

EXACT, NEAR, KEYWORD = 1.0, 0.6, 0.9
"""What a word counts that the ability has, one that only means the same, and a keyword instead of a name."""
UNKNOWN = 0.25
"""What a word counts that no ability has, as a share of the rarest one: people say more than they ask for."""
BASE, SCORE, MARGIN = -5.2, 8.5, 14.0
"""Of the logistic curve from score and margin to a probability, fitted to the requests in the tests."""
EQUAL_SCORES = 0.01
MAX_SUGGESTIONS = 12
"""Suggestions that anybody could want to see."""
MAX_TERMS = 48
LITERAL = re.compile(r"(?<!\\)[^\W\d_]{3,}")


class AbilityRequest(msgspec.Struct, frozen=True):
    """A request: its text, and the stems of its words with the words themselves."""

    text: str
    words: Mapping[str, str]

    @property
    def terms(self) -> tuple[str, ...]:
        return tuple(self.words)

    @property
    def near(self) -> tuple[str, ...]:
        """Stems that may be meant as well."""
        others = (other for term in self.words for other in sorted(find_related(term)))
        return tuple(other for other in dict.fromkeys(others) if other not in self.words)


class AbilityFit(msgspec.Struct, frozen=True):
    """How one ability fits a request, each part between 0 and 1."""

    indexed: IndexedAbility
    coverage: float
    """The share of the request, by weight, that the ability is about."""
    precision: float
    """The share of the ability's name that the request is about."""
    bm25: float
    phrase: float
    """A whole keyword, or an intent pattern."""
    matched: tuple[str, ...]

    @property
    def score(self) -> float:
        level = {"high": 0.02, "low": -0.02}.get(self.indexed.ability.level, 0.0)
        return 0.50 * self.coverage + 0.30 * self.precision + 0.10 * self.bm25 + 0.10 * self.phrase + level


def parse_request(text: str) -> AbilityRequest:
    """A request as it is searched for."""
    return AbilityRequest(text[:MAX_TERMS_TEXT], dict(islice(map_stems(text).items(), MAX_TERMS)))


def index_ability(ability: Ability) -> IndexedAbility:
    """An ability as it is searched in."""
    literals = " ".join(" ".join(LITERAL.findall(pattern)) for pattern in ability.intent_patterns)
    return IndexedAbility(
        ability=ability,
        name=extract_terms(ability.id),
        phrases=tuple(phrase for keyword in ability.keywords if (phrase := extract_terms(keyword))),
        summary=extract_terms(ability.summary),
        other=extract_terms(f"{' '.join(ability.scopes)} {ability.operation_key} {literals}"),
    )


def rank_abilities(request: AbilityRequest, found: AbilityMatches) -> tuple[SuggestedAbility, ...]:
    """The abilities that fit, best first, each with its reason and how sure that is."""
    kept = [one for one in found.candidates if not is_excluded(request.text, one.indexed.ability)]
    # `or 1.0`: scores are divided by the best one, which is zero when nothing matched by text.
    scale = _RequestScale(request, found, max((candidate.score for candidate in kept), default=0.0) or 1.0)
    fits = sorted((_measure_fit(scale, candidate) for candidate in kept), key=lambda fit: -fit.score)
    scores = [fit.score for fit in fits]
    return tuple(_to_suggestion(fit, scores, position) for position, fit in enumerate(fits[:MAX_SUGGESTIONS]))


def is_excluded(text: str, ability: Ability) -> bool:
    """Whether a negative keyword says that the request is about something else."""
    return any(mentions_phrase(text, word) for word in ability.negative_keywords)


def mentions_phrase(text: str, phrase: str) -> bool:
    """Whether a phrase is in a text as whole words, in whatever case."""
    # Not `\b`: a phrase may begin or end with a sign, as `c++` does.
    return bool(phrase.strip()) and re.search(rf"(?<!\w){re.escape(phrase.strip())}(?!\w)", text, re.I) is not None


def is_safe_pattern(pattern: str) -> bool:
    """Whether an intent pattern compiles and cannot take forever: it comes from a repository."""
    return compile_intent(pattern) is not None


@lru_cache(maxsize=4096)
def compile_intent(pattern: str) -> LinearPattern | None:
    """A pattern over a request; None for one that is none, or that may take forever."""
    try:
        return LinearPattern(pattern, re.IGNORECASE)
    except (re.error, SlowPattern):
        return None


class _RequestScale:
    """What every candidate of a request is measured with."""

    def __init__(self, request: AbilityRequest, found: AbilityMatches, best: float) -> None:
        self.request = request
        self.said = frozenset(request.terms)
        self.near = {term: find_related(term) for term in request.terms}
        self.meant = self.said.union(*self.near.values())
        self.weights = {term: _weigh_term(term, found) for term in request.terms}
        self.total = sum(self.weights.values()) or 1.0
        self.best = best


def _measure_fit(scale: _RequestScale, candidate: AbilityCandidate) -> AbilityFit:
    ability = candidate.indexed
    whole = [phrase for phrase in ability.phrases if scale.said.issuperset(phrase)]
    gains = _measure_gains(scale, frozenset(chain(ability.name, ability.summary, ability.other, *ability.phrases)))
    return AbilityFit(
        indexed=ability,
        coverage=sum(scale.weights[term] * gain for term, gain in gains.items()) / scale.total,
        precision=_measure_precision(scale, ability, whole),
        bm25=candidate.score / scale.best,
        phrase=_score_phrases(scale, ability, whole),
        matched=tuple(scale.request.words[term] for term in gains),
    )


def _measure_gains(scale: _RequestScale, own: frozenset[str]) -> dict[str, float]:
    """Terms of the request that the ability has, or something that means the same."""
    exact = dict.fromkeys((term for term in scale.request.terms if term in own), EXACT)
    near = (term for term, others in scale.near.items() if term not in exact and not own.isdisjoint(others))
    return exact | dict.fromkeys(near, NEAR)


def _weigh_term(term: str, found: AbilityMatches) -> float:
    """Rare words weigh more; one that only related words of are known weighs as much as the rarest of these."""
    counts = [found.counts[name] for name in (term, *find_related(term)) if name in found.counts]
    if not counts:
        return UNKNOWN * _compute_idf(1, found.size)
    return _compute_idf(found.counts.get(term, min(counts)), found.size)


def _compute_idf(count: int, size: int) -> float:
    return math.log(1 + (size - count + 0.5) / (count + 0.5))


def _measure_precision(scale: _RequestScale, ability: IndexedAbility, whole: Sequence[tuple[str, ...]]) -> float:
    """Name parts that were asked for. A keyword that was said in whole stands for a part that was not."""
    if not ability.name:
        return 0.0
    exact = sum(part in scale.said for part in ability.name)
    near = sum(part in scale.meant for part in ability.name) - exact
    other = sum(set(phrase).isdisjoint(ability.name) for phrase in whole)
    missing = len(ability.name) - exact
    return min(1.0, (exact + max(near * NEAR, min(other, missing) * KEYWORD)) / len(ability.name))


def _score_phrases(scale: _RequestScale, ability: IndexedAbility, whole: Sequence[tuple[str, ...]]) -> float:
    patterns = filter(None, map(compile_intent, ability.ability.intent_patterns))
    if any(pattern.search(scale.request.text) for pattern in patterns):
        return 1.0
    return min(1.0, 0.4 + 0.3 * max(map(len, whole))) if whole else 0.0


def _to_suggestion(fit: AbilityFit, scores: list[float], position: int) -> SuggestedAbility:
    ability = fit.indexed.ability
    return SuggestedAbility(
        id=ability.id,
        reason=_explain_match(fit),
        confidence=round(_compute_confidence(scores, position), 2),
        summary=ability.summary,
        kind=ability.kind,
        priority=ability.priority,
        source=ability.source,
    )


def _compute_confidence(scores: list[float], position: int) -> float:
    """A probability: how much of the request is met, how far the next best is behind, shared among equals."""
    score = scores[position]
    rival = scores[0] if position else scores[1] if len(scores) > 1 else 0.0
    margin = max(-0.2, min(score - rival, 0.15))
    equals = sum(abs(other - score) < EQUAL_SCORES for other in scores)
    return 0.99 / (1 + math.exp(-(BASE + SCORE * score + MARGIN * margin))) / equals


def _explain_match(fit: AbilityFit) -> str:
    words = ", ".join(f"'{word}'" for word in fit.matched[:5])
    return f"Matches {words}" if words else "Matches an intent pattern"
