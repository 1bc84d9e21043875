"""`synaptic daemon`: the one process that answers events, started, stopped and looked at."""

from datetime import datetime
from typing import Any

import msgspec
import typer

import synaptic
from synaptic.cli import screen
from synaptic.cli.place import here
from synaptic.cli.verbs import Json, verb
from synaptic.daemon import lifecycle
from synaptic.daemon.client import responds, rpc
from synaptic.model.errors import DaemonError
from synaptic.model.home import Home

READY = 10.0
"""Seconds in which a daemon that was started takes calls."""

app = verb(
    "Start, stop and look at the daemon. Agents start it by themselves: this is for you.",
    """
    synaptic daemon status   who answers, since when; exit code 1 when nobody does
    synaptic daemon restart  after an upgrade
    """,
)


@app.command()
def start(as_json: Json = False) -> None:
    """Start the daemon in the background; exit code 1 when it already runs."""
    home = here().home
    if not lifecycle.start(home):
        now = lifecycle.status(home)
        who = f"already runs (process {now.pid})" if now.pid else "is starting already"
        raise DaemonError(f"the daemon {who}", where=str(home.socket))
    ready(home)
    _tell(home, "started", as_json)


@app.command()
def stop(as_json: Json = False) -> None:
    """End the daemon after what it is working on."""
    home = here().home
    was = lifecycle.stop(home)
    if as_json:
        screen.document({"ok": True, "was": was.state, "pid": was.pid or None})
        return
    screen.say("the daemon was not running" if was.state == "stopped" else f"stopped (process {was.pid})")


@app.command()
def restart(as_json: Json = False) -> None:
    """Stop the daemon, then start it."""
    home = here().home
    if not lifecycle.restart(home):
        raise DaemonError("somebody else is restarting the daemon", where=str(home.run), hint="try again")
    ready(home)
    _tell(home, "restarted", as_json)


@app.command()
def status(as_json: Json = False) -> None:
    """Say whether the daemon runs; exit code 1 when it does not."""
    _tell(here().home, "", as_json)


@app.command()
def run() -> None:
    """Be the daemon, in the foreground, until Ctrl-C."""
    from synaptic.daemon import server  # noqa: PLC0415  the engine, which the other words do not need

    server.run(here().home)


def ensure(home: Home) -> str:
    """Start or restart the daemon until one of this version takes calls; returns what was done."""
    now = lifecycle.status(home)
    if now.state == "running" and now.version == synaptic.__version__ and responds(home):
        return "already runs"
    done = "started" if now.state == "stopped" else "restarted"
    if now.state == "stopped":
        lifecycle.start(home)
    # `starting`: somebody else has just started one, and waiting is all there is to do.
    elif now.state == "running":
        lifecycle.restart(home)
    ready(home)
    return done


def ready(home: Home) -> None:
    """Wait for a daemon that was just started; the error shows the last line of its log."""
    if not lifecycle.wait_ready(home, READY):
        raise DaemonError(f"the daemon does not answer{_last_words(home)}", where=str(home.log), hint="read that file")


def _last_words(home: Home) -> str:
    try:
        lines = home.log.read_text(errors="replace").strip().splitlines()
    except OSError:
        return ""
    return f"; its last words: {lines[-1]}" if lines else ""


def _tell(home: Home, done: str, as_json: bool) -> None:
    now = lifecycle.status(home)
    asked = _asked(home) if now.state == "running" else {}
    if as_json:
        screen.document({"ok": now.state != "stopped", **msgspec.to_builtins(now), **asked})
    else:
        screen.say(_sentence(now, asked, done))
    if now.state == "stopped":
        raise typer.Exit(1)


def _sentence(now: lifecycle.Status, asked: dict[str, Any], done: str) -> str:
    if now.state != "running":
        return f"{now.state} ({now.socket})"
    since = datetime.fromtimestamp(now.since).strftime("%Y-%m-%d %H:%M:%S")
    work = f", {asked['answered']} events answered" if "answered" in asked else ", but it does not answer"
    return f"{done or 'running'} (process {now.pid}, version {now.version}, since {since}{work})"


def _asked(home: Home) -> dict[str, Any]:
    try:
        answer = rpc(home, "daemon.status", timeout=5.0)
    except DaemonError:
        return {}
    return answer if isinstance(answer, dict) else {}
