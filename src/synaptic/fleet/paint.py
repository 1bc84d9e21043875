"""What panes and windows of tmux should look like, as commands: computed from how they look now, and from nothing else.

What was there before is kept in options of the pane or window itself (`@synaptic_...`), so that it comes back even when
the display was killed and another one takes its place.
"""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from synaptic.model.layers import STATUSES, Status

PANE_BACKGROUNDS: Mapping[Status, str] = {
    "error": "#3d2020",
    "attention": "#081a10",
    "working": "#080c10",
    "checked": "#0a1005",
    "done": "#0a0a0a",
}
"""Of a pane, unless an option of tmux such as `@fleet_theme_error` says otherwise."""
TITLE_COLOURS: Mapping[Status, str] = {
    "error": "#f38ba8",
    "attention": "#fab387",
    "working": "#89b4fa",
    "checked": "#45475a",
}
"""Of a window's name in the status line. That of a window with nothing to do looks as it always does."""
STATUS_MARKS: Mapping[Status, str] = {"error": "✗ ", "attention": "! ", "working": "▸ ", "checked": "✓ ", "done": ""}
"""In front of a window's name."""
TMUX_FIELDS = (
    *("pane_id", "window_id", "window-style", "@synaptic_agent", "@synaptic_pane_status", "@synaptic_pane_before"),
    *("window_name", "automatic-rename", "@synaptic_status", "@synaptic_name", "@synaptic_rename", "@synaptic_before"),
    *(f"@fleet_theme_{status}" for status in STATUSES),
)
PANES_FORMAT = "\t".join(f"#{{{field}}}" for field in TMUX_FIELDS)
"""For `list-panes -F`; no name can hold a tab."""
UNSET = "unset"
"""What is kept of something that the pane or window did not set itself."""
TmuxCommand = tuple[str, ...]


class TmuxPane(msgspec.Struct, frozen=True, kw_only=True):
    """A pane as it is."""

    id: str
    window: str = ""
    style: str = "default"
    agent: str = ""
    status: str = ""
    """What it shows; empty when it is not ours."""
    before: str = UNSET
    """Its own style before it was ours."""
    theme: Mapping[str, str] = {}


class TmuxWindow(msgspec.Struct, frozen=True, kw_only=True):
    """A window as it is."""

    id: str
    name: str = ""
    is_automatic: bool = False
    """Whether tmux names it."""
    status: str = ""
    """What it shows; empty when it is not ours."""
    base: str = ""
    """Its name without our mark."""
    rename: str = UNSET
    """Its own `automatic-rename` before it was ours."""
    before: str = UNSET
    """Its own `window-status-style` before it was ours."""


def parse_panes(lines: Sequence[str]) -> tuple[dict[str, TmuxPane], dict[str, TmuxWindow]]:
    """Panes and windows by id, from lines in FORMAT. A window of several sessions is the same one."""
    rows = [line.split("\t") for line in lines if line.count("\t") == len(TMUX_FIELDS) - 1]
    return {row[0]: _row_to_pane(row) for row in rows}, {row[1]: _row_to_window(row) for row in rows}


def tint_pane(pane: TmuxPane, agent: str, status: Status) -> Iterator[TmuxCommand]:
    """Commands that colour a pane by the status of its agent."""
    style = f"bg={pane.theme.get(status) or PANE_BACKGROUNDS[status]}"
    if not pane.status:
        # First: if we are killed half way, the next display still knows what to put back.
        yield _set_pane_option(pane, "@synaptic_pane_before", pane.before)
    if pane.style != style:
        yield _set_pane_option(pane, "window-style", style)
    if pane.agent != agent:
        yield _set_pane_option(pane, "@synaptic_agent", agent)
    if pane.status != status:
        yield _set_pane_option(pane, "@synaptic_pane_status", status)


