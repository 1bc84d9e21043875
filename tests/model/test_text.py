"""Text that UTF-8 can hold."""

from synaptic.model.text import to_utf8, to_utf8_deep


def test_half_a_surrogate_pair_is_replaced_and_everything_else_stays():
    assert to_utf8("plain") == "plain"
    assert to_utf8("grüße 🙂") == "grüße 🙂"
    assert to_utf8("a\ud800b") == "a?b"


def test_a_value_is_cleaned_at_any_depth():
    given = {"a\udfff": ["x\ud800", ("y", 1)], 2: None}
    assert to_utf8_deep(given) == {"a?": ["x?", ["y", 1]], "2": None}
