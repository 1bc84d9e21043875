from synaptic.hooks.nearest import hint, nearest


def test_a_typo_finds_its_word():
    assert nearest("priorty", ("priority", "matcher")) == "priority"
    assert nearest("PRETOOLUSE", ("PreToolUse",)) == "PreToolUse"


def test_nothing_alike_finds_nothing():
    assert nearest("zzz", ("priority",)) is None
    assert nearest("", ()) is None


def test_the_hint_lists_all_words_when_none_is_alike():
    assert hint("zzz", ("one", "two")) == "known: one, two"
    assert hint("tow", ("one", "two")) == "did you mean `two`?"
