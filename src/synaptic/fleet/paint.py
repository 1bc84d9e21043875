"""What panes and windows of tmux should look like, as commands: computed from how they look now, and from nothing else.

What was there before is kept in options of the pane or window itself (`@synaptic_...`), so that it comes back even when
the display was killed and another one takes its place.
"""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from synaptic.model.layers import STATUSES, Status

BACKGROUND: Mapping[Status, str] = {
    "error": "#3d2020",
    "attention": "#081a10",
    "working": "#080c10",
    "checked": "#0a1005",
    "done": "#0a0a0a",
}
"""Of a pane, unless an option of tmux such as `@fleet_theme_error` says otherwise."""
TITLE: Mapping[Status, str] = {"error": "#f38ba8", "attention": "#fab387", "working": "#89b4fa", "checked": "#45475a"}
"""Of a window's name in the status line. That of a window with nothing to do looks as it always does."""
MARKS: Mapping[Status, str] = {"error": "✗ ", "attention": "! ", "working": "▸ ", "checked": "✓ ", "done": ""}
"""In front of a window's name."""
FIELDS = (
    *("pane_id", "window_id", "window-style", "@synaptic_agent", "@synaptic_pane_status", "@synaptic_pane_before"),
    *("window_name", "automatic-rename", "@synaptic_status", "@synaptic_name", "@synaptic_rename", "@synaptic_before"),
    *(f"@fleet_theme_{status}" for status in STATUSES),
)
FORMAT = "\t".join(f"#{{{field}}}" for field in FIELDS)
"""For `list-panes -F`; no name can hold a tab."""
UNSET = "unset"
"""What is kept of something that the pane or window did not set itself."""
Command = tuple[str, ...]


class Pane(msgspec.Struct, frozen=True, kw_only=True):
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


class Window(msgspec.Struct, frozen=True, kw_only=True):
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


def read(lines: Sequence[str]) -> tuple[dict[str, Pane], dict[str, Window]]:
    """Panes and windows by id, from lines in FORMAT. A window of several sessions is the same one."""
    rows = [line.split("\t") for line in lines if line.count("\t") == len(FIELDS) - 1]
    return {row[0]: _pane(row) for row in rows}, {row[1]: _window(row) for row in rows}


def tinted(pane: Pane, agent: str, status: Status) -> Iterator[Command]:
    """Commands that colour a pane by the status of its agent."""
    style = f"bg={pane.theme.get(status) or BACKGROUND[status]}"
    if not pane.status:
        # First: if we are killed half way, the next display still knows what to put back.
        yield _pane_option(pane, "@synaptic_pane_before", pane.before)
    if pane.style != style:
        yield _pane_option(pane, "window-style", style)
    if pane.agent != agent:
        yield _pane_option(pane, "@synaptic_agent", agent)
    if pane.status != status:
        yield _pane_option(pane, "@synaptic_pane_status", status)


def bare(pane: Pane) -> Iterator[Command]:
    """Commands that put a pane back as it was."""
    yield _pane_option(pane, "window-style", pane.before)
    for name in ("@synaptic_agent", "@synaptic_pane_status", "@synaptic_pane_before"):
        yield ("set-option", "-q", "-p", "-u", "-t", pane.id, name)


def titled(window: Window, status: Status) -> Iterator[Command]:
    """Commands that mark a window with the most urgent status of its panes, in front of its own name."""
    base, name = base_name(window), f"{MARKS[status]}{base_name(window)}"
    if not window.status:
        yield _window_option(window, "@synaptic_before", window.before)
        yield _window_option(window, "@synaptic_rename", window.rename)
    elif base != window.base and not window.is_automatic:
        yield _window_option(window, "@synaptic_rename", "off")  # somebody has named it meanwhile
    if base != window.base:
        yield _window_option(window, "@synaptic_name", base)
    if name != window.name:
        yield _renamed(window, name)
    if status != window.status:
        yield _window_option(window, "window-status-style", f"fg={TITLE[status]}" if status in TITLE else window.before)
        yield _window_option(window, "@synaptic_status", status)


def plain(window: Window) -> Iterator[Command]:
    """Commands that put a window back as it was."""
    if (base := base_name(window)) != window.name:
        yield _renamed(window, base)
    # After the name: `rename-window` switches automatic-rename off.
    yield _window_option(window, "automatic-rename", window.rename)
    yield _window_option(window, "window-status-style", window.before)
    for name in ("@synaptic_status", "@synaptic_name", "@synaptic_rename", "@synaptic_before"):
        yield ("set-option", "-q", "-w", "-u", "-t", window.id, name)


def base_name(window: Window) -> str:
    """The name without our mark, also when somebody has given it another one meanwhile."""
    if not window.status:
        return window.name
    shown = MARKS.get(window.status, "")  # type: ignore[call-overload]  # whatever the option says
    return window.name[len(shown) :] if window.name.startswith(shown) else window.name


def is_calmer(status: Status, shown: str) -> bool:
    """Whether a status is less urgent than what is shown."""
    return shown in STATUSES and STATUSES.index(status) > STATUSES.index(shown)


def _pane(row: Sequence[str]) -> Pane:
    theme: dict[str, str] = {status: colour for status, colour in zip(STATUSES, row[12:], strict=True) if colour}
    before = row[5] or UNSET
    return Pane(id=row[0], window=row[1], style=row[2], agent=row[3], status=row[4], before=before, theme=theme)


def _window(row: Sequence[str]) -> Window:
    return Window(
        id=row[1],
        name=row[6],
        is_automatic=row[7] == "1",
        status=row[8],
        base=row[9],
        rename=row[10] or UNSET,
        before=row[11] or UNSET,
    )


def _renamed(window: Window, name: str) -> Command:
    """Command that renames a window; `#` is doubled because it would begin a format."""
    return ("rename-window", "-t", window.id, "--", name.replace("#", "##"))


def _pane_option(pane: Pane, name: str, value: str) -> Command:
    return _option(("-p", "-t", pane.id), name, value)


def _window_option(window: Window, name: str, value: str) -> Command:
    return _option(("-w", "-t", window.id), name, value)


def _option(where: tuple[str, ...], name: str, value: str) -> Command:
    # Our own options keep the word as their value: it records that there was nothing to put back.
    if value == UNSET and not name.startswith("@"):
        return ("set-option", "-q", "-u", *where, name)
    return ("set-option", "-q", *where, name, value)
