"""`synaptic fleet`: who works where, and how it goes."""

import os
import signal
import sys
import time
from collections.abc import Iterable
from types import FrameType
from typing import Annotated

import msgspec

from synaptic.cli import completion, screen, typer
from synaptic.cli.place import find_place, open_database, open_journal
from synaptic.cli.verbs import Hub, make_verb_app
from synaptic.fleet import desktop, display, roster
from synaptic.fleet.follow import DatabaseFollower
from synaptic.fleet.identity import read_pane
from synaptic.fleet.tmux import TmuxError, TmuxServer
from synaptic.model.errors import LayerError, StoreError
from synaptic.model.layers import pick_foremost_status
from synaptic.model.witness import Standing
from synaptic.store import fleet
from synaptic.store.db import Store
from synaptic.store.fleet import FleetMember
from synaptic.work.witness_report import count_alarms, describe_alarms

CLEAR_SCREEN = "\x1b[H\x1b[2J"
ALARM_SECONDS = 86_400.0
REDRAW_SECONDS = 2.0
"""Seconds after which the ages are written again, and a supervisor that was killed is noticed."""

app = make_verb_app(
    "Every agent: what it does, for which task and phase, its heartbeat, how full its context is.",
    """
    synaptic fleet                     who works on what, whoever needs you first
    synaptic fleet --watch --notify    as it happens, and the desktop tells
    synaptic fleet --json --watch      one JSON object a change, for a program
    synaptic fleet tmux                colour the panes of this tmux
    synaptic fleet --hub               every machine of the team
    synaptic fleet focus api           you have seen what `api` wants
    """,
)


@app.callback(invoke_without_command=True, no_args_is_help=False)
def show(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    watch: Annotated[bool, typer.Option("--watch", "-w", help="Go on until Ctrl-C.")] = False,
    everybody: Annotated[bool, typer.Option("--all", "-a", help="Also agents that are gone for long.")] = False,
    notify: Annotated[bool, typer.Option("--notify", help="Tell the desktop, while watching.")] = False,
    hub: Hub = False,
) -> None:
    if context.invoked_subcommand:
        return
    if hub:
        if watch or notify:
            raise typer.BadParameter("not with --watch or --notify: the hub's pages are live", param_hint="--hub")
        from synaptic.cli.hub_hosts import show_hosts  # noqa: PLC0415  HTTP and TLS are for this alone

        show_hosts(as_json=as_json, everybody=everybody)
        return
    if notify and not watch:
        raise typer.BadParameter("works with --watch only", param_hint="--notify")
    source, view = DatabaseFollower(find_place().home), FleetView(as_json, everybody, notify)
    try:
        if watch:
            _watch_fleet(source, view)
        else:
            _print_once(view.choose_members(source.read_members()), view)
            if not as_json and (alarms := describe_alarms(_count_alarms())):
                screen.warn(f"agents did not do what they were told: {alarms}")
    finally:
        source.close()


@app.command()
def focus(
    agent: Annotated[
        str,
        typer.Argument(
            metavar="AGENT",
            help="Its name, or a pane of this tmux, such as %3.",
            autocompletion=completion.complete_agent_ids,
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Somebody has looked: an agent that waits for attention is checked, any other stays as it is."""
    with open_database(find_place().home) as store:
        name = _find_by_pane(store, agent) if agent.startswith("%") else agent
        status = fleet.mark_checked(store, name, time.time()) if name else None
    if status is None:
        raise LayerError("NOT_FOUND", f"there is no agent {agent!r}", hint="type: synaptic fleet --all")
    if as_json:
        screen.print_json({"agent": name, "status": status})
    else:
        screen.say(f"{name}: {status}")


@app.command()
def tmux(
    socket: Annotated[str, typer.Option(metavar="NAME", help="A server by the name that `tmux -L` takes.")] = "",
) -> None:
    """Colour panes and mark windows by what their agents do, until Ctrl-C; then everything is as it was."""
    server = TmuxServer(("-L", socket)) if socket else TmuxServer.from_environ(os.environ)
    if server is None:
        screen.say("not inside tmux: nothing to show (a server can be named with --socket)")
        return
    server.read_identity()  # an error now, if nobody is there
    # As an exception: `finally` puts the panes back also when the terminal is closed.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _exit_on_signal)
    source = DatabaseFollower(find_place().home)
    try:
        display.run_display(server, source)
    except TmuxError:
        screen.say("the tmux server has ended")
    finally:
        source.close()


class FleetView(msgspec.Struct, frozen=True):
    """How somebody wants to see the fleet."""

    as_json: bool
    everybody: bool
    notify: bool

    def choose_members(self, members: Iterable[FleetMember]) -> tuple[FleetMember, ...]:
        """Choose the members to show, in order."""
        return roster.order_members(members if self.everybody else roster.keep_present(members, time.time()))


def _print_once(members: tuple[FleetMember, ...], view: FleetView) -> None:
    if view.as_json:
        status = pick_foremost_status(tuple(one.status for one in members))
        agents = [roster.member_to_json(one) for one in members]
        screen.print_json({"status": status, "agents": agents, "witness": _count_alarms()})
    else:
        _print_table(members)


def _count_alarms() -> dict[Standing, int]:
    """Calls of the last day that did not go as they were decided; none where nothing can be read."""
    home = find_place().home
    try:
        with open_journal(home) as store:
            return count_alarms(store, time.time() - ALARM_SECONDS)
    except StoreError:
        return {}


def _watch_fleet(source: DatabaseFollower, view: FleetView) -> None:
    before: tuple[FleetMember, ...] | None = None
    while True:
        moved = source.wait(0.0 if before is None else REDRAW_SECONDS)
        members = view.choose_members(source.read_members())
        changes = roster.find_changes(before or (), members)
        if view.notify and before is not None:
            for alert in desktop.make_alerts(changes):
                desktop.show_alert(alert, os.environ)
        if view.as_json:
            _print_changes(changes)
        # Without news only a terminal is redrawn, for the ages in the table: a file would grow for ever.
        elif changes or before is None or (not moved and screen.is_terminal()):
            _redraw_table(members)
        before = members
        sys.stdout.flush()


def _print_changes(changes: Iterable[roster.MemberChange]) -> None:
    for change in changes:
        screen.print_json_line(
            roster.member_to_json(change.after) if change.after else {"agent": change.agent, "gone": True}
        )


def _redraw_table(members: tuple[FleetMember, ...]) -> None:
    """Print the table again: over the last one on a terminal, below it elsewhere."""
    if screen.is_terminal():
        sys.stdout.write(CLEAR_SCREEN)
    _print_table(members)
    if not screen.is_terminal():
        screen.say()


def _print_table(members: tuple[FleetMember, ...]) -> None:
    if not members:
        screen.say("no agent is at work in the fleet (start one: synaptic run -- claude)")
        screen.say("Sessions outside it are in `synaptic top`; `synaptic policy enable @fleet` takes them in.")
        return
    now = time.time()
    screen.print_table(*roster.make_table(members, now))


def _find_by_pane(store: Store, pane: str) -> str:
    """Find the agent in a pane of the tmux server that we run in."""
    wanted = read_pane({**os.environ, "TMUX_PANE": pane})
    return next((one.agent for one in fleet.list_members(store) if wanted and one.pane == wanted), "")


def _exit_on_signal(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
