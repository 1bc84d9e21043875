"""`synaptic daemon`: the one process that answers events, started, stopped and looked at."""

import time
from datetime import datetime
from typing import Any

import msgspec

import synaptic
from synaptic.cli import progress, screen, typer
from synaptic.cli.place import find_place
from synaptic.cli.verbs import Json, make_verb_app
from synaptic.daemon import lifecycle
from synaptic.daemon.checks import has_installed_code
from synaptic.daemon.client import call_rpc, is_responding
from synaptic.model.errors import DaemonError
from synaptic.model.home import Home
from synaptic.setup.code import SHORT_LENGTH

RENEW_SECONDS = 45.0
"""Seconds in which a daemon is replaced by one with other code."""
READY_SECONDS = 10.0
"""Seconds in which a daemon that was started takes calls."""
STARTING_SECONDS = 60.0
"""How long one is waited for that is alive and has not come so far: a cold disk and a busy machine take their time."""

app = make_verb_app(
    "Start, stop and look at the daemon. Agents start it by themselves: this is for you.",
    """
    synaptic daemon status   who answers, since when; exit code 1 when nobody does
    synaptic daemon restart  when it hangs; after an upgrade it replaces itself
    """,
)


@app.command()
def start(as_json: Json = False) -> None:
    """Start the daemon in the background; exit code 1 when it already runs."""
    home = find_place().home
    with progress.show_progress("starting the daemon"):
        is_ours = lifecycle.start_daemon(home)
    if not is_ours:
        now = lifecycle.read_status(home)
        who = f"already runs (process {now.pid})" if now.pid else "is starting already"
        raise DaemonError(f"the daemon {who}", where=str(home.socket))
    require_ready(home)
    _print_status(home, "started", as_json)


@app.command()
def stop(as_json: Json = False) -> None:
    """End the daemon after what it is working on."""
    home = find_place().home
    with progress.show_progress("stopping the daemon"):
        was = lifecycle.stop_daemon(home)
    if as_json:
        screen.print_json({"ok": True, "was": was.state, "pid": was.pid or None})
        return
    screen.say("the daemon was not running" if was.state == "stopped" else f"stopped (process {was.pid})")


@app.command()
def restart(as_json: Json = False) -> None:
    """Stop the daemon, then start it."""
    home = find_place().home
    if not lifecycle.restart_daemon(home):
        raise DaemonError("somebody else is restarting the daemon", where=str(home.run), hint="try again")
    require_ready(home)
    _print_status(home, "restarted", as_json)


@app.command()
def status(as_json: Json = False) -> None:
    """Say whether the daemon runs; exit code 1 when it does not."""
    _print_status(find_place().home, "", as_json)


@app.command()
def run() -> None:
    """Be the daemon, in the foreground, until Ctrl-C."""
    from synaptic.daemon import server  # noqa: PLC0415  the engine, which the other words do not need

    server.run_daemon(find_place().home)


def ensure_daemon(home: Home) -> str:
    """Start or replace the daemon until one with the code that is installed takes calls; returns what was done."""
    now = lifecycle.read_status(home)
    if now.state == "running" and now.version == synaptic.__version__ and is_responding(home):
        return "already runs" if has_installed_code(home, now) else _renew_daemon(home)
    done = "started" if now.state == "stopped" else "restarted"
    if now.state == "stopped":
        lifecycle.start_daemon(home)
    # `starting`: somebody else has just started one, and it is waited for, unless it hangs.
    elif now.state == "running" or not lifecycle.wait_ready(home, READY_SECONDS) or not is_responding(home):
        lifecycle.restart_daemon(home)
    require_ready(home)
    return done


def warn_of_other_code(home: Home) -> None:
    """Say on stderr that the answer came from code that is no longer installed."""
    now = lifecycle.read_status(home)
    if now.state == "running" and not has_installed_code(home, now):
        screen.warn("the daemon has loaded other code than is installed now; it is replaced with: synaptic up")


def _renew_daemon(home: Home) -> str:
    """Let the daemon hand over to one that loads the code of now. One that cannot be started leaves the old one."""
    try:
        told = call_rpc(home, "daemon.renew", timeout=RENEW_SECONDS)
    except DaemonError:
        lifecycle.restart_daemon(home)  # of an earlier build, or it has just ended
    else:
        if isinstance(told, dict) and told.get("trouble"):
            raise DaemonError(str(told["trouble"]), where=str(home.log))
    require_ready(home)
    return "was replaced: the code has changed"


def require_ready(home: Home) -> None:
    """Wait for a daemon that was just started; the error shows the last line of its log."""
    until = time.monotonic() + STARTING_SECONDS
    with progress.show_progress("waiting for the daemon"):
        while not lifecycle.wait_ready(home, READY_SECONDS):
            if lifecycle.read_status(home).state == "stopped" or time.monotonic() > until:
                raise _describe_unready(home)


def _describe_unready(home: Home) -> DaemonError:
    words = _read_last_words(home)
    if words or lifecycle.read_status(home).state == "stopped":
        return DaemonError(f"the daemon does not answer{words}", where=str(home.log), hint="read that file")
    return DaemonError(
        "the daemon is still starting: this machine is busy", where=str(home.socket), hint="type: synaptic up"
    )


def _read_last_words(home: Home) -> str:
    try:
        lines = home.log.read_text(errors="replace").strip().splitlines()
    except OSError:
        return ""
    return f"; its last words: {lines[-1]}" if lines else ""


def _print_status(home: Home, done: str, as_json: bool) -> None:
    now = lifecycle.read_status(home)
    asked = _ask_status(home) if now.state == "running" else {}
    if as_json:
        screen.print_json({"ok": now.state != "stopped", **msgspec.to_builtins(now), **asked})
    else:
        screen.say(_describe_status(now, asked, done))
        warn_of_other_code(home)
    if now.state == "stopped":
        raise typer.Exit(1)


def _describe_status(now: lifecycle.DaemonStatus, asked: dict[str, Any], done: str) -> str:
    if now.state != "running":
        return f"{now.state} ({now.socket})"
    since = datetime.fromtimestamp(now.since).strftime("%Y-%m-%d %H:%M:%S")
    work = f", {asked['answered']} events answered" if "answered" in asked else ", but it does not answer"
    trouble = f"\n{asked['trouble']}" if asked.get("trouble") else ""
    who = f"process {now.pid}, version {now.version}, code {now.code[:SHORT_LENGTH] or 'unknown'}"
    return f"{done or 'running'} ({who}, since {since}{work}){trouble}"


def _ask_status(home: Home) -> dict[str, Any]:
    try:
        answer = call_rpc(home, "daemon.status", timeout=5.0)
    except DaemonError:
        return {}
    return answer if isinstance(answer, dict) else {}
