from synaptic.hooks.nearest import find_nearest, make_hint


def test_a_typo_finds_its_word():
    assert find_nearest("priorty", ("priority", "matcher")) == "priority"
    assert find_nearest("PRETOOLUSE", ("PreToolUse",)) == "PreToolUse"


def test_nothing_alike_finds_nothing():
    assert find_nearest("zzz", ("priority",)) is None
    assert find_nearest("", ()) is None


def test_the_hint_lists_all_words_when_none_is_alike():
    assert make_hint("zzz", ("one", "two")) == "known: one, two"
    assert make_hint("tow", ("one", "two")) == "did you mean `two`?"
