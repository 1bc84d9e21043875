"""Hooks that nobody waits for."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from synaptic.model.decision import Failure, Fault, Kind, Verdict
from synaptic.model.hook import Command
from synaptic.runners.spool import RunSpool
from synaptic.runners.stdin import encode_stdin
from tests.runners.making import alive, eventually, make_call, make_hook, make_invocation, plain_env, shell_hook

CONTEXT = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","additionalContext":"c"}}'


@pytest.fixture
def spool(tmp_path):
    return RunSpool(tmp_path / "run" / "spool")


def start(spool, hook, root, timeout=30.0, **call):
    run = spool.prepare(make_invocation(hook, make_call(root, **call), timeout), hook.handler)
    return run if isinstance(run, Failure) else spool.launch(run)


def finished(spool):
    assert eventually(lambda: bool(spool.collect()))
    return spool.collect()


def test_a_started_hook_is_not_awaited_and_its_decision_is_dropped(tmp_path, spool):
    """S0-040: launched, not awaited, exit code ignored, no decision forwarded."""
    hook = shell_hook(tmp_path / "slow", f"sleep 0.3; echo '{CONTEXT}'; exit 9", blocking=False, protocol="native")
    assert start(spool, hook, tmp_path) is None
    assert spool.collect() == []
    [run] = finished(spool)
    assert (run.hook, run.call, run.event, run.session) == ("skill.guard", "c1", "PreToolUse", "s1")
    assert run.outcome == Verdict(context=("c",))
    assert run.outcome.kind is Kind.ADVISE


def test_results_are_kept_until_done_also_for_another_reader(tmp_path, spool):
    hook = shell_hook(tmp_path / "say", """echo '{"messages_to_user":["m"],"error":"x"}'""", blocking=False)
    start(spool, hook, tmp_path)
    first = finished(spool)
    assert spool.collect() == first == RunSpool(spool.folder).collect()
    assert first[0].outcome.messages == ("m",)
    assert first[0].outcome.says is Kind.NONE
    spool.forget(first[0])
    spool.forget(first[0])
    assert spool.collect() == []
    assert list(spool.folder.iterdir()) == []


def test_a_repeated_call_starts_nothing_twice(tmp_path, spool):
    hook = shell_hook(tmp_path / "counter", f"echo x >> {tmp_path}/count", blocking=False)
    start(spool, hook, tmp_path)
    start(RunSpool(spool.folder), hook, tmp_path)
    finished(spool)
    assert (tmp_path / "count").read_text() == "x\n"
    start(spool, hook, tmp_path, id="c2")
    assert eventually(lambda: (tmp_path / "count").read_text() == "x\nx\n")


def test_a_call_that_is_repeated_after_its_hook_was_taken_in_starts_nothing(tmp_path, spool):
    """A daemon goes on for as long as the fallback takes to start: the run may be over and forgotten by then."""
    hook = shell_hook(tmp_path / "counter", f"echo x >> {tmp_path}/count", blocking=False)
    start(spool, hook, tmp_path)
    [run] = finished(spool)
    spool.forget(run)
    assert start(RunSpool(spool.folder), hook, tmp_path) is None
    assert list(spool.folder.iterdir()) == []
    assert (tmp_path / "count").read_text() == "x\n"


def test_what_is_left_of_a_run_goes_when_nobody_repeats_its_call_any_more(tmp_path, spool):
    hook = shell_hook(tmp_path / "quick", "true", blocking=False)
    start(spool, hook, tmp_path)
    [run] = finished(spool)
    spool.forget(run)
    done = spool.folder.with_name("spool-done") / run.id
    assert list(done.iterdir()) == []
    os.utime(done, (time.time() - 9999,) * 2)
    assert RunSpool(spool.folder).collect() == []
    assert not done.exists()


def test_it_gets_the_event_and_the_variables(tmp_path, spool):
    """S0-028, S0-030"""
    hook = shell_hook(tmp_path / "echo", f'cat > {tmp_path}/in; printf "$HOOK_TOOL" > {tmp_path}/tool', blocking=False)
    call = {"tool_input": {"content": "x" * 300_000}, "env": plain_env()}
    start(spool, hook, tmp_path, **call)
    finished(spool)
    assert len(json.loads((tmp_path / "in").read_text())["tool_input"]["content"]) == 300_000
    assert (tmp_path / "tool").read_text() == "Bash"


@pytest.mark.parametrize("protocol", ["decision", "native", "result", "exitcode"])
@pytest.mark.parametrize("event", ["PostToolUse", "SessionStart", "UserPromptSubmit"])
def test_chatter_of_a_hook_that_nobody_asked_says_nothing(tmp_path, spool, protocol, event):
    """S0-040: silence, text, JSON that is no answer, JSON that is broken."""
    bodies = ("true", "echo done", """echo '{"status": "done"}'""", "echo '{\"a\": '", "echo '{\"a\": }'", "exit 3")
    for number, body in enumerate(bodies):
        hook = shell_hook(tmp_path / str(number), body, id=str(number), blocking=False, protocol=protocol)
        start(spool, hook, tmp_path, name=event)
    assert eventually(lambda: len(spool.collect()) == len(bodies))
    told = {run.hook: run.outcome for run in spool.collect()}
    kept = told.pop("2")  # a result may hold whatever it likes: it is kept, and has no text for anybody
    assert kept is None or (kept.context, kept.messages) == ((), ())
    assert set(told.values()) == {None}


def test_a_missing_script_is_said_at_once_and_leaves_nothing(tmp_path, spool):
    """S0-043"""
    failure = start(spool, make_hook(Command(argv=(f"{tmp_path}/gone",)), blocking=False), tmp_path)
    assert failure.fault is Fault.MISSING
    assert spool.collect() == []
    assert not spool.folder.exists()


def test_a_missing_interpreter_or_command_is_said_at_once(tmp_path, spool):
    script = tmp_path / "script"
    script.write_text("#!/missing/interpreter -x\n")
    script.chmod(0o755)
    for argv, missing in (((str(script),), "/missing/interpreter"), (("no-such-command",), "no-such-command")):
        failure = start(spool, make_hook(Command(argv=argv), blocking=False), tmp_path)
        assert isinstance(failure, Failure)
        assert missing in failure.message
    assert spool.collect() == []


def test_an_overdue_hook_is_killed_with_what_it_started(tmp_path, spool):
    body = f"setsid sh -c 'echo $$ >> {tmp_path}/pids; sleep 600' & echo $$ >> {tmp_path}/pids; sleep 600"
    start(spool, shell_hook(tmp_path / "hang", body, blocking=False), tmp_path, timeout=0.5)
    pids = tmp_path / "pids"
    assert eventually(lambda: pids.exists() and len(pids.read_text().split()) == 2)
    [run] = finished(spool)
    assert run.outcome.fault is Fault.TIMEOUT
    assert eventually(lambda: not any(alive(int(pid)) for pid in pids.read_text().split()))


def test_endless_output_is_stopped(tmp_path, spool):
    start(spool, shell_hook(tmp_path / "yes", "yes | head -c 3000000; sleep 600", blocking=False), tmp_path)
    [run] = finished(spool)
    assert run.outcome.fault is Fault.OUTPUT


def test_ended_children_leave_no_zombie(tmp_path, spool):
    start(spool, shell_hook(tmp_path / "a", f"echo $$ > {tmp_path}/pid", blocking=False), tmp_path)
    finished(spool)
    assert eventually(
        lambda: not spool.collect() or not Path(f"/proc/{(tmp_path / 'pid').read_text().strip()}").exists()
    )


def test_a_folder_that_cannot_be_written_is_a_failure(tmp_path):
    (tmp_path / "file").write_text("")
    spool = RunSpool(tmp_path / "file" / "spool")
    hook = shell_hook(tmp_path / "a", "true", blocking=False)
    assert start(spool, hook, tmp_path) is not None
    assert spool.collect() == []


WAIT = 'kill -9 $PPID; while ! test -e "${0%/*}"/../go; do sleep 0.02; done; true >"$0"; exec "$@"'
STARTER = f"""
WAIT = {WAIT!r}
import os, sys, time
from pathlib import Path
from synaptic.model.decision import Failure
from synaptic.runners.spool import RunSpool
from synaptic.runners.stdin import encode_stdin
import synaptic.runners.spool as module
from tests.runners.making import make_call, make_hook, make_invocation
from synaptic.model.hook import Command
hook = make_hook(Command(argv=(sys.argv[2],)), blocking=False, protocol="native")
if sys.argv[3] == "die":
    module.identify_process = lambda pid: os.kill(os.getpid(), 9)
