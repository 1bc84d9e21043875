"""Words that stand for each other."""

from synaptic.policies.routing.terms import stem_word
from synaptic.policies.routing.thesaurus import find_related


def test_a_word_may_mean_another():
    assert stem_word("deploy") in find_related(stem_word("rollout"))
    assert find_related("zebra") == frozenset()


def test_a_word_with_other_meanings_is_never_meant_itself():
    assert stem_word("deploy") in find_related(stem_word("ship"))
    assert stem_word("ship") not in find_related(stem_word("deploy"))
