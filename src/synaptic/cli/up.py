"""`synaptic up`: from nothing to a first event that is decided, explained, and can be undone."""

import os
import secrets
import shlex
import shutil
import subprocess  # noqa: TID251  the dispatcher is run exactly as an agent runs it
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import msgspec

from synaptic.cli import daemon, event, job, screen, typer
from synaptic.cli.bootstrap import FailChoice, merge_choices, print_report, read_installation, set_engine_fail
from synaptic.cli.offers import can_ask, find_offers, make_offers
from synaptic.cli.place import CommandPlace, find_place, open_journal
from synaptic.cli.verbs import format_examples, make_verb_app
from synaptic.model.errors import DaemonError
from synaptic.setup import bootstrap as packages
from synaptic.setup.options import SetupOptions, SetupReport
from synaptic.setup.profile import find_typed_shell, format_path_line
from synaptic.store import journal
from synaptic.store.record import JournalEntry, entry_to_json

app = make_verb_app()

PROBE_TOOL = "Bash"
PROBE_TIMEOUT = 60.0
"""Seconds: without a daemon the first call starts the engine itself."""

NEXT_STEPS = (
    ("doctor", "whether everything is right"),
    ("check 'rm -rf ~'", "what would be said about a call"),
    ("policy list --on", "the rules that are on"),
    ("tail -f", "events as they happen"),
)

EXAMPLES = """
synaptic up     set everything up, then see one event go through
synaptic up --ci --fail closed   in a job: everything below SYNAPTIC_HOME or a temporary folder
synaptic down   take it all out again
"""


class ProbeAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What the dispatcher answered."""

    session: str
    exit: int
    stdout: str
    stderr: str
    milliseconds: float


class SetUpResult(msgspec.Struct, frozen=True):
    """What one `up` did."""

    place: CommandPlace
    options: SetupOptions
    report: SetupReport
    daemon: str
    sent: ProbeAnswer
    may_ask: bool


@app.command(epilog=format_examples(EXAMPLES))
def up(
    ci: Annotated[bool, typer.Option("--ci", help="In a job: no questions, no HOME, one folder.")] = False,
    fail: Annotated[FailChoice | None, typer.Option(help="What an event means that cannot be checked.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Install, start the daemon, send one harmless event through the dispatcher and show what became of it.

    Run it again at any time: what is already right is left alone.
    """
    place = job.find_job_place() if ci else find_place()
    may_ask = can_ask(place.home)  # before the probe, which makes this process one that calls hooks
    tell = _tell_nothing if as_json else _tell_at_once
    tell(f"Setting up in {place.home.root} ...")
    options = _choose_options(job.read_job_installation(place) if ci else read_installation(place), fail)
    report = _run_bootstrap(options, fail)
    if not as_json:
        screen.say("What was changed")
        print_report(report)
    # Before the probe, which should take as long as an agent's calls will, not as long as a start.
    tell("Starting the daemon ...")
    started = daemon.ensure_daemon(place.home)
    tell(f"  daemon {started}: {place.home.socket}\nSending a first event ...")
    sent = send_probe(place.home.dispatch, place.root or place.cwd)
    _end_probe(place.home.dispatch, place.root or place.cwd, sent.session)
    done = SetUpResult(place, options, report, started, sent, may_ask)
    _print_json(done) if as_json else _print_result(done, is_job=ci)
    if sent.exit != 0:
        raise typer.Exit(1)


def _run_bootstrap(options: SetupOptions, fail: FailChoice | None) -> SetupReport:
    report = packages.run_bootstrap(options)
    if fail is None:
        return report
    return msgspec.structs.replace(report, changes=(*report.changes, set_engine_fail(options.home, fail)))


def _choose_options(options: SetupOptions, fail: FailChoice | None) -> SetupOptions:
    return msgspec.structs.replace(options, choices=merge_choices(options.home, None, None, fail)) if fail else options


def _tell_at_once(text: str) -> None:
    """Say what happens now, also through a pipe: setting up takes seconds, and silence looks like a hang."""
    screen.say(text)
    sys.stdout.flush()


def _tell_nothing(text: str) -> None:
    """Where a script reads the one document at the end."""


def _print_json(done: "SetUpResult") -> None:
    entry = _find_entry(done.place, done.sent.session)
    told = {"changes": done.report.changes, "daemon": done.daemon, "event": msgspec.to_builtins(done.sent)}
    found = find_offers(done.options)
    screen.print_json({"ok": done.sent.exit == 0, **told, "trace": entry and entry_to_json(entry), "offers": found})