def restore_pane(pane: TmuxPane) -> Iterator[TmuxCommand]:
    """Commands that put a pane back as it was."""
    yield _set_pane_option(pane, "window-style", pane.before)
    for name in ("@synaptic_agent", "@synaptic_pane_status", "@synaptic_pane_before"):
        yield ("set-option", "-q", "-p", "-u", "-t", pane.id, name)


def title_window(window: TmuxWindow, status: Status) -> Iterator[TmuxCommand]:
    """Commands that mark a window with the most urgent status of its panes, in front of its own name."""
    base, name = strip_mark(window), f"{STATUS_MARKS[status]}{strip_mark(window)}"
    if not window.status:
        yield _set_window_option(window, "@synaptic_before", window.before)
        yield _set_window_option(window, "@synaptic_rename", window.rename)
    elif base != window.base and not window.is_automatic:
        yield _set_window_option(window, "@synaptic_rename", "off")  # somebody has named it meanwhile
    if base != window.base:
        yield _set_window_option(window, "@synaptic_name", base)
    if name != window.name:
        yield _rename_window(window, name)
    if status != window.status:
        yield _set_window_option(
            window, "window-status-style", f"fg={TITLE_COLOURS[status]}" if status in TITLE_COLOURS else window.before
        )
        yield _set_window_option(window, "@synaptic_status", status)


def restore_window(window: TmuxWindow) -> Iterator[TmuxCommand]:
    """Commands that put a window back as it was."""
    if (base := strip_mark(window)) != window.name:
        yield _rename_window(window, base)
    # After the name: `rename-window` switches automatic-rename off.
    yield _set_window_option(window, "automatic-rename", window.rename)
    yield _set_window_option(window, "window-status-style", window.before)
    for name in ("@synaptic_status", "@synaptic_name", "@synaptic_rename", "@synaptic_before"):
        yield ("set-option", "-q", "-w", "-u", "-t", window.id, name)


def strip_mark(window: TmuxWindow) -> str:
    """The name without our mark, also when somebody has given it another one meanwhile."""
    if not window.status:
        return window.name
    shown = STATUS_MARKS.get(window.status, "")  # type: ignore[call-overload]  # whatever the option says
    return window.name[len(shown) :] if window.name.startswith(shown) else window.name


def is_calmer(status: Status, shown: str) -> bool:
    """Whether a status is less urgent than what is shown."""
    return shown in STATUSES and STATUSES.index(status) > STATUSES.index(shown)


def _row_to_pane(row: Sequence[str]) -> TmuxPane:
    theme: dict[str, str] = {status: colour for status, colour in zip(STATUSES, row[12:], strict=True) if colour}
    before = row[5] or UNSET
    return TmuxPane(id=row[0], window=row[1], style=row[2], agent=row[3], status=row[4], before=before, theme=theme)


def _row_to_window(row: Sequence[str]) -> TmuxWindow:
    return TmuxWindow(
        id=row[1],
        name=row[6],
        is_automatic=row[7] == "1",
        status=row[8],
        base=row[9],
        rename=row[10] or UNSET,
        before=row[11] or UNSET,
    )


def _rename_window(window: TmuxWindow, name: str) -> TmuxCommand:
    """Command that renames a window; `#` is doubled because it would begin a format."""
    return ("rename-window", "-t", window.id, "--", name.replace("#", "##"))


def _set_pane_option(pane: TmuxPane, name: str, value: str) -> TmuxCommand:
    return _set_option(("-p", "-t", pane.id), name, value)


def _set_window_option(window: TmuxWindow, name: str, value: str) -> TmuxCommand:
    return _set_option(("-w", "-t", window.id), name, value)


def _set_option(where: tuple[str, ...], name: str, value: str) -> TmuxCommand:
    # Our own options keep the word as their value: it records that there was nothing to put back.
    if value == UNSET and not name.startswith("@"):
        return ("set-option", "-q", "-u", *where, name)
    return ("set-option", "-q", *where, name, value)
