"""Entries in documents of every shape: what goes in comes out again, and nothing else moves."""

import json

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from synaptic.agents.base import SettingsShape, WantedEntries
from synaptic.agents.shared.jsontext import blank_comments
from synaptic.agents.shared.ours import EntryPlan
from synaptic.agents.shared.settings import SettingsUndo, compare_entries, install_entries, uninstall_entries
from synaptic.model.errors import SettingsError
from tests.agents.layouts import FOREIGN_HOOKS, SPACE, VALUES, arrays, groups, objects

DISPATCH = "/home/ann lee/.synaptic/bin/dispatch"
PLAN = EntryPlan(DISPATCH, "0123456789abcdef" * 2)
EVENTS = ("PreToolUse", "Stop", "beforeTool")
HOOK = st.sampled_from([json.dumps(hook) for hook in FOREIGN_HOOKS])
COMMENTS = ["// a\n", "/* b */", '// "quoted" {\n', "/* , */\n", "//\r\n"]
SHAPES = {
    "nested": SettingsShape(),
    "flat": SettingsShape(nested=False),
    "top": SettingsShape(inside=""),
    "flat top": SettingsShape(inside="", nested=False),
    "head": SettingsShape(nested=False, head={"version": 1}),
}
shapes = pytest.mark.parametrize("name", SHAPES)


def entry(event):
    return {"type": "command", "command": f'"{DISPATCH}" codex {event} --entry={PLAN.token}', "timeout": 5}


def wanted(shape, token=PLAN.token):
    hooks = {event: {**entry(event), "command": entry(event)["command"].replace(PLAN.token, token)} for event in EVENTS}
    grouped = {event: {"hooks": [hook]} for event, hook in hooks.items()}
    return WantedEntries(shape, DISPATCH, grouped if shape.nested else hooks)


@st.composite
def documents(draw, shape):
    """Any settings of this shape, with foreign things everywhere."""
    inner = groups() if shape.nested else HOOK
    events = objects(st.tuples(st.sampled_from([*EVENTS, "FutureEvent"]), arrays(inner)))
    others = st.tuples(st.sampled_from(["model", "env", "x"]), VALUES)
    if not shape.inside:
        event = st.tuples(st.sampled_from([*EVENTS, "FutureEvent"]), arrays(inner))
        return draw(SPACE) + draw(objects(event | others)) + draw(SPACE)
    text = draw(objects(others | st.tuples(st.just("hooks"), events)))
    if shape.head and "hooks" in json.loads(text) and "version" not in json.loads(text):
        text = '{"version": 1' + (", " if text[1:-1].strip() else "") + text[1:]
    return draw(SPACE) + text + draw(SPACE)


@st.composite
def commented(draw, shape):
    """The same with comments between any two tokens."""
    text = draw(documents(shape))
    pieces = []
    string = escaped = False
    for letter in text:
        if not string and letter in "{}[],:" and draw(st.integers(0, 3)) == 0:
            pieces.append(draw(st.sampled_from(COMMENTS)))
        pieces.append(letter)
        string, escaped = _next(letter, string, escaped)
    return "".join(pieces)


def _next(letter, string, escaped):
    if letter == '"' and not escaped:
        return not string, False
    return string, string and letter == "\\" and not escaped


@shapes
@examples(deadline=None, max_examples=30)
@given(data=st.data())
def test_install_then_remove_is_identity_in_every_shape(name, data):
    text = data.draw(documents(SHAPES[name]))
    edited = install_entries(text, wanted(SHAPES[name]))
    assert compare_entries(edited.text, wanted(SHAPES[name])).is_current
    assert install_entries(edited.text, wanted(SHAPES[name]), edited.undo) is None
    assert uninstall_entries(edited.text, wanted(SHAPES[name]), edited.undo) == text


@shapes
@examples(deadline=None, max_examples=25)
@given(data=st.data())
def test_comments_survive_the_way_in_and_the_way_out(name, data):
    shape = SettingsShape(**{**{f: getattr(SHAPES[name], f) for f in SHAPES[name].__struct_fields__}, "comments": True})
    text = data.draw(commented(shape))
    edited = install_entries(text, wanted(shape))
    assert [text.count(mark) for mark in ("// a", "/* b */", "/* , */")] == [
        edited.text.count(mark) for mark in ("// a", "/* b */", "/* , */")
    ]
    assert json.loads(blank_comments(edited.text))
    assert uninstall_entries(edited.text, wanted(shape), edited.undo) == text


@shapes
@examples(deadline=None, max_examples=20)
@given(data=st.data())
def test_an_older_set_is_replaced_and_the_way_back_stays_exact(name, data):
    text = data.draw(documents(SHAPES[name]))
    old = install_entries(text, wanted(SHAPES[name], "f" * 32))
    new = install_entries(old.text, wanted(SHAPES[name]), old.undo)
    assert "f" * 32 not in new.text
    assert uninstall_entries(new.text, wanted(SHAPES[name]), new.undo) == text


@shapes
@pytest.mark.parametrize("text", [None, "", " \n", "\ufeff"])
def test_a_missing_or_blank_file_comes_back_as_it_was(name, text):
    edited = install_entries(text, wanted(SHAPES[name]))
    assert uninstall_entries(edited.text, wanted(SHAPES[name]), edited.undo) == text


def test_a_comment_that_came_later_stays_where_ours_go():
    shape = SettingsShape(comments=True, nested=False)
    edited = install_entries('{"hooks": {"Stop": [{"command": "mine"}]}}', wanted(shape))
    ours = json.dumps(entry("Stop"))
    touched = edited.text.replace(ours, f"/* why */ {ours} // here\n")
    assert touched != edited.text
    after = uninstall_entries(touched, wanted(shape), edited.undo)
    assert after == '{"hooks": {"Stop": [{"command": "mine"}/* why */ // here\n]}}'


def test_a_strict_reader_gets_no_comments():
    with pytest.raises(SettingsError, match="invalid JSON at line 1"):
        install_entries("// hello\n{}", wanted(SettingsShape()))


def test_what_the_agent_demands_is_added_with_the_hooks_and_goes_with_them():
    shape = SHAPES["head"]
    edited = install_entries('{"a": 1}', wanted(shape))
    assert json.loads(edited.text)["version"] == 1
    assert uninstall_entries(edited.text, wanted(shape), edited.undo) == '{"a": 1}'
    with pytest.raises(SettingsError, match="`version` is missing"):
        install_entries('{"hooks": {}}', wanted(shape))


def test_what_the_agent_demands_stays_for_the_hooks_of_others():
    shape = SHAPES["head"]
    edited = install_entries(None, wanted(shape))
    value = json.loads(edited.text)
    value["hooks"]["Stop"].append({"command": "mine"})
    after = json.loads(uninstall_entries(json.dumps(value), wanted(shape), edited.undo))
    assert after == {"version": 1, "hooks": {"Stop": [{"command": "mine"}]}}


def test_members_that_are_no_events_are_left_alone():
    shape = SHAPES["flat top"]
    text = json.dumps({"x": {"a": entry("Stop")}, "hooksDisabled": False})
    assert uninstall_entries(text, wanted(shape), SettingsUndo()) == text
