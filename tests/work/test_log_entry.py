"""Entries of a log."""

from hypothesis import given
from hypothesis import strategies as st

from synaptic.work.log_entry import appended, stamped

WHEN = "2024-01-02 03:04:05"


def test_the_time_goes_behind_the_first_heading_only():
    """S3-196"""
    assert stamped("## One\ntext\n## Two", WHEN) == f"## [{WHEN}] One\ntext\n## Two"


def test_without_a_heading_or_with_a_bracket_the_text_stays():
    """S3-196"""
    for text in ("plain", "# title", "### deeper", "say ## not a heading", "## [2020-01-01] Own"):
        assert stamped(text, WHEN) == text


def test_a_heading_further_down_is_the_first_one_too():
    assert stamped("intro\n\n## One", WHEN) == f"intro\n\n## [{WHEN}] One"


def test_entries_stand_apart_by_one_blank_line_whatever_the_file_ends_with():
    """S3-196"""
    for before in (b"old", b"old\n", b"old\n\n"):
        assert (before + appended(before, "\nnew\n\n")) == b"old\n\nnew\n"
    assert appended(b"", "new") == b"new\n"


@given(st.lists(st.text(st.characters(exclude_characters="\r"), min_size=1).filter(lambda text: text.strip("\n"))))
def test_a_log_is_its_entries_with_blank_lines_between(entries: list[str]):
    written = b""
    for entry in entries:
        written += appended(written[-2:], entry)
    assert written == b"\n".join(entry.strip("\n").encode("utf-8", "replace") + b"\n" for entry in entries)
