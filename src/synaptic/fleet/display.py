"""Show the fleet in tmux: colour panes and mark windows by agent status. Reads the database, writes only to tmux."""

import time
from collections.abc import Iterable, Iterator

import msgspec

from synaptic.fleet import paint
from synaptic.fleet.follow import DatabaseFollower
from synaptic.fleet.paint import UNSET, TmuxCommand, TmuxPane, TmuxWindow
from synaptic.fleet.roster import find_window_statuses
from synaptic.fleet.tmux import TmuxServer
from synaptic.model.layers import Status
from synaptic.store.fleet import FleetMember

RECHECK_SECONDS = 2.0
"""Seconds after which panes that were moved or closed are noticed, though nobody has changed status."""
CALMING_SECONDS = 0.2
"""Seconds before something becomes calmer: what is urgent is shown at once, and nothing flickers."""
ShownAgent = tuple[str, Status]


class TmuxDisplay:
    """Display on one tmux server. Compares what is shown with what should be, each time, so that two displays agree."""

    def __init__(self, tmux: TmuxServer) -> None:
        self._tmux = tmux
        self._identity = tmux.read_identity()
        self._due: dict[str, float] = {}

    def show(self, members: Iterable[FleetMember], now: float) -> float:
        """Paint what has changed; returns when to look again at the latest, in seconds."""
        panes, frames = paint.parse_panes(self._tmux.run("list-panes", "-a", "-F", paint.PANES_FORMAT))
        placed = {
            pane: self._delay_calming(panes[pane], who, now)
            for pane, who in self._locate_agents(members)
            if pane in panes
        }
        # A pane that is gone must not keep waking us.
        self._due = {pane: due for pane, due in self._due.items() if pane in placed}
        self._tmux.run_batch([*self._paint_panes(panes, placed), *self._paint_windows(panes, frames, placed)])
        # A floor: a moment that is only a hair away must not become a busy loop.
        return max(0.01, min((due - now for due in self._due.values()), default=RECHECK_SECONDS))

    def clear(self) -> None:
        """Put every pane and window back as it was."""
        panes, frames = paint.parse_panes(self._tmux.run("list-panes", "-a", "-F", paint.PANES_FORMAT))
        self._tmux.run_batch([*self._paint_panes(panes, {}), *self._paint_windows(panes, frames, {})])

    def _locate_agents(self, members: Iterable[FleetMember]) -> Iterator[tuple[str, ShownAgent]]:
        """Agents of this server by pane; the one heard of last, where two say that they have the same."""
        # Oldest first, because the caller makes a dict of this and the last one of a pane wins.
        for member in sorted(members, key=lambda one: one.since):
            server, _, pane = member.pane.rpartition(":")
            if server == self._identity:
                yield pane, (member.agent, member.status)

    def _delay_calming(self, pane: TmuxPane, who: ShownAgent, now: float) -> ShownAgent:
        """Choose what to show now: a less urgent status waits a moment, so that nothing flickers."""
        agent, status = who
        if not paint.is_calmer(status, pane.status):
            self._due.pop(pane.id, None)
            return who
        if now >= self._due.setdefault(pane.id, now + CALMING_SECONDS):
            del self._due[pane.id]
            return who
        return agent, pane.status  # type: ignore[return-value]  # is_calmer knows it

    def _paint_panes(self, panes: dict[str, TmuxPane], placed: dict[str, ShownAgent]) -> Iterator[TmuxCommand]:
        for pane in panes.values():
            if pane.id in placed:
                yield from paint.tint_pane(self._remember_pane_style(pane), *placed[pane.id])
            elif pane.status:
                yield from paint.restore_pane(pane)

    def _paint_windows(
        self, panes: dict[str, TmuxPane], frames: dict[str, TmuxWindow], placed: dict[str, ShownAgent]
    ) -> Iterator[TmuxCommand]:
        shown = find_window_statuses((panes[pane].window, status) for pane, (_, status) in placed.items())
        for window in frames.values():
            if window.id in shown:
                yield from paint.title_window(self._remember_window_style(window), shown[window.id])
            elif window.status:
                yield from paint.restore_window(window)

    def _remember_pane_style(self, pane: TmuxPane) -> TmuxPane:
        """Remember the style that a pane has of its own before it gets our colour."""
        if pane.status:
            return pane
        # Asked once, before the first colour: afterwards the option holds ours.
        return msgspec.structs.replace(pane, before=self._read_option("-p", pane.id, "window-style"))

    def _remember_window_style(self, window: TmuxWindow) -> TmuxWindow:
        if window.status:
            return window
        before = self._read_option("-w", window.id, "window-status-style")
        return msgspec.structs.replace(
            window, before=before, rename=self._read_option("-w", window.id, "automatic-rename")
        )

    def _read_option(self, kind: str, target: str, name: str) -> str:
        """Read an option that is set on the pane or window itself, not inherited."""
        return next(iter(self._tmux.run("show-options", kind, "-q", "-v", "-t", target, name)), UNSET)


def run_display(tmux: TmuxServer, source: DatabaseFollower) -> None:
    """Show the fleet until somebody ends it, or the server has ended; then everything is as it was."""
    display = TmuxDisplay(tmux)
    try:
        pause = 0.0
        while True:
            source.wait(pause)
            pause = display.show(source.read_members(), time.monotonic())
    finally:
        display.clear()
