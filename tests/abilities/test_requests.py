"""A pool of 2,000 abilities, and what people type."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from synaptic.model.ability import SuggestedAbility
from synaptic.model.home import Home
from synaptic.policies.routing.ranking import index_ability, parse_request, rank_abilities
from synaptic.policies.routing.skill_activation import SkillActivation
from synaptic.store import abilities
from synaptic.store.abilities import AbilityPool
from synaptic.store.db import Store
from tests.abilities import pool

OFFERED = SkillActivation().confidence


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, AbilityPool]]:
    store = Store.open(Home(Path(tmp_path_factory.mktemp("home"))))
    yield store, abilities.index_abilities(store, "/r", "one", [index_ability(ability) for ability in pool.abilities()])
    store.close()


def suggest(shelf: tuple[Store, AbilityPool], text: str) -> tuple[SuggestedAbility, ...]:
    request = parse_request(text)
    return rank_abilities(request, abilities.search_abilities(*shelf, request.terms, request.near))


def hits(shelf: tuple[Store, AbilityPool], requests: dict[str, str]) -> list[bool]:
    return [bool(found := suggest(shelf, text)) and found[0].id == meant for text, meant in requests.items()]


def test_the_pool_is_large_and_the_cases_are_many():
    assert len({ability.id for ability in pool.abilities()}) == 2000
    assert len(pool.requests()) >= 100
    assert len(pool.chatter()) >= 30


def test_the_right_ability_is_first_for_nine_of_ten_requests(shelf: tuple[Store, AbilityPool]):
    """S2-080, S2-081"""
    found = hits(shelf, pool.requests())
    assert sum(found) / len(found) >= 0.9


def test_requests_that_were_written_after_the_ranking_are_understood_too(shelf: tuple[Store, AbilityPool]):
    found = hits(shelf, pool.load("requests.toml")["later"])
    assert sum(found) / len(found) >= 0.8


@pytest.mark.parametrize("text", pool.chatter())
def test_nothing_is_offered_for_chit_chat(shelf: tuple[Store, AbilityPool], text: str):
    assert [one.id for one in suggest(shelf, text) if one.confidence >= OFFERED] == []


def test_confidence_means_what_it_says(shelf: tuple[Store, AbilityPool]):
    """Of those that are called nine tenths sure, nine tenths are right."""
    sure = [
        found[0].id == meant
        for text, meant in pool.requests().items()
        if (found := suggest(shelf, text)) and found[0].confidence >= 0.9
    ]
    assert len(sure) > 50 and sum(sure) / len(sure) >= 0.9
