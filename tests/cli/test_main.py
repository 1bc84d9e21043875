"""One clear line for every error, and the exit codes."""

import os
import signal
import subprocess
import sys

import pytest

import synaptic
from synaptic.cli.verbs import VERB_GROUPS, VERBS
from tests.cli.conftest import User


def test_version(user: User):
    assert user.types("--version").out == f"synaptic {synaptic.__version__}\n"


def test_the_overview_names_every_verb(user: User):
    shown = user.types("--help")
    assert shown.code == 0
    assert all(f"  {verb} " in shown.out for verb in VERBS)
    assert all(f"\n{group}:\n" in shown.out for group in VERB_GROUPS)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_examples(user: User, verb: str):
    shown = user.types(verb, "--help")
    assert shown.code == 0
    assert "Examples:" in shown.out
    assert f"synaptic {verb}" in shown.out


def test_a_mistyped_verb_is_guessed(user: User):
    shown = user.types("doctr")
    assert shown.code == 2
    assert "Did you mean 'doctor'?" in shown.err


def test_a_usage_error_of_check_is_no_deny(user: User):
    assert user.types("check", "--nonsense").code == 64
    assert user.types("check").code == 64
    assert user.types("list", "--nonsense").code == 2


def test_an_error_says_what_where_and_what_to_type(user: User):
    shown = user.types("explain", "--last")
    assert shown.code == 1
    assert shown.err == f"synaptic: {user.home.database}: there is no journal yet (type: synaptic up)\n"
    assert shown.out == ""


def test_an_error_is_json_where_a_script_reads(user: User):
    shown = user.types("explain", "--json")
    assert shown.code == 1
    assert shown.json["ok"] is False
    assert shown.json["error"]["hint"] == "type: synaptic up"


def test_a_usage_error_is_json_too(user: User):
    shown = user.types("check", "--json")
    assert shown.code == 64
    assert shown.json["ok"] is False


def test_a_crash_is_one_line_and_a_file(user: User, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("synaptic.cli.registered.load_hook_catalog", lambda place: 1 / 0)
    shown = user.types("list")
    assert shown.code == 1
    assert shown.err.count("\n") == 1
    assert "Traceback" not in shown.err
    log = user.home.run / "crash.log"
    assert str(log) in shown.err
    assert "ZeroDivisionError" in log.read_text()
    assert log.stat().st_mode & 0o777 == 0o600


def test_a_crash_is_shown_whole_on_request(user: User, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SYNAPTIC_DEBUG", "1")
    monkeypatch.setattr("synaptic.cli.registered.load_hook_catalog", lambda place: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        user.types("list")


def test_a_reader_that_leaves_is_no_error(user: User):
    user.configures('presets = ["strict"]\n')
    command = f"{sys.executable} -m synaptic.cli.main config schema | head -c 1"
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, timeout=60, check=False)
    assert done.stdout == b"{"
    assert done.stderr == b""


def test_control_c_ends_quietly_with_130(user: User):
    user.types("bootstrap")
    user.sends()
    process = subprocess.Popen(
        [sys.executable, "-m", "synaptic.cli.main", "tail", "-f"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert err == b""


def test_a_current_folder_that_is_gone_is_said(user: User):
    gone = user.project / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    shown = user.types("list")
    assert shown.code == 1
    assert "the current folder is gone" in shown.err


UNWRITABLE = ("up", "down", "bootstrap", "trust --yes", "daemon start", "policy enable @sane", "config set journal off")
READING = ("list", "check ls", "try Stop", "hook validate", "config show", "policy list", "import claude --dry-run")


@pytest.mark.parametrize("line", UNWRITABLE)
def test_a_home_that_cannot_be_written_is_said_in_one_line(user: User, monkeypatch: pytest.MonkeyPatch, line: str):
    user.brings_hook()
    monkeypatch.setenv("HOME", "/proc/nobody")
    shown = user.types(*line.split())
    assert shown.code == 1
    assert shown.err.count("\n") == 1
    assert "/proc/nobody" in shown.err
    assert "unexpected" not in shown.err


@pytest.mark.parametrize("line", READING)
def test_reading_needs_no_writable_home(user: User, monkeypatch: pytest.MonkeyPatch, line: str):
    monkeypatch.setenv("HOME", "/proc/nobody")
    assert user.types(*line.split()).code == 0


def test_output_of_hooks_cannot_drive_the_terminal(user: User):
    user.brings_hook(id="evil\u001b[2J")
    assert "\u001b" not in user.types("list").out
