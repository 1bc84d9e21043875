from hypothesis import given
from hypothesis import strategies as st

from synaptic.model.state import Change, State, apply_change


def test_a_change_puts_adds_appends_and_drops() -> None:
    before = {"count": 2, "log": ["a", "b"], "old": 1}
    change = Change(
        section="project:x", put={"name": "n"}, add={"count": 1}, append={"log": "c"}, keep=2, drop=("old",)
    )
    assert apply_change(before, change) == {"count": 3, "log": ["b", "c"], "name": "n"}


def test_clearing_comes_first() -> None:
    assert apply_change({"a": 1}, Change(section="project:x", clear=True, put={"b": 2})) == {"b": 2}


def test_wrong_types_start_anew() -> None:
    change = Change(section="project:x", add={"count": 1}, append={"log": "c"})
    assert apply_change({"count": "many", "log": "text"}, change) == {"count": 1, "log": ["c"]}


@given(st.lists(st.integers(-5, 5), max_size=20))
def test_additions_count_whatever_their_order(amounts: list[int]) -> None:
    section: dict[str, object] = {}
    for amount in amounts:
        section = apply_change(section, Change(section="project:x", add={"n": amount}))
    assert section.get("n", 0) == sum(amounts)


def test_what_was_never_written_reads_as_nothing() -> None:
    state = State({"project:x": {"flag": True, "text": "t", "number": 2, "items": [1]}})
    assert state.read_flag("project:x", "flag")
    assert not state.read_flag("project:x", "text")
    assert (state.read_text("project:x", "text"), state.read_text("project:y", "text")) == ("t", "")
    assert (state.read_number("project:x", "number"), state.read_number("project:x", "text")) == (2, 0)
    assert (state.read_items("project:x", "items"), state.read_items("project:x", "flag")) == ((1,), ())


def test_a_section_with_a_limit_keeps_the_newest_and_counts_the_rest() -> None:
    """Written whole at every change, it must not grow with a session: the 6,000th costs what the 1,000th did."""
    section: dict[str, object] = {}
    for number in range(6000):
        section = apply_change(section, Change(section="session:x", add={f"k{number}": 1}, most=100))
    assert len(section) == 101
    assert section["forgotten"] == 5900
    section = apply_change(section, Change(section="session:x", add={"k5900": 1}, most=100))
    section = apply_change(section, Change(section="session:x", add={"new": 1}, most=100))
    assert section["k5900"] == 2
    assert "k5901" not in section
    assert section["forgotten"] == 5901