if sys.argv[3] == "birth":
    module.NOTE_START = ("/bin/sh", "-c", WAIT)
spool = RunSpool(Path(sys.argv[1]))
spool.launch(spool.prepare(make_invocation(hook, make_call("/")), hook.handler))
print("answered", flush=True)
"""


def starter(spool, script, how):
    command = [sys.executable, "-c", STARTER, str(spool.folder), script, how]
    root = Path(__file__).parents[2]
    return subprocess.run(command, capture_output=True, timeout=90, cwd=root, check=False)


def test_a_detached_hook_outlives_its_starter_and_never_holds_its_output(tmp_path, spool):
    """S0-042: reading the starter's stdout ends with the starter."""
    hook = shell_hook(tmp_path / "slow", f"echo $$ > {tmp_path}/pid; sleep 3; echo '{CONTEXT}'")
    done = starter(spool, hook.handler.script, "live")
    assert done.stdout == b"answered\n", done.stderr
    assert eventually(lambda: (tmp_path / "pid").exists())
    assert alive(int((tmp_path / "pid").read_text())), "subprocess.run has read to the end, the hook still sleeps"
    assert finished(spool)[0].outcome.context == ("c",)


def test_a_starter_killed_in_the_middle_loses_no_result(tmp_path, spool):
    hook = shell_hook(tmp_path / "slow", f"sleep 1; echo '{CONTEXT}'; sleep 0.2")
    assert starter(spool, hook.handler.script, "die").returncode == -signal.SIGKILL
    assert spool.collect() == []
    assert finished(spool)[0].outcome.context == ("c",)


