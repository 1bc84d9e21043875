"""Summaries instead of raw payloads."""

from synaptic.policies.routing.summary import MAX_SUMMARY, shorten_texts, summarize_text


def test_a_megabyte_becomes_a_summary():
    """S2-056"""
    assert len(summarize_text("word " * 250_000)) <= MAX_SUMMARY
    assert summarize_text("two\n lines") == "two lines"


def test_long_values_are_cut_wherever_they_are():
    """S2-056"""
    cut = shorten_texts({"a": ["x" * 9000], "n": 1})
    assert isinstance(cut, dict) and cut["n"] == 1
    assert len(cut["a"][0]) < 8100 and "1000 characters more" in cut["a"][0]
