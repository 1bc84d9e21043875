"""The patch format: every file it names, and what happens to each."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synaptic.model.patch import (
    BEGIN,
    END,
    make_adding_patch,
    read_patch_call,
    read_patch_files,
    split_file_change,
    write_patch,
)

ALL = """*** Begin Patch
*** Add File: new.py
+one
+
+*** Update File: no.py
*** Update File: old.py
*** Move to: moved.py
@@ class A:
 keep
-gone
+come
 *** Add File: text.py
@@
-last
*** End of File
*** Delete File: dead.py
*** End Patch
"""


def test_every_file_is_named_and_text_that_looks_like_a_mark_is_none():
    found = read_patch_files(ALL)
    assert [(change.act, change.path, change.moved) for change in found] == [
        ("Add", "new.py", ""),
        ("Update", "old.py", "moved.py"),
        ("Delete", "dead.py", ""),
    ]


def test_each_change_is_an_edit_of_one_file_and_a_move_is_two():
    new, old, dead = (
        [(edit.name, edit.input) for edit in split_file_change(change)] for change in read_patch_files(ALL)
    )
    assert new == [("Write", {"file_path": "new.py", "content": "one\n\n*** Update File: no.py\n"})]
    assert [given["file_path"] for _, given in old] == ["old.py", "moved.py"]
    assert old[0][1]["edits"] == [
        {"old_string": "keep\ngone\n*** Add File: text.py", "new_string": "keep\ncome\n*** Add File: text.py"},
        {"old_string": "last", "new_string": ""},
    ]
    assert dead == [("Edit", {"file_path": "dead.py", "old_string": "", "new_string": ""})]


def test_several_files_are_one_call_that_names_them_all():
    tool = read_patch_call(ALL)
    assert tool.name == "ApplyPatch" and tool.is_edit
    assert tool.paths == ("new.py", "old.py", "moved.py", "dead.py")


@pytest.mark.parametrize(
    "text",
    [
        "  *** Begin Patch  \n  *** Add File: a b.py  \n+x\n  *** End Patch",
        "<<'EOF'\n*** Begin Patch\n*** Add File: a b.py\n+x\n*** End Patch\nEOF",
        "*** Begin Patch\r\n*** Add File: a b.py\r\n+x\r\n*** End Patch\r\n",
        "*** Begin Patch\n*** Environment ID: e\n*** Add File: a b.py\n+x\n*** End Patch",
        "*** Begin Patch\n*** Add File: a b.py\n+x\n",
        "*** Begin Patch\n*** Add File:a b.py\n+x\n*** End Patch",
        "\n*** Add File: a b.py\n+x\n",
    ],
)
def test_it_is_read_as_loosely_as_agents_read_it(text):
    assert read_patch_call(text).input == {"file_path": "a b.py", "content": "x\n"}


@pytest.mark.parametrize("text", ["", "no patch", "*** Add File: ", f"{BEGIN}\n{END}"])
def test_a_text_that_names_no_file_is_an_edit_of_nothing_known(text):
    assert read_patch_files(text) == ()
    assert read_patch_call(text).name == "ApplyPatch" and read_patch_call(text).paths == ()


def test_a_mark_in_the_text_of_a_file_hides_nothing_above_it():
    text = "*** Add File: a.py\n+x = 1  # *** Begin Patch\n*** Add File: b.py\n+y\n"
    assert read_patch_call(text).paths == ("a.py", "b.py")


def test_a_file_is_moved_with_and_without_a_space():
    for space in ("", " "):
        text = f"*** Begin Patch\n*** Update File: a\n*** Move to:{space}b\n@@\n-x\n+y\n*** End Patch"
        assert read_patch_call(text).paths == ("a", "b")


NAMES = st.text(st.characters(exclude_characters="\r\n", exclude_categories=("Cs", "Z", "Cc")), min_size=1, max_size=8)
LINES = st.lists(st.text(st.characters(exclude_characters="\r\n"), max_size=8), min_size=1, max_size=4)


@given(NAMES, LINES)
def test_a_file_that_is_written_as_a_patch_is_read_again(path, lines):
    content = "".join(f"{line}\n" for line in lines)
    assert read_patch_call(make_adding_patch(path, content)).input == {"file_path": path, "content": content}
    assert write_patch({"file_path": path, "content": content}) == make_adding_patch(path, content)


@given(st.dictionaries(st.sampled_from(["file_path", "content", "patch", "x"]), st.text(max_size=20) | st.just(ALL)))
def test_a_rewrite_is_a_patch_only_where_it_reads_the_same(new):
    text = write_patch(new)
    assert text is None or read_patch_call(text).input == new


@given(st.lists(st.sampled_from(["*** Add File: a", "*** Update File: b", "*** Move to: c", "+x", "-y", " z", "@@"])))
def test_no_header_is_overlooked(lines):
    found = read_patch_files("\n".join([BEGIN, *lines, END]))
    assert len(found) == sum(line.startswith(("*** Add", "*** Update")) for line in lines)