def test_a_killed_starters_overdue_hook_is_found_by_its_mark(tmp_path, spool):
    hook = shell_hook(tmp_path / "hang", f"echo $$ > {tmp_path}/pid; sleep 600")
    starter(spool, hook.handler.script, "die")
    assert eventually(lambda: (tmp_path / "pid").exists())
    [meta] = spool.folder.glob("*/meta.json")
    meta.write_text(meta.read_text().replace('"timeout":10.0', '"timeout":0.0'))
    assert eventually(lambda: bool(spool.collect()))
    assert not alive(int((tmp_path / "pid").read_text()))


def test_folders_that_never_began_are_swept(tmp_path, spool):
    for name in ("old", "young"):
        (spool.folder / name).mkdir(parents=True)
    (spool.folder / "torn").mkdir()
    (spool.folder / "torn" / "meta.json").write_text("{")
    os.utime(spool.folder / "old", (time.time() - 9999,) * 2)
    assert spool.collect() == []
    assert sorted(entry.name for entry in spool.folder.iterdir()) == ["torn", "young"]


class Killed(BaseException):
    """The starter is gone: nobody catches this."""


@pytest.mark.parametrize("place", ["_describe", "_write_meta", "encode_stdin"])
def test_a_hook_whose_starter_was_killed_before_the_start_is_started_by_who_repeats_the_call(
    tmp_path, spool, monkeypatch, place
):
    """Law: no acknowledged event is lost at any kill -9, nor what it promised to start."""
    hook = shell_hook(tmp_path / "once", f"echo ran >> {tmp_path}/ran", blocking=False)
    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(f"synaptic.runners.spool.{place}", kill)
        start(spool, hook, tmp_path)
    other = RunSpool(spool.folder)
    assert other.collect() == []
    assert start(other, hook, tmp_path) is None
    assert eventually((tmp_path / "ran").exists)
    assert start(RunSpool(spool.folder), hook, tmp_path) is None
    finished(other)
    assert (tmp_path / "ran").read_text() == "ran\n"


@pytest.mark.parametrize("place", ["StandardStreams", "identify_process"])
def test_a_starter_killed_on_either_side_of_the_start_has_it_run_once(tmp_path, spool, monkeypatch, place):
    """Law: what a call promised to start is started once, at whatever moment its starter is killed."""
    hook = shell_hook(tmp_path / "once", f"echo ran >> {tmp_path}/ran", blocking=False)
    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(f"synaptic.runners.spool.{place}", kill)
        start(spool, hook, tmp_path)
    assert start(RunSpool(spool.folder), hook, tmp_path) is None
    assert len(finished(spool)) == 1
    assert (tmp_path / "ran").read_text() == "ran\n"


def test_a_hook_whose_starter_was_killed_while_it_was_being_born_runs_once(tmp_path, spool):
    """The new process holds the folder until it has noted itself, and only then is it another program."""
    hook = shell_hook(tmp_path / "once", f"echo ran >> {tmp_path}/ran", blocking=False)
    assert starter(spool, hook.handler.script, "birth").returncode == -signal.SIGKILL
    other = RunSpool(spool.folder)
    assert start(other, make_hook(Command(argv=(hook.handler.script,)), blocking=False), "/") is None
    assert other.collect() == []
    (spool.folder / "go").touch()
    assert eventually((tmp_path / "ran").exists)
    assert start(other, make_hook(Command(argv=(hook.handler.script,)), blocking=False), "/") is None
    assert len(finished(spool)) == 1
    assert (tmp_path / "ran").read_text() == "ran\n"


def test_a_starter_that_is_slow_is_left_to_it(tmp_path, spool, monkeypatch):
    hook = shell_hook(tmp_path / "once", f"echo ran >> {tmp_path}/ran", blocking=False)
    other = RunSpool(spool.folder)

    def start_twice(*given):
        monkeypatch.undo()
        assert start(other, hook, tmp_path) is None
        return encode_stdin(*given)

    monkeypatch.setattr("synaptic.runners.spool.encode_stdin", start_twice)
    assert start(spool, hook, tmp_path) is None
    finished(spool)
    assert (tmp_path / "ran").read_text() == "ran\n"


def test_what_a_killed_starter_has_left_is_swept_when_nobody_repeats_the_call(tmp_path, spool, monkeypatch):
    hook = shell_hook(tmp_path / "once", "exit 0", blocking=False)
    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr("synaptic.runners.spool.encode_stdin", kill)
        start(spool, hook, tmp_path)
    [entry] = spool.folder.iterdir()
    assert spool.collect() == []
    assert entry.exists()
    os.utime(entry, (1, 1))
    assert spool.collect() == []
    assert not entry.exists()


def kill(*given):
    raise Killed
