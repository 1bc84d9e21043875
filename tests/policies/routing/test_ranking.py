"""Which ability a request means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synaptic.model.ability import Ability, AbilityCandidate, AbilityMatches
from synaptic.policies.routing.ranking import (
    index_ability,
    is_safe_pattern,
    mentions_phrase,
    parse_request,
    rank_abilities,
)


def suggest(text: str, *abilities: Ability):
    request = parse_request(text)
    counts = {
        term: 1 for term in (*request.terms, *request.near) if any(term in str(index_ability(one)) for one in abilities)
    }
    found = AbilityMatches(tuple(AbilityCandidate(index_ability(one), 1.0) for one in abilities), counts, 50)
    return rank_abilities(request, found)


BILLING = Ability(id="billing_regression", summary="Run the full regression suite for billing")
SIGNUP = Ability(id="signup_e2e", summary="Test the signup flow end-to-end", keywords=("signup", "end-to-end"))


def test_the_ability_that_is_meant_comes_first_with_reason_and_confidence():
    """S2-080, S2-081"""
    first, second = suggest("I need to run the full billing regression tests", BILLING, SIGNUP)
    assert first.id == "billing_regression" and first.confidence > 0.8 > second.confidence
    assert "'billing'" in first.reason
    assert suggest("User asked to test signup flow end-to-end", BILLING, SIGNUP)[0].id == "signup_e2e"


def test_a_negative_keyword_suppresses():
    """S2-083"""
    ability = Ability(id="billing_regression", summary="billing tests", negative_keywords=("unit test",))
    assert suggest("run the billing unit test", ability) == ()
    assert suggest("run the billing tests", ability)


def test_an_intent_pattern_counts():
    """S2-082"""
    plain = Ability(id="thing_one", summary="payments")
    pattern = Ability(id="thing_two", summary="payments", intent_patterns=(r"(create|add).*payment",))
    assert suggest("add a payment method", plain, pattern)[0].id == "thing_two"


def test_the_higher_level_is_preferred_where_both_fit():
    """S2-083"""
    low = Ability(id="billing_test", summary="billing test", level="low")
    high = Ability(id="billing_tests", summary="billing test", level="high")
    assert suggest("billing test", low, high)[0].id == "billing_tests"


@pytest.mark.parametrize("pattern", ["(?=a)b", r"(a)\1", "(", "x" * 600])
def test_a_pattern_that_may_take_forever_is_refused(pattern: str):
    assert not is_safe_pattern(pattern)


def test_a_phrase_is_whole_words():
    assert mentions_phrase("Run the Unit Test now", "unit test")
    assert not mentions_phrase("units tested", "unit test")
    assert not mentions_phrase("x", "")


@given(st.text(max_size=200))
def test_confidence_is_a_probability_whatever_is_asked(text: str):
    found = suggest(text, BILLING, SIGNUP)
    assert all(0 <= one.confidence <= 1 for one in found)
    assert [one.confidence for one in found] == sorted((one.confidence for one in found), reverse=True)
