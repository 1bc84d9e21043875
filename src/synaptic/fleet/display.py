"""Show the fleet in tmux: colour panes and mark windows by agent status. Reads the database, writes only to tmux."""

import time
from collections.abc import Iterable, Iterator

import msgspec

from synaptic.fleet import paint
from synaptic.fleet.follow import Follow
from synaptic.fleet.paint import UNSET, Command, Pane, Window
from synaptic.fleet.roster import windows
from synaptic.fleet.tmux import Tmux
from synaptic.model.layers import Status
from synaptic.store.fleet import Member

TICK = 2.0
"""Seconds after which panes that were moved or closed are noticed, though nobody has changed status."""
LATE = 0.2
"""Seconds before something becomes calmer: what is urgent is shown at once, and nothing flickers."""
Shown = tuple[str, Status]


class Display:
    """Display on one tmux server. Compares what is shown with what should be, each time, so that two displays agree."""

    def __init__(self, tmux: Tmux) -> None:
        self._tmux = tmux
        self._identity = tmux.identity()
        self._due: dict[str, float] = {}

    def show(self, members: Iterable[Member], now: float) -> float:
        """Paint what has changed; returns when to look again at the latest, in seconds."""
        panes, frames = paint.read(self._tmux.run("list-panes", "-a", "-F", paint.FORMAT))
        placed = {pane: self._held(panes[pane], who, now) for pane, who in self._placed(members) if pane in panes}
        # A pane that is gone must not keep waking us.
        self._due = {pane: due for pane, due in self._due.items() if pane in placed}
        self._tmux.batch([*self._panes(panes, placed), *self._windows(panes, frames, placed)])
        # A floor: a moment that is only a hair away must not become a busy loop.
        return max(0.01, min((due - now for due in self._due.values()), default=TICK))

    def clear(self) -> None:
        """Put every pane and window back as it was."""
        panes, frames = paint.read(self._tmux.run("list-panes", "-a", "-F", paint.FORMAT))
        self._tmux.batch([*self._panes(panes, {}), *self._windows(panes, frames, {})])

    def _placed(self, members: Iterable[Member]) -> Iterator[tuple[str, Shown]]:
        """Agents of this server by pane; the one heard of last, where two say that they have the same."""
        # Oldest first, because the caller makes a dict of this and the last one of a pane wins.
        for member in sorted(members, key=lambda one: one.since):
            server, _, pane = member.pane.rpartition(":")
            if server == self._identity:
                yield pane, (member.agent, member.status)

    def _held(self, pane: Pane, who: Shown, now: float) -> Shown:
        """Choose what to show now: a less urgent status waits a moment, so that nothing flickers."""
        agent, status = who
        if not paint.is_calmer(status, pane.status):
            self._due.pop(pane.id, None)
            return who
        if now >= self._due.setdefault(pane.id, now + LATE):
            del self._due[pane.id]
            return who
        return agent, pane.status  # type: ignore[return-value]  # is_calmer knows it

    def _panes(self, panes: dict[str, Pane], placed: dict[str, Shown]) -> Iterator[Command]:
        for pane in panes.values():
            if pane.id in placed:
                yield from paint.tinted(self._first(pane), *placed[pane.id])
            elif pane.status:
                yield from paint.bare(pane)

    def _windows(
        self, panes: dict[str, Pane], frames: dict[str, Window], placed: dict[str, Shown]
    ) -> Iterator[Command]:
        shown = windows((panes[pane].window, status) for pane, (_, status) in placed.items())
        for window in frames.values():
            if window.id in shown:
                yield from paint.titled(self._first_window(window), shown[window.id])
            elif window.status:
                yield from paint.plain(window)

    def _first(self, pane: Pane) -> Pane:
        """Remember the style that a pane has of its own before it gets our colour."""
        if pane.status:
            return pane
        # Asked once, before the first colour: afterwards the option holds ours.
        return msgspec.structs.replace(pane, before=self._own("-p", pane.id, "window-style"))

    def _first_window(self, window: Window) -> Window:
        if window.status:
            return window
        before = self._own("-w", window.id, "window-status-style")
        return msgspec.structs.replace(window, before=before, rename=self._own("-w", window.id, "automatic-rename"))

    def _own(self, kind: str, target: str, name: str) -> str:
        """Read an option that is set on the pane or window itself, not inherited."""
        return next(iter(self._tmux.run("show-options", kind, "-q", "-v", "-t", target, name)), UNSET)


def follow(tmux: Tmux, source: Follow) -> None:
    """Show the fleet until somebody ends it, or the server has ended; then everything is as it was."""
    display = Display(tmux)
    try:
        pause = 0.0
        while True:
            source.wait(pause)
            pause = display.show(source.members(), time.monotonic())
    finally:
        display.clear()
