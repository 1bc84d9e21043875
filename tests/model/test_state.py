from hypothesis import given
from hypothesis import strategies as st

from synaptic.model.state import Change, State, changed


def test_a_change_puts_adds_appends_and_drops() -> None:
    before = {"count": 2, "log": ["a", "b"], "old": 1}
    change = Change(
        section="project:x", put={"name": "n"}, add={"count": 1}, append={"log": "c"}, keep=2, drop=("old",)
    )
    assert changed(before, change) == {"count": 3, "log": ["b", "c"], "name": "n"}


def test_clearing_comes_first() -> None:
    assert changed({"a": 1}, Change(section="project:x", clear=True, put={"b": 2})) == {"b": 2}


def test_wrong_types_start_anew() -> None:
    change = Change(section="project:x", add={"count": 1}, append={"log": "c"})
    assert changed({"count": "many", "log": "text"}, change) == {"count": 1, "log": ["c"]}


@given(st.lists(st.integers(-5, 5), max_size=20))
def test_additions_count_whatever_their_order(amounts: list[int]) -> None:
    section: dict[str, object] = {}
    for amount in amounts:
        section = changed(section, Change(section="project:x", add={"n": amount}))
    assert section.get("n", 0) == sum(amounts)


def test_what_was_never_written_reads_as_nothing() -> None:
    state = State({"project:x": {"flag": True, "text": "t", "number": 2, "items": [1]}})
    assert state.flag("project:x", "flag")
    assert not state.flag("project:x", "text")
    assert (state.text("project:x", "text"), state.text("project:y", "text")) == ("t", "")
    assert (state.number("project:x", "number"), state.number("project:x", "text")) == (2, 0)
    assert (state.items("project:x", "items"), state.items("project:x", "flag")) == ((1,), ())
