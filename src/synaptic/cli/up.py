"""`synaptic up`: from nothing to a first event that is decided, explained, and can be undone."""

import os
import secrets
import subprocess  # noqa: TID251  the dispatcher is run exactly as an agent runs it
import time
from pathlib import Path
from typing import Annotated

import msgspec

from synaptic.cli import daemon, event, screen, typer
from synaptic.cli.bootstrap import print_report, read_installation
from synaptic.cli.place import CommandPlace, find_place, open_journal
from synaptic.cli.verbs import format_examples, make_verb_app
from synaptic.model.errors import DaemonError
from synaptic.setup import bootstrap as packages
from synaptic.store import journal
from synaptic.store.record import JournalEntry, entry_to_json

app = make_verb_app()

PROBE_TIMEOUT = 60.0
"""Seconds: without a daemon the first call starts the engine itself."""

EXAMPLES = """
synaptic up     set everything up, then see one event go through
synaptic down   take it all out again
"""


class ProbeAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What the dispatcher answered."""

    session: str
    exit: int
    stdout: str
    stderr: str
    milliseconds: float


@app.command(epilog=format_examples(EXAMPLES))
def up(as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False) -> None:
    """Install, start the daemon, send one harmless event through the dispatcher and show what became of it.

    Run it again at any time: what is already right is left alone.
    """
    place = find_place()
    report = packages.run_bootstrap(read_installation(place))
    # Before the probe, which should take as long as an agent's calls will, not as long as a start.
    started = daemon.ensure_daemon(place.home)
    sent = send_probe(place.home.dispatch, place.root or place.cwd)
    entry = _find_entry(place, sent.session)
    if as_json:
        answer = msgspec.to_builtins(sent)
        told = {"changes": report.changes, "daemon": started, "event": answer, "trace": entry and entry_to_json(entry)}
        screen.print_json({"ok": sent.exit == 0, **told})
    else:
        screen.say("What was changed")
        print_report(report)
        screen.say(f"  daemon {started}: {place.home.socket}")
        _print_probe(sent, entry)
        _print_next_steps(place)
    if sent.exit != 0:
        raise typer.Exit(1)


def _find_entry(place: CommandPlace, session: str) -> JournalEntry | None:
    with open_journal(place.home) as store:
        found = journal.read_last_entries(store, 1, session=session)
    return found[0] if found else None


def _print_probe(sent: ProbeAnswer, entry: JournalEntry | None) -> None:
    screen.say(f"\nA real event through the real dispatcher ({sent.milliseconds:.1f} ms, exit code {sent.exit})")
    if entry is not None:
        event.print_story(entry)
    else:
        screen.say("  it is not in the journal, which is switched off in config.toml")
    if sent.stderr:
        screen.say(f"  the dispatcher said: {sent.stderr}")


def _print_next_steps(place: CommandPlace) -> None:
    screen.say(f"\nUndo all of it:  synaptic down   (the journal stays: {place.home.database})")
    screen.say("Next:            synaptic list   synaptic policy list   synaptic tail -f   synaptic doctor")
    if place.project is None:
        screen.say("This folder is no project; `synaptic up` in one writes its variables too.")


def send_probe(dispatch: Path, cwd: str) -> ProbeAnswer:
    """Send a real, harmless event through the installed dispatcher: proof that the agent's next call is answered."""
    session = f"synaptic-probe-{secrets.token_hex(6)}"
    payload = {
        "session_id": session,
        "cwd": os.fsencode(cwd).decode("utf-8", "replace"),
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "echo synaptic is up", "description": "A harmless event from `synaptic up`"},
    }
    started = time.perf_counter()
    done = _run_dispatcher(dispatch, msgspec.json.encode(payload), cwd)
    return ProbeAnswer(
        session=session,
        exit=done.returncode,
        stdout=done.stdout.decode("utf-8", "replace").strip(),
        stderr=done.stderr.decode("utf-8", "replace").strip(),
        milliseconds=(time.perf_counter() - started) * 1000,
    )


def _run_dispatcher(dispatch: Path, stdin: bytes, cwd: str) -> "subprocess.CompletedProcess[bytes]":
    # The folder that counts is the one that was asked about, not the project of a session around us.
    env = {name: value for name, value in os.environ.items() if name != "CLAUDE_PROJECT_DIR"}
    try:
        return subprocess.run(
            [dispatch, "PreToolUse"],
            input=stdin,
            capture_output=True,
            timeout=PROBE_TIMEOUT,
            check=False,
            cwd=cwd,
            env=env,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        hint = "type: synaptic bootstrap"
        raise DaemonError(f"the dispatcher cannot be run: {error}", where=str(dispatch), hint=hint) from error
