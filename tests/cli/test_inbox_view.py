"""The inbox on a screen of any size: what keys mean, and that nothing moves under a hand."""

import time

import msgspec
import pytest

from synaptic.cli.cells import measure_cells
from synaptic.cli.inbox_view import InboxView, ask_pin, draw_view, press_key, show_calls
from synaptic.model.grant import RefusedAct, RefusedSubject
from synaptic.store.refused import RefusedCall
from tests.work.test_inbox import hostile_texts

ACT = RefusedAct(policy="git.reset-hard", options="", fingerprint="")


def make_call(code: str, **fields: object) -> RefusedCall:
    text = str(fields.pop("text", "git reset --hard"))
    subject = RefusedSubject(
        code=code, acts=(ACT,), asks=False, tool="Bash", shown=text, root="/home/u/shop", cwd=text, shape="git reset"
    )
    known = {
        "mark": code, "subject": subject, "first_at": 1.0, "last_at": 2.0, "count": 1, "call": "c", "session": text,
        "agent": "claude", "agent_id": "", "reason": text, "said": text, "appeal": "", "appealed_at": 0.0,
        "answer": "", "answered_at": 0.0,
    }  # fmt: skip
    return msgspec.convert({**known, **fields}, RefusedCall)


def view_of(*calls: RefusedCall) -> InboxView:
    return show_calls(InboxView(), calls)


def press(view: InboxView, *keys: str) -> tuple[InboxView, list[str]]:
    wishes = []
    for key in keys:
        view, wish = press_key(view, key)
        wishes += [wish] if wish else []
    return view, wishes


THREE = tuple(make_call(code) for code in ("aaaa", "bbbb", "cccc"))


def test_arrows_and_letters_move_and_stop_at_the_ends():
    view = view_of(*THREE)
    for keys, mark in (("", "aaaa"), ("j", "bbbb"), ("jjjjj", "cccc"), ("jk", "aaaa"), ("kkk", "aaaa")):
        assert press(view, *keys)[0].mark == mark
    assert press(view, "down", "down", "up")[0].mark == "bbbb"
    assert press(view, "end")[0].mark == "cccc"


def test_each_key_is_a_wish_and_what_lasts_is_asked_about_first():
    view = view_of(*THREE)
    for key, wish in (("a", "once"), ("u", "uphold"), ("w", "wrong"), ("q", "quit")):
        assert press(view, key)[1] == [wish]
    for key, wish in (("h", "here"), ("A", "always")):
        assert press(view, key)[1] == []
        assert press(view, key, "y")[1] == [wish]
        for no in ("n", "enter", "escape", "q", "a", "pasted:y"):
            asked, wishes = press(view, key, no)
            assert (wishes, asked.mode) == ([], "list"), no


def test_what_is_pasted_means_nothing_outside_of_a_pin():
    view, wishes = press(view_of(*THREE), "pasted:aAyhuwq")
    assert (wishes, view.mode) == ([], "list")


def test_a_pin_is_typed_pasted_corrected_given_up_and_never_shown():
    view = ask_pin(view_of(*THREE), "once", "")
    typed, _ = press(view, "1", "2", "x", "backspace", "pasted:34 ")
    assert typed.pin == "1234"
    lines, _ = draw_view(typed, (80, 24))
    assert not any("1234" in line or "****" in line for line in lines)
    assert press(typed, "enter")[1] == ["once"]
    for key in ("escape",):
        assert press(typed, key) == (press(typed, key)[0], [])
        assert press(typed, key)[0].pin == ""
    assert press(view, "enter")[1] == []
    assert len(press(view, *"9" * 500)[0].pin) <= 64


def test_what_comes_in_between_moves_no_selection():
    view, _ = press(view_of(*THREE), "j")
    later = show_calls(view, [make_call("dddd"), *THREE])
    assert later.mark == "bbbb"


def test_what_has_gone_leaves_nothing_that_a_key_could_hit():
    view, _ = press(view_of(*THREE), "j")
    later = show_calls(view, [THREE[0], THREE[2]])
    assert later.selected is None
    assert press(later, "a", "u", "A", "y")[1] == []
    assert press(later, "j")[0].mark == "aaaa"


def test_without_anything_every_key_is_harmless():
    _, wishes = press(view_of(), *"jkaAhuwy?", "enter", "up", "end", "escape", "pasted:x", "?")
    assert wishes == []
    assert "Nothing waits for an answer." in draw_view(view_of(), (80, 24))[0]


@pytest.mark.parametrize("size", [(80, 24), (40, 10), (20, 5), (8, 2), (300, 100)])
def test_the_screen_is_filled_and_the_selection_is_on_it(size: tuple[int, int]):
    calls = [make_call(f"c{number:03}") for number in range(50)]
    view = view_of(*calls)
    for keys in ((), ("end",), ("page down",) * 2, ("enter",), ("?",), ("A",)):
        now, _ = press(view, *keys)
        lines, chosen = draw_view(now, size)
        assert len(lines) == size[1]
        if now.mode in ("list", "confirm") and size[1] > 4:
            assert chosen
            assert any(now.mark in lines[at] for at in chosen)


def test_hostile_texts_stay_in_their_lines():
    for number, text in enumerate(hostile_texts()):
        call = make_call("aaaa", text=text, appeal=text if number % 2 else "", agent_id=text)
        for keys in ((), ("enter",), ("A",)):
            view, _ = press(view_of(call), *keys)
            lines, _ = draw_view(view.change(told=text), (40, 12))
            assert len(lines) == 12
            assert all(line.isprintable() for line in lines), text


def test_a_full_inbox_of_long_texts_is_drawn_at_once():
    view = view_of(*(make_call(f"c{number}", text="漢字 " * 1000) for number in range(2000)))
    view, _ = press(view, "end")
    started = time.process_time()
    for _ in range(10):
        draw_view(view, (80, 24))
    assert (time.process_time() - started) / 10 < 0.2


def test_a_megabyte_is_drawn_and_scrolled_to_its_end():
    view, _ = press(view_of(make_call("aaaa", text="漢字 x" * 200_000)), "enter", "end")
    lines, _ = draw_view(view, (80, 24))
    assert all(measure_cells(line) < 80 for line in lines[1:-1])
