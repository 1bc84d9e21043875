"""Pools of abilities in the store."""

from synaptic.model.ability import Ability
from synaptic.policies.routing.ranking import index_ability, parse_request
from synaptic.store import abilities
from synaptic.store.db import Store


def pool(store: Store, *names: str, root: str = "/r"):
    found = [index_ability(Ability(id=name, summary=f"does {name}")) for name in names]
    return abilities.index_abilities(store, root, "one", found)


def found(store: Store, known, text: str) -> list[str]:
    request = parse_request(text)
    result = abilities.search_abilities(store, known, request.terms, request.near)
    return [one.indexed.ability.id for one in result.candidates]


def test_words_and_their_relatives_are_found(home):
    store = Store.open(home)
    known = pool(store, "billing_regression", "signup_e2e")
    assert found(store, known, "billing") == ["billing_regression"]
    assert found(store, known, "registration") == ["signup_e2e"]
    assert found(store, known, "zebra") == found(store, known, "") == []
    store.close()


def test_a_pool_is_kept_and_replaced(home):
    store = Store.open(home)
    pool(store, "one")
    known = pool(store, "two")
    assert abilities.find_pool(store, "/r") == known
    assert found(store, known, "one") == []
    assert [one.ability.id for one in abilities.read_abilities(store, known)] == ["two"]
    store.close()
    again = Store.open(home)
    assert found(again, known, "two") == ["two"]
    again.close()


def test_one_repository_does_not_weigh_in_another(home):
    store = Store.open(home)
    first = pool(store, "billing", root="/a")
    pool(store, "billing_one", "billing_two", root="/b")
    request = parse_request("billing")
    assert abilities.search_abilities(store, first, request.terms).counts == {"bill": 1}
    store.close()


def test_the_oldest_pool_makes_room(home, monkeypatch):
    monkeypatch.setattr(abilities, "MAX_POOLS", 2)
    store = Store.open(home)
    for name in ("a", "b", "c"):
        pool(store, name, root=f"/{name}")
    assert [abilities.find_pool(store, f"/{name}") is None for name in "abc"] == [True, False, False]
    store.close()


def test_quotes_and_operators_in_a_request_are_words(home):
    store = Store.open(home)
    known = pool(store, "billing")
    assert found(store, known, '"billing" OR NEAR( AND * ^ -x:') == ["billing"]
    store.close()
