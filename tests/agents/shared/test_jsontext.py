import json

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from synaptic.agents.shared.jsontext import (
    NewItem,
    TextEdit,
    append_items,
    apply_edits,
    blank_comments,
    cut_items,
    empty_container,
    find_indent,
    scan_json,
    spare_comments,
)
from synaptic.model.errors import SettingsError
from tests.agents.layouts import SPACE, VALUES, arrays


def rebuilt(text, node):
    """The value read only from the positions that the scanner found."""
    if node.kind == "object":
        return {item.key: rebuilt(text, item.value) for item in node.items}
    if node.kind == "array":
        return [rebuilt(text, item.value) for item in node.items]
    return json.loads(text[node.start : node.end])


@examples(deadline=None, max_examples=40)
@given(VALUES)
def test_positions_rebuild_the_document(text):
    assert rebuilt(text, scan_json(text)) == json.loads(text)


@examples(deadline=None, max_examples=40)
@given(arrays(VALUES, max_size=5), st.data())
def test_cutting_some_elements_leaves_the_others(text, data):
    node = scan_json(text)
    gone = (
        data.draw(st.sets(st.sampled_from(range(len(node.items))), max_size=len(node.items) - 1))
        if node.items
        else set()
    )
    kept = [value for index, value in enumerate(json.loads(text)) if index not in gone]
    assert json.loads(apply_edits(text, cut_items(node, gone))) == kept


@examples(deadline=None, max_examples=40)
@given(arrays(VALUES), st.lists(st.integers(), min_size=1, max_size=3))
def test_append_and_cut_is_identity_for_a_container_with_something_in_it(text, values):
    node = scan_json(text)
    after = apply_edits(text, [append_items(text, node, [NewItem(value) for value in values])])
    assert json.loads(after) == json.loads(text) + values
    old = len(node.items)
    if old:
        assert apply_edits(after, cut_items(scan_json(after), range(old, old + len(values)))) == text


@examples(deadline=None, max_examples=40)
@given(SPACE)
def test_emptying_restores_the_whitespace_that_was_there(space):
    text = f"[{space}]"
    after = apply_edits(text, [append_items(text, scan_json(text), [NewItem({"a": [1]})])])
    assert apply_edits(after, [empty_container(scan_json(after), space)]) == text


def test_new_items_are_laid_out_as_their_neighbours():
    text = '{\n\t"a": {\n\t\t"b": [1, 2]\n\t}\n}'
    a = scan_json(text).items[0].value
    wide = apply_edits(text, [append_items(text, a, [NewItem([{"c": 1}], "n")])])
    assert wide == '{\n\t"a": {\n\t\t"b": [1, 2],\n\t\t"n": [\n\t\t\t{\n\t\t\t\t"c": 1\n\t\t\t}\n\t\t]\n\t}\n}'
    b = a.items[0].value
    assert apply_edits(text, [append_items(text, b, [NewItem({"c": 1})])]) == text.replace("[1, 2]", '[1, 2, {"c": 1}]')


def test_an_empty_container_grows_at_the_documents_own_indentation():
    text = '{\n    "a": []\n}\n'
    after = apply_edits(text, [append_items(text, scan_json(text).items[0].value, [NewItem(1), NewItem({"b": 2})])])
    assert after == '{\n    "a": [\n        1,\n        {\n            "b": 2\n        }\n    ]\n}\n'


def test_a_document_on_one_line_stays_on_one_line_and_crlf_stays_crlf():
    compact = '{"a":[]}'
    assert (
        apply_edits(compact, [append_items(compact, scan_json(compact), [NewItem({"x": 1}, "n")])])
        == '{"a":[],"n": {"x": 1}}'
    )
    assert apply_edits(compact, [append_items(compact, scan_json(compact).items[0].value, [NewItem(1)])]) == '{"a":[1]}'
    windows = '{\r\n  "a": 1\r\n}\r\n'
    after = apply_edits(windows, [append_items(windows, scan_json(windows), [NewItem([1], "n")])])
    assert after == '{\r\n  "a": 1,\r\n  "n": [\r\n    1\r\n  ]\r\n}\r\n'


@pytest.mark.parametrize(
    ("text", "indent"), [("{}", "  "), ('{\n\t"a": 1}', "\t"), ('{\n   "a": 1}', "   "), ('{"a":\n 1}', "  ")]
)
def test_indentation_is_the_documents_own(text, indent):
    assert find_indent(text) == indent


@pytest.mark.parametrize(
    "text", ["", "{", '{"a": 1,}', "{'a': 1}", "// no\n{}", "NaN", '{"a": Infinity}', "{} {}", "[" * 100_000]
)
def test_what_is_not_json_is_refused(text):
    """S0-014"""
    with pytest.raises(SettingsError, match="JSON"):
        scan_json(text)


def test_a_refusal_names_line_and_column():
    with pytest.raises(SettingsError, match="line 2, column 3"):
        scan_json("{\n  a: 1}")


def test_edits_apply_in_any_order():
    assert apply_edits("abcdef", [TextEdit(4, 5, "X"), TextEdit(0, 1), TextEdit(2, 2, "-")]) == "b-cdXf"


@examples(deadline=None, max_examples=40)
@given(st.text(max_size=20))
def test_any_text_is_a_tree_or_a_refusal(text):
    try:
        node = scan_json(text)
    except SettingsError:
        return
    assert json.loads(text[node.start : node.end]) == json.loads(text)


def test_comments_are_blanked_where_they_stand():
    text = '{ // "a": 1\n "b": "// no", /* x\ny */ "c": "/*" }'
    bare = blank_comments(text)
    assert len(bare) == len(text)
    assert json.loads(bare) == {"b": "// no", "c": "/*"}
    assert bare.count("\n") == text.count("\n")


def test_an_edit_spares_comments_that_it_does_not_bring_back():
    text = "[1, /* a */ 2, // b\n 3]"
    node = scan_json(blank_comments(text))
    edits = spare_comments(text, cut_items(node, [1]))
    assert apply_edits(text, edits) == "[1/* a */, // b\n 3]"
    assert spare_comments(text, [TextEdit(0, len(text), "[/* a */]")]) == [TextEdit(0, len(text), "[/* a */]// b\n")]


def test_a_container_with_nothing_but_a_comment_keeps_it():
    text = "{\n  // none yet\n}"
    after = apply_edits(text, [append_items(text, scan_json(blank_comments(text)), [NewItem(1, "a")])])
    assert json.loads(blank_comments(after)) == {"a": 1}
    assert "// none yet" in after
