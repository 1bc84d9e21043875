"""The best events are those of whose texts the words are most."""

import pytest

from synaptic.store.history_rank import rank_texts


def test_what_is_mostly_the_words_comes_first_and_the_newer_of_equals():
    texts = [(1, "git push origin"), (2, "git git"), (3, "git " + "word " * 300), (4, "git git")]
    assert rank_texts(texts, ["git"]) == [4, 2, 1, 3]


def test_capital_letters_count_and_a_beginning_counts_where_it_begins():
    assert rank_texts([(1, "GIT Git"), (2, "git add")], ["git"]) == [1, 2]
    assert rank_texts([(1, "parser parsed"), (2, "parser others")], ["Pars*"]) == [1, 2]


@pytest.mark.parametrize("texts", [[], [(1, "")], [(1, ""), (2, "a")]])
def test_nothing_and_empty_texts_are_ranked(texts):
    assert sorted(rank_texts(texts, ["a", "*"])) == [number for number, _ in texts]
