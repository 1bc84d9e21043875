"""The inbox on a whole terminal: it follows the database, and carries out what keys say."""

from typing import cast

import msgspec

from synaptic.cli.by_daemon import ask_daemon_for, is_pin_needed
from synaptic.cli.carry_out import carry_out
from synaptic.cli.full_screen import FullScreen
from synaptic.cli.inbox_view import InboxView, Wish, ask_first, ask_pin, draw_view, press_key, show_calls
from synaptic.cli.place import CommandPlace
from synaptic.fleet.follow import DatabaseFollower
from synaptic.model.errors import LayerError, SynapticError
from synaptic.model.grant import GrantScope
from synaptic.store.db import Store
from synaptic.store.refused import RefusedCall
from synaptic.work.command import Caller, CommandContext
from synaptic.work.consent import PIN_WRONG
from synaptic.work.disputes import MarkWrong
from synaptic.work.grants import AllowCall, Allowed
from synaptic.work.inbox import ListInbox, UpholdRefusal, is_grantable

REDRAW_SECONDS = 10.0
"""Seconds after which ages are written again."""
ANSWERED = {
    "once": ": allowed once", "here": ": allowed in this project", "always": ": allowed everywhere",
    "uphold": " is upheld",
}  # fmt: skip


def show_inbox(place: CommandPlace, wanted: ListInbox) -> None:
    """Show the inbox until its reader leaves. Raises SystemExit for a signal, after the terminal is as it was."""
    source = DatabaseFollower(place.home)
    try:
        with FullScreen() as screen:
            InboxScreen(place, wanted, source).run(screen)
    finally:
        source.close()


class InboxScreen:
    """What is shown and done while it is open."""

    def __init__(self, place: CommandPlace, wanted: ListInbox, source: DatabaseFollower) -> None:
        self._place = place
        self._wanted = wanted
        self._source = source
        self.view = InboxView()

    def run(self, screen: FullScreen) -> None:
        """Until somebody leaves, or nobody can type any more."""
        self._reload()
        while True:
            screen.draw(*draw_view(self.view, screen.size))
            if self._source.wait(screen.patience or REDRAW_SECONDS, (screen.stdin, screen.wake)):
                self._reload()
            keys = screen.read_keys()
            if keys is None:
                return
            for key in keys:
                self.view, wish = press_key(self.view, key)
                if wish == "quit":
                    return
                if wish and self.view.selected:
                    screen.draw(*draw_view(self.view.change(told="one moment ..."), screen.size))
                    self._fulfil(wish, self.view.selected)
                    # What was typed meanwhile was typed before the outcome was seen.
                    screen.forget_keys()
                    break

    def _reload(self) -> None:
        shown = {row.mark for row in self.view.rows}

        def read(store: Store) -> tuple[RefusedCall, ...]:
            everything = msgspec.structs.replace(self._wanted, all=True)
            context = CommandContext(store, Caller(root=self._place.root, cwd=self._place.cwd))
            waiting = {call.mark for group in self._wanted.run(context) for call in group.calls}
            calls = (call for group in everything.run(context) for call in group.calls)
            return tuple(call for call in calls if call.mark in waiting | shown)

        found = self._source.run_with_store(read, None)
        if found is None:
            self.view = self.view.change(told="the database cannot be read now; what is shown may be old")
        else:
            self.view = show_calls(self.view, sorted(found, key=lambda call: -call.last_at))

    def _fulfil(self, wish: Wish, call: RefusedCall) -> None:
        view, self.view = self.view, self.view.change(pin="", wish="")
        try:
            if wish == "wrong":
                self._mark_wrong(call)
            else:
                self._answer(wish, call, view.pin)
        except SynapticError as error:
            self.view = self.view.change(told=str(error))
        self._reload()

    def _mark_wrong(self, call: RefusedCall) -> None:
        done = carry_out(MarkWrong(code=call.code, mark=call.mark))
        told = f"written to {done.files[0]}." if done.files else "it has no cases."
        if is_grantable(call):
            self.view = ask_first(self.view, "here", f"Allow exactly this call in this project too? ({told})")
        else:
            self.view = self.view.change(told=told)

    def _answer(self, wish: Wish, call: RefusedCall, pin: str) -> None:
        try:
            if wish == "uphold":
                carry_out(UpholdRefusal(code=call.code, mark=call.mark, pin=pin))
            else:
                ask_daemon_for(AllowCall(refusal=call.mark, scope=cast(GrantScope, wish), pin=pin), Allowed)
        except LayerError as error:
            if not is_pin_needed(error) and error.code != PIN_WRONG:
                raise
            self.view = ask_pin(self.view, wish, str(error) if pin else "")
            return
        self.view = self.view.change(told=f"{call.code}{ANSWERED[wish]}")
