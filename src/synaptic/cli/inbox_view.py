"""The inbox as a screen shows it: what is selected, what a key means, and the lines that are drawn. Nothing is done."""

import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Literal, NamedTuple

import msgspec

from synaptic.cli.cells import clean_line, wrap_cells
from synaptic.model.text import join_lines
from synaptic.pipeline.lifting import is_shown_whole
from synaptic.store.refused import RefusedCall
from synaptic.work.inbox import InboxGroup, group_refusals, is_open, strip_handle

Mode = Literal["list", "details", "help", "confirm", "pin"]
Wish = Literal["", "once", "here", "always", "uphold", "wrong", "quit"]
"""What a person wants to be done about the selected refusal."""

WISH_KEYS: dict[str, Wish] = {"a": "once", "h": "here", "A": "always", "u": "uphold", "w": "wrong"}
QUESTIONS = {
    "once": "Only its beginning is shown. Allow all of it once?",
    "here": "Allow exactly this call in this project from now on?",
    "always": "Allow exactly this call everywhere from now on?",
}
KEY_LINE = "enter more  a once  h here  A always  u uphold  w wrong  ? help  q quit"
HELP = """\
arrows, j, k    move; page up, page down, home, end
enter           everything that is known about a refusal; again, or escape, to go back
a               allow this call once
h               allow exactly this call in this project
A               allow exactly this call everywhere
u               uphold: it was right to refuse, and it leaves the inbox
w               wrong: write it down as a case for `synaptic self-test`
q               leave

Allowing is for people: the engine looks at the process that asks, and may want your PIN.
What has been answered stays here until you leave, so that nothing moves under your hand.
"""
LONGEST_PIN = 64
FEWEST_LINES = 4
"""A lower screen has no title."""


class InboxView(msgspec.Struct, frozen=True, kw_only=True):
    """What is shown, and what has been typed."""

    groups: tuple[InboxGroup, ...] = ()
    mark: str = ""
    """The selected refusal."""
    mode: Mode = "list"
    scroll: int = 0
    told: str = ""
    """What came of the last wish."""
    wish: Wish = ""
    """What is asked about, or what a PIN is typed for."""
    pin: str = ""

    @property
    def rows(self) -> tuple[RefusedCall, ...]:
        return tuple(call for group in self.groups for call in group.calls)

    @property
    def selected(self) -> RefusedCall | None:
        return next((row for row in self.rows if row.mark == self.mark), None)

    def change(self, **fields: object) -> "InboxView":
        return msgspec.structs.replace(self, **fields)


def show_calls(view: InboxView, calls: Iterable[RefusedCall]) -> InboxView:
    """The view with refusals as they are now. What was shown stays, answered or not; what is selected does too."""
    groups = group_refusals(calls)
    marks = [call.mark for group in groups for call in group.calls]
    # What has gone leaves nothing selected: a key that was meant for it must not reach the next one.
    mark = view.mark if view.mark in marks else "" if view.mark else next(iter(marks), "")
    return view.change(groups=groups, mark=mark)


def press_key(view: InboxView, key: str) -> tuple[InboxView, Wish]:
    """What a key makes of the view, and what is to be done now."""
    if view.mode == "pin":
        return _press_in_pin(view, key)
    if view.mode == "confirm":
        agreed = view.wish if key in ("y", "Y") else ""
        return view.change(mode="list", wish="", told="" if agreed else "nothing was allowed"), agreed
    if key == "q":
        return view, "quit"
    if key == "?":
        return view.change(mode="list" if view.mode == "help" else "help", scroll=0), ""
    if key in WISH_KEYS and view.selected and view.mode != "help":
        return _press_wish(view, WISH_KEYS[key])
    if key in ("enter", "escape"):
        opens = key == "enter" and view.mode == "list" and view.selected
        return view.change(mode="details" if opens else "list", scroll=0, told=""), ""
    return _move(view, key), ""


def ask_first(view: InboxView, wish: Wish, question: str = "") -> InboxView:
    """The view with a question that only `y` answers with yes."""
    return view.change(mode="confirm", wish=wish, told=question)


def ask_pin(view: InboxView, wish: Wish, told: str) -> InboxView:
    """The view with a place to type a PIN in."""
    return view.change(mode="pin", wish=wish, pin="", told=told)


def _press_wish(view: InboxView, wish: Wish) -> tuple[InboxView, Wish]:
    is_cut = wish == "once" and view.selected is not None and not is_shown_whole(view.selected.subject.shown)
    if wish in ("here", "always") or is_cut:
        return ask_first(view, wish), ""
    return view.change(told=""), wish


def _press_in_pin(view: InboxView, key: str) -> tuple[InboxView, Wish]:
    if key == "enter" and view.pin:
        return view.change(mode="list"), view.wish
    if key in ("escape", "enter"):
        return view.change(mode="list", wish="", pin="", told="nothing was allowed"), ""
    if key == "backspace":
        return view.change(pin=view.pin[:-1]), ""
    more = key.partition(":")[2].strip() if key.startswith("pasted:") else key if len(key) == 1 else ""
    return view.change(pin=(view.pin + more)[:LONGEST_PIN]), ""


def _move(view: InboxView, key: str) -> InboxView:
    steps = {"up": -1, "k": -1, "down": 1, "j": 1, "page up": -10, "page down": 10, "home": -(10**6), "end": 10**6}
    step = steps.get(key, 0)
    if view.mode != "list":
        return view.change(scroll=max(0, view.scroll + step))
    marks = [row.mark for row in view.rows]
    if not step or not marks:
        return view
    at = marks.index(view.mark) + step if view.mark in marks else 0
    return view.change(mark=marks[min(max(at, 0), len(marks) - 1)], told="")


