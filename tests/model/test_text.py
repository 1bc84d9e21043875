"""Text that UTF-8 can hold."""

from synaptic.model.text import cut_start, to_utf8, to_utf8_deep


def test_half_a_surrogate_pair_is_replaced_and_everything_else_stays():
    assert to_utf8("plain") == "plain"
    assert to_utf8("grüße 🙂") == "grüße 🙂"
    assert to_utf8("a\ud800b") == "a?b"


def test_a_value_is_cleaned_at_any_depth():
    given = {"a\udfff": ["x\ud800", ("y", 1)], 2: None}
    assert to_utf8_deep(given) == {"a?": ["x?", ["y", 1]], "2": None}


def test_a_text_is_cut_between_two_words():
    assert cut_start("one two", 7) == "one two"
    assert cut_start("one two three", 7) == "one two..."
    assert cut_start("one two three", 9) == "one two ..."
    assert cut_start('{"key":"value"}', 10) == '{"key":"...'
    assert cut_start("x" * 300, 200) == "..."


def test_what_may_be_piped_into_a_program_goes_with_it():
    assert cut_start("ran echo word | sudo -S make", 15) == "ran ..."
    assert cut_start("echo a; ran and failed", 12) == "echo a; ran ..."
