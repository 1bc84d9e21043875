"""Words that stand for each other."""

from synaptic.policies.routing.terms import stem
from synaptic.policies.routing.thesaurus import related


def test_a_word_may_mean_another():
    assert stem("deploy") in related(stem("rollout"))
    assert related("zebra") == frozenset()


def test_a_word_with_other_meanings_is_never_meant_itself():
    assert stem("deploy") in related(stem("ship"))
    assert stem("ship") not in related(stem("deploy"))