def draw_view(view: InboxView, size: tuple[int, int]) -> tuple[list[str], frozenset[int]]:
    """The lines of the screen, and which of them are the selection."""
    columns, rows = size
    head = [_describe_count(view)] if rows >= FEWEST_LINES else []
    room = rows - len(head) - 1
    if view.mode == "help":
        body, chosen = _cut_text(HELP.splitlines(), view.scroll, (columns - 1, room)), frozenset[int]()
    elif view.mode == "details" and view.selected:
        body, chosen = _cut_text(describe_call(view.selected), view.scroll, (columns - 1, room)), frozenset()
    else:
        body, chosen = _draw_list(view, room)
    filled = [*body, *[""] * (room - len(body))]
    return [*head, *filled, _describe_end(view)], frozenset(at + len(head) for at in chosen)


def describe_call(call: RefusedCall) -> list[str]:
    """Everything that is known about a refusal, in clean lines of any length."""
    subject = call.subject
    what = "a question" if subject.asks else "refused"
    facts = [
        f"{call.code}: {what} by {', '.join(call.policies)}, {describe_times(call)}",
        f"tool: {subject.tool}",
        *(f"| {line}" for line in (subject.shown or "(the journal keeps no contents)").splitlines()),
        f"in: {subject.cwd}",
        f"agent: {call.agent} {call.agent_id}".rstrip() + f", session {call.session or 'unknown'}",
        f"it says: {call.said}" if call.said else "",
        f"it appeals: {call.appeal}" if call.appeal else "",
        *(f"reason: {line}" for line in strip_handle(call.reason).splitlines()[:1]),
        *(f"  {line}" for line in strip_handle(call.reason).splitlines()[1:]),
        "" if all(act.is_grantable for act in subject.acts) else "no exception can be made to this",
        f"answer: {call.answer}, {describe_age(call.answered_at)}" if call.answer else "",
        f"the whole walk: synaptic explain {call.call}",
    ]
    return [("  " if fact.startswith("  ") else "") + clean_line(fact) for fact in facts if fact]


def describe_times(call: RefusedCall) -> str:
    """How often and when."""
    often = "once" if call.count == 1 else f"{call.count} times"
    return f"{often}, {describe_age(call.last_at)}"


def describe_origin(call: RefusedCall) -> str:
    """Whose call it was, in one line."""
    project = call.subject.root.rpartition("/")[2] or "no project"
    return clean_line(f"{project}, {call.agent} {call.agent_id}".rstrip() + f", {describe_times(call)}")


def describe_age(at: float) -> str:
    """How long ago something was."""
    seconds = max(0.0, time.time() - at)
    for size, name in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f} {name} ago"
    return "just now"


def describe_group(group: InboxGroup) -> str:
    """The heading of a group."""
    return clean_line(f"{', '.join(group.policies)}: {group.shape or 'a call'}, {group.count}x")


def _draw_list(view: InboxView, room: int) -> tuple[list[str], frozenset[int]]:
    lines = list(_iter_lines(view))
    if not lines:
        return ["", "Nothing waits for an answer."][:room], frozenset()
    mine = [at for at, line in enumerate(lines) if line.mark == view.mark] or [0]
    # The selection is always whole on the screen, and what comes after it begins there if there is room.
    top = max(0, min(mine[0], mine[-1] + 3 - room))
    # Only what is seen is made: texts of thousands of calls would take seconds with every key.
    shown = [line.make() for line in lines[top : top + room]]
    return shown, frozenset(at - top for at in mine if at - top < room)


class _ListLine(NamedTuple):
    mark: str
    """The refusal that it belongs to; "" for a heading."""
    make: Callable[[], str]


def _iter_lines(view: InboxView) -> Iterator[_ListLine]:
    for group in view.groups:
        yield _ListLine("", partial(describe_group, group))
        for call in group.calls:
            yield _ListLine(call.mark, partial(_describe_row, call, call.mark == view.mark))
            yield _ListLine(call.mark, partial(_describe_below, describe_origin, call))
            if call.appeal or call.said:
                yield _ListLine(call.mark, partial(_describe_below, _describe_words, call))


def _describe_row(call: RefusedCall, is_selected: bool) -> str:
    answer = "" if is_open(call) else f" [{call.answer}]"
    act = clean_line(join_lines(call.subject.shown) or call.subject.tool)
    return f"{'>' if is_selected else ' '} {call.code}{answer} {act}"


def _describe_below(describe: Callable[[RefusedCall], str], call: RefusedCall) -> str:
    return f"       {describe(call)}"


def _describe_words(call: RefusedCall) -> str:
    return clean_line(f"appeal: {call.appeal}" if call.appeal else call.said)


def _cut_text(lines: Iterable[str], scroll: int, room: tuple[int, int]) -> list[str]:
    columns, rows = room
    wrapped = [part for line in lines for part in (wrap_cells(line, columns) if line[:2] != "  " else [line])]
    start = max(0, min(scroll, len(wrapped) - rows))
    return wrapped[start : start + rows]


def _describe_count(view: InboxView) -> str:
    waiting = sum(map(is_open, view.rows))
    return f"synaptic inbox: {waiting} waiting" if waiting else "synaptic inbox"


def _describe_end(view: InboxView) -> str:
    if view.mode == "confirm":
        return f"{clean_line(view.told) or QUESTIONS.get(view.wish, 'Allow it?')} y/N"
    if view.mode == "pin":
        return f"{clean_line(view.told)} PIN (not shown): "
    return clean_line(view.told) or KEY_LINE
