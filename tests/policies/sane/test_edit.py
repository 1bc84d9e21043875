"""The text of a file after an edit."""

from hypothesis import given
from hypothesis import strategies as st

from synaptic.model.tool import Tool
from synaptic.policies.sane.edit import count_lines, project_text


def test_lines_are_counted_as_an_editor_does() -> None:
    assert [count_lines(text) for text in ("", "a", "a\n", "a\nb", "\n")] == [0, 1, 1, 2, 1]


def test_each_tool_makes_its_text() -> None:
    """S1-071"""
    assert project_text(Tool("Write", {"content": "a"}), "old") == "a"
    assert project_text(Tool("Edit", {"old_string": "a", "new_string": "b"}), "a a") == "b a"
    assert project_text(Tool("Edit", {"old_string": "a", "new_string": "b", "replace_all": True}), "a a") == "b b"
    assert project_text(Tool("Edit", {"old_string": "", "new_string": "b"}), "a") == "ab"
    edits = [{"old_string": "a", "new_string": "b"}, {"old_string": "b", "new_string": "c"}, "nonsense", {}]
    assert project_text(Tool("MultiEdit", {"edits": edits}), "a") == "c"
    assert project_text(Tool("Edit", {"old_string": "a", "new_string": "b"}), None) is None
    assert project_text(Tool("Edit", {"old_string": "a\nb", "new_string": "b\nc", "edits": edits}), "a") == "c"
    assert project_text(Tool("ApplyPatch", {"file_path": "a", "paths": ["a", "b"]}), "a") is None


@given(
    st.dictionaries(
        st.sampled_from(["old_string", "new_string", "edits", "content"]), st.none() | st.integers() | st.text()
    )
)
def test_wrong_types_change_nothing(given_input: dict[str, object]) -> None:
    for name in ("Edit", "MultiEdit", "Write", "NotebookEdit"):
        project_text(Tool(name, given_input), "text")