def _print_result(done: "SetUpResult", *, is_job: bool) -> None:
    _print_probe(done.sent, _find_entry(done.place, done.sent.session))
    if is_job:
        job.print_variables(done.options)
        return
    command = find_command(done.options)
    make_offers(done.options, command, may_ask=done.may_ask)
    _print_next_steps(done, command)


def _find_entry(place: CommandPlace, session: str) -> JournalEntry | None:
    with open_journal(place.home) as store:
        found = journal.read_last_entries(store, 1, session=session, tool=PROBE_TOOL)
    return found[0] if found else None


def _print_probe(sent: ProbeAnswer, entry: JournalEntry | None) -> None:
    screen.say(f"\nA real event through the real dispatcher ({sent.milliseconds:.1f} ms, exit code {sent.exit})")
    if entry is not None:
        event.print_story(entry)
    else:
        screen.say("  it is not in the journal, which is switched off in config.toml")
    if sent.stderr:
        screen.say(f"  the dispatcher said: {sent.stderr}")


def find_command(options: SetupOptions) -> str:
    """What to type for `synaptic` in the shell that is open now: the word where it is found, else the whole path."""
    found = shutil.which("synaptic", path=options.search_path)
    ours = (options.home.bin, Path(sys.executable).parent)
    return "synaptic" if found and Path(found).parent in ours else shlex.quote(str(options.home.launcher))


def _print_next_steps(done: "SetUpResult", command: str) -> None:
    home, options = done.place.home, done.options
    if command != "synaptic":
        screen.say("\nNew terminals know `synaptic`. In this one, type first:")
        screen.say_exactly(f"  {format_path_line(find_typed_shell(options.profile), home)}")
    screen.say("\nNext:" if command == "synaptic" else "\nNext, with the whole path it works at once:")
    for words, about in NEXT_STEPS:
        screen.say_exactly(screen.cut_line(f"  {command} {words:<20} {about}", 0))
    screen.say(f"\nUndo all of it (the journal stays: {home.database}):")
    screen.say_exactly(f"  {command} down")
    if done.place.project is None:
        screen.say("This folder is no project; `synaptic up` in one writes its variables too.")


def send_probe(dispatch: Path, cwd: str) -> ProbeAnswer:
    """Send a real, harmless event through the installed dispatcher: proof that the agent's next call is answered."""
    session = f"synaptic-probe-{secrets.token_hex(6)}"
    payload = {
        "session_id": session,
        "cwd": os.fsencode(cwd).decode("utf-8", "replace"),
        "hook_event_name": "PreToolUse",
        "tool_name": PROBE_TOOL,
        "tool_input": {"command": "echo synaptic is up", "description": "A harmless event from `synaptic up`"},
    }
    started = time.perf_counter()
    done = _run_dispatcher(dispatch, payload, cwd)
    return ProbeAnswer(
        session=session,
        exit=done.returncode,
        stdout=done.stdout.decode("utf-8", "replace").strip(),
        stderr=done.stderr.decode("utf-8", "replace").strip(),
        milliseconds=(time.perf_counter() - started) * 1000,
    )


def _end_probe(dispatch: Path, cwd: str, session: str) -> None:
    """Say that its session is over: else it would be shown as an agent at work."""
    folder = os.fsencode(cwd).decode("utf-8", "replace")
    event = {"session_id": session, "cwd": folder, "hook_event_name": "SessionEnd", "reason": "other"}
    _run_dispatcher(dispatch, event, cwd)


def _run_dispatcher(dispatch: Path, payload: Mapping[str, object], cwd: str) -> "subprocess.CompletedProcess[bytes]":
    # The folder that counts is the one that was asked about, not the project of a session around us.
    env = {name: value for name, value in os.environ.items() if name != "CLAUDE_PROJECT_DIR"}
    try:
        return subprocess.run(
            [dispatch, str(payload["hook_event_name"])],
            input=msgspec.json.encode(payload),
            capture_output=True,
            timeout=PROBE_TIMEOUT,
            check=False,
            cwd=cwd,
            env=env,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        hint = "type: synaptic bootstrap"
        raise DaemonError(f"the dispatcher cannot be run: {error}", where=str(dispatch), hint=hint) from error
