"""What panes and windows should look like."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synaptic.fleet import paint
from synaptic.fleet.paint import PANE_BACKGROUNDS, PANES_FORMAT, STATUS_MARKS, TMUX_FIELDS, UNSET, TmuxPane, TmuxWindow
from synaptic.model.layers import STATUSES

STATUS = st.sampled_from(STATUSES)


def said(commands) -> list[str]:
    return [" ".join(command) for command in commands]


@pytest.mark.parametrize(
    ("status", "colour"),
    [
        ("error", "#3d2020"),
        ("attention", "#081a10"),
        ("working", "#080c10"),
        ("checked", "#0a1005"),
        ("done", "#0a0a0a"),
    ],
)
def test_the_colours(status, colour: str):
    """S3-233"""
    assert f"set-option -q -p -t %1 window-style bg={colour}" in said(paint.tint_pane(TmuxPane(id="%1"), "a", status))
    themed = TmuxPane(id="%1", theme={status: "colour9"})
    assert "set-option -q -p -t %1 window-style bg=colour9" in said(paint.tint_pane(themed, "a", status))


def test_a_pane_that_looks_right_is_left_alone():
    style = f"bg={PANE_BACKGROUNDS['error']}"
    assert not list(paint.tint_pane(TmuxPane(id="%1", style=style, agent="a", status="error"), "a", "error"))


def test_a_pane_is_as_it_was():
    assert said(paint.restore_pane(TmuxPane(id="%1", status="error", before="bg=red")))[0].endswith(
        "window-style bg=red"
    )
    assert said(paint.restore_pane(TmuxPane(id="%1", status="error")))[0] == "set-option -q -u -p -t %1 window-style"


def test_a_window_is_marked_and_unmarked():
    first = TmuxWindow(id="@1", name="build")
    assert "rename-window -t @1 -- ✗ build" in said(paint.title_window(first, "error"))
    ours = TmuxWindow(id="@1", name="✗ build", base="build", status="error", rename="off", before="fg=red")
    assert said(paint.title_window(ours, "error")) == []
    assert "rename-window -t @1 -- build" in said(paint.title_window(ours, "done"))
    assert "set-option -q -w -t @1 window-status-style fg=red" in said(paint.title_window(ours, "done"))
    gone = said(paint.restore_window(ours))
    assert gone[:3] == [
        "rename-window -t @1 -- build",
        "set-option -q -w -t @1 automatic-rename off",
        "set-option -q -w -t @1 window-status-style fg=red",
    ]


def test_a_window_that_tmux_names_may_change_its_name():
    ours = TmuxWindow(id="@1", name="vim", base="sh", status="done", is_automatic=True)
    assert said(paint.title_window(ours, "done")) == ["set-option -q -w -t @1 @synaptic_name vim"]
    named = TmuxWindow(id="@1", name="mine", base="sh", status="error")
    assert "set-option -q -w -t @1 @synaptic_rename off" in said(paint.title_window(named, "error"))


@given(st.text(st.characters(codec="utf-8", exclude_characters="\t\n"), min_size=1), STATUS, STATUS)
def test_the_name_is_the_users_whatever_is_shown(name: str, before, after):
    window = TmuxWindow(id="@1", name=name)
    for status in (before, after):
        renamed = next(
            (
                words[-1].replace("##", "#")
                for words in paint.title_window(window, status)
                if words[0] == "rename-window"
            ),
            window.name,
        )
        window = TmuxWindow(id="@1", name=renamed, base=name, status=status)
        assert window.name == f"{STATUS_MARKS[status]}{name}"
    assert paint.strip_mark(window) == name


def test_lines_of_tmux_are_read():
    values = dict.fromkeys(TMUX_FIELDS, "") | {
        "pane_id": "%1",
        "window_id": "@2",
        "window_name": "w",
        "automatic-rename": "1",
    }
    line = "\t".join(values[field] for field in TMUX_FIELDS)
    panes, windows = paint.parse_panes([line, "nonsense", line])
    assert panes == {"%1": TmuxPane(id="%1", window="@2", style="")}
    assert windows == {"@2": TmuxWindow(id="@2", name="w", is_automatic=True)}
    assert PANES_FORMAT.count("#{") == len(TMUX_FIELDS)
    assert windows["@2"].before == UNSET


@given(STATUS, STATUS)
def test_one_of_two_statuses_is_calmer(one, other):
    assert paint.is_calmer(one, other) + paint.is_calmer(other, one) == (one != other)
    assert not paint.is_calmer(one, "")
