"""Real scripts: what they get, what they say, how they end."""

import asyncio
import contextlib
import json
import os
import signal
import time
from pathlib import Path

import pytest

from synaptic.model.decision import Fault, Kind, Verdict
from synaptic.model.hook import Command
from synaptic.runners.command import run_command
from tests.runners.making import (
    alive,
    eventually,
    make_call,
    make_hook,
    make_invocation,
    on_loop,
    plain_env,
    run_hook,
    shell_hook,
    write_script,
)

BLOCK = """echo '{"action":"block","reason":"no"}'"""
pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


@pytest.fixture(params=["asyncio", "uvloop"])
def loop(request):
    return request.param


def pids_in(path: Path) -> list[int]:
    return [int(line) for line in path.read_text().split()] if path.exists() else []


def test_the_nine_variables(tmp_path, loop):
    """S0-028, S0-029, S0-030, S0-031, C-08"""
    hook = shell_hook(tmp_path / "dump", f"env -0 > {tmp_path}/env")
    call = make_call(tmp_path, tool_input={"command": "ls -la"}, env=plain_env(HOOK_INPUT="old", SYNAPTIC_CHANNEL="x"))
    assert run_hook(hook, call, loop=loop) is None
    env = dict(entry.split("=", 1) for entry in (tmp_path / "env").read_text().split("\0") if entry)
    assert env["SYNAPTIC_PROJECT_ROOT"] == str(tmp_path)
    assert env["SYNAPTIC_ROOT"] == f"{tmp_path}/.synaptic"
    assert env["SYNAPTIC_SHARED"] == f"{tmp_path}/.synaptic/shared"
    assert env["SYNAPTIC_SKILLS"] == f"{tmp_path}/.synaptic/skills"
    assert (env["SYNAPTIC_CHANNEL"], env["SYNAPTIC_AGENTS"]) == ("main", "claude")
    assert (env["HOOK_EVENT"], env["HOOK_TOOL"]) == ("PreToolUse", "Bash")
    assert json.loads(env["HOOK_INPUT"]) == {"command": "ls -la"}


@pytest.mark.parametrize("size", [300_000, 1_000_000])
def test_a_large_input_is_still_guarded(tmp_path, loop, size):
    """S0-032: HOOK_INPUT is left out, the whole event is on stdin."""
    body = f"""[ -z "${{HOOK_INPUT+set}}" ] || exit 9\nwc -c > {tmp_path}/size\n{BLOCK}"""
    hook = shell_hook(tmp_path / "guard", body)
    call = make_call(tmp_path, tool_name="Write", tool_input={"content": "x" * size}, env=plain_env(HOOK_INPUT="old"))
    assert run_hook(hook, call, loop=loop).says is Kind.DENY
    assert int((tmp_path / "size").read_text()) > size


def test_a_large_input_that_nobody_reads_is_no_problem(tmp_path, loop):
    hook = shell_hook(tmp_path / "guard", BLOCK)
    call = make_call(tmp_path, tool_input={"content": "x" * 1_000_000})
    assert run_hook(hook, call, loop=loop).says is Kind.DENY


def test_variables_too_long_for_exec_are_left_out_with_a_warning(tmp_path):
    """S0-032: neither one long string nor many of them disable a guard."""
    hook = shell_hook(tmp_path / "guard", BLOCK)
    huge = plain_env(HUGE="x" * 131072, **{f"MANY_{n}": "y" * 120_000 for n in range(20)})
    verdict = run_hook(hook, make_call(tmp_path, env=huge))
    assert verdict.says is Kind.DENY
    assert any("HUGE" in warning for warning in verdict.warnings)


def test_stdin_is_the_whole_event_on_one_line(tmp_path, loop):
    """S4-001, S4-004"""
    hook = shell_hook(tmp_path / "echo", f"cat > {tmp_path}/stdin")
    call = make_call(tmp_path, tool_input={"command": 'echo "ü😀\n"'})
    run_hook(hook, call, loop=loop)
    text = (tmp_path / "stdin").read_text()
    assert text.endswith("\n") and text.count("\n") == 1
    assert json.loads(text) == dict(call.payload)


def test_a_later_hook_sees_the_rewritten_input(tmp_path):
    """S0-037"""
    hook = shell_hook(tmp_path / "echo", f'cat > {tmp_path}/stdin; printf %s "$HOOK_INPUT" > {tmp_path}/input')
    run_hook(hook, make_call(tmp_path).with_input({"command": "ls -a"}))
    assert json.loads((tmp_path / "stdin").read_text())["tool_input"] == {"command": "ls -a"}
    assert json.loads((tmp_path / "input").read_text()) == {"command": "ls -a"}


def test_an_orchestrators_context_arrives_exactly(tmp_path):
    """S2-030"""
    context = {"event_type": "PreAbilityCall", "session_id": "s", "timestamp": "2030-01-01T00:00:00Z", "extra": [1]}
    hook = shell_hook(tmp_path / "echo", f"""cat > {tmp_path}/stdin; echo '{{"messages_to_user":["hi"]}}'""")
    hook = make_hook(hook.handler, protocol="result")
    call = make_call(tmp_path, "PreAbilityCall", agent="synaptic", payload=context)
    assert run_hook(hook, call).messages == ("hi",)
    assert json.loads((tmp_path / "stdin").read_text()) == context


def test_recheck_is_told(tmp_path):
    hook = shell_hook(tmp_path / "echo", f'printf %s "$SYNAPTIC_RECHECK" > {tmp_path}/recheck')
    call = make_call(tmp_path, env=plain_env(SYNAPTIC_RECHECK="lie"))
    for recheck, text in ((True, "1"), (False, "")):
        run_hook(hook, call, recheck=recheck)
        assert (tmp_path / "recheck").read_text() == text


def test_without_an_agents_environment_our_own_is_used(tmp_path, monkeypatch):
    monkeypatch.setenv("COLOUR", "green")
    hook = shell_hook(tmp_path / "echo", f'printf %s "$COLOUR" > {tmp_path}/colour')
    run_hook(hook, make_call(tmp_path))
    assert (tmp_path / "colour").read_text() == "green"


@pytest.mark.parametrize("name", ["plain", "with space", "quo\"te's", "new\nline", "dollar$(x)", "ümläut 😀"])
def test_any_script_path_works_as_it_is(tmp_path, name):
    """S0-044: absolute and used as is, whatever the working directory."""
    hook = shell_hook(tmp_path / name / "guard", BLOCK)
    assert run_hook(hook, make_call("/")).says is Kind.DENY


def test_shell_text_runs_through_the_shell(tmp_path):
    hook = make_hook(Command(shell="read line; echo blocked >&2; exit $((1 + 1))"), protocol="native")
    assert run_hook(hook, make_call(tmp_path)) == Verdict(says=Kind.DENY, reason="blocked")


def test_working_directory(tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    where = make_hook(Command(shell="pwd >&2; exit 2"), protocol="exitcode")
    own = make_hook(Command(shell="pwd >&2; exit 2", cwd=str(inside)), protocol="exitcode")
    assert run_hook(own, make_call(tmp_path)).reason == str(inside)
    assert run_hook(where, make_call(tmp_path)).reason == str(tmp_path)
    assert run_hook(where, make_call(tmp_path / "gone")).reason == "/"
    assert run_hook(where, make_call("bad\0path")).reason == "/"


def test_logs_exist_before_an_audit_hook_runs(tmp_path):
    """S0-051"""
    (tmp_path / ".synaptic").mkdir()
    hook = shell_hook(tmp_path / "audit", 'set -eu; echo line >> "$SYNAPTIC_ROOT/logs/audit.log"')
    assert run_hook(hook, make_call(tmp_path)) is None
    assert (tmp_path / ".synaptic/logs/audit.log").read_text() == "line\n"


def test_a_project_without_us_is_left_alone(tmp_path):
    root = tmp_path / "project"
    root.mkdir()
    run_hook(shell_hook(tmp_path / "quiet", "true"), make_call(root))
    assert list(root.iterdir()) == []


def test_a_crash_is_named(tmp_path, loop):
    """S0-038, S0-049: its own failure, nothing else."""
    failure = run_hook(shell_hook(tmp_path / "crash", "echo ouch >&2; exit 7"), make_call(tmp_path), loop=loop)
    assert failure.fault is Fault.CRASH
    assert "skill.guard" in failure.message and "7" in failure.message and "ouch" in failure.stderr
    killed = run_hook(shell_hook(tmp_path / "killed", "kill -SEGV $$"), make_call(tmp_path), loop=loop)
    assert "SIGSEGV" in killed.message


def test_a_missing_script_is_named(tmp_path, loop):
    """S0-043"""
    hook = make_hook(Command(argv=(f"{tmp_path}/gone",)), source="registry.toml [hooks.3]")
    failure = run_hook(hook, make_call(tmp_path), loop=loop)
    assert failure.fault is Fault.MISSING
    assert f"{tmp_path}/gone" in failure.message and "registry.toml [hooks.3]" in failure.message
    assert run_hook(make_hook(Command(argv=("no-such-program",))), make_call(tmp_path)).fault is Fault.MISSING


def test_what_to_type_when_a_script_cannot_be_executed(tmp_path):
    script = write_script(tmp_path / "no bit", "#!/bin/sh\n", 0o644)
    failure = run_hook(make_hook(Command(argv=(script,))), make_call(tmp_path))
    assert f"chmod +x '{script}'" in failure.message
    script = write_script(tmp_path / "odd", "#!/no/such/interpreter -x\n")
    assert "/no/such/interpreter" in run_hook(make_hook(Command(argv=(script,))), make_call(tmp_path)).message
    folder = run_hook(make_hook(Command(argv=(str(tmp_path),))), make_call(tmp_path))
    assert "cannot be started" in folder.message
    assert run_hook(make_hook(Command(argv=("/bin/\0sh",))), make_call(tmp_path)).fault is Fault.CRASH


def test_a_script_without_a_shebang_is_run_by_the_shell(tmp_path, loop):
    script = write_script(tmp_path / "bare", f"{BLOCK}\n")
    assert run_hook(make_hook(Command(argv=(script,))), make_call(tmp_path), loop=loop).says is Kind.DENY


def test_garbage_is_a_failure(tmp_path):
    """S0-047"""
    for body in ("echo hello", "head -c 1000 /dev/urandom", r"printf '\377\376{'"):
        assert run_hook(shell_hook(tmp_path / "bad", body), make_call(tmp_path)).fault is Fault.OUTPUT


def test_endless_output_is_cut_and_its_source_killed(tmp_path, loop):
    hook = shell_hook(tmp_path / "yes", f"echo $$ > {tmp_path}/pid; exec yes")
    failure = run_hook(hook, make_call(tmp_path), loop=loop)
    assert failure.fault is Fault.OUTPUT and "1 MiB" in failure.message
    assert not any(alive(pid) for pid in pids_in(tmp_path / "pid"))


def test_a_megabyte_on_stderr_is_no_problem(tmp_path, loop):
    hook = shell_hook(tmp_path / "loud", f"head -c 1000000 /dev/zero | tr '\\0' x >&2; {BLOCK}")
    assert run_hook(hook, make_call(tmp_path), loop=loop).says is Kind.DENY


def test_a_hanging_hook_is_killed_with_everything_it_started(tmp_path, loop):
    """S0-048, S4-044"""
    body = f"""
sleep 600 & echo $! >> {tmp_path}/pids
setsid sh -c 'echo $$ >> {tmp_path}/pids; sleep 600; true' &
setsid setsid sh -c '(echo $$ >> {tmp_path}/pids; exec sleep 600) & wait' > /dev/null 2>&1 &
echo $$ >> {tmp_path}/pids
sleep 600"""
    failure = run_hook(shell_hook(tmp_path / "hang", body), make_call(tmp_path), timeout=2, loop=loop)
    assert failure.fault is Fault.TIMEOUT and "2 s" in failure.message
    assert len(pids_in(tmp_path / "pids")) == 4
    assert eventually(lambda: not any(alive(pid) for pid in pids_in(tmp_path / "pids")), 2)


def test_a_background_child_that_holds_stdout_is_not_awaited(tmp_path, loop):
    body = f"sleep 30 & echo $! > {tmp_path}/pid; {BLOCK}"
    started = time.monotonic()
    verdict = run_hook(shell_hook(tmp_path / "leaky", body), make_call(tmp_path), loop=loop)
    assert verdict.says is Kind.DENY
    assert time.monotonic() - started < 15
    [child] = pids_in(tmp_path / "pid")
    assert alive(child), "a hook may leave something behind on purpose"
    os.kill(child, signal.SIGKILL)


def test_a_cancelled_run_kills_its_script(tmp_path, loop):
    hook = shell_hook(tmp_path / "hang", f"echo $$ > {tmp_path}/pid; sleep 600")

    async def cancel() -> None:
        task = asyncio.ensure_future(run_command(make_invocation(hook, make_call(tmp_path)), hook.handler))
        while not pids_in(tmp_path / "pid"):
            await asyncio.sleep(0.01)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    on_loop(cancel(), loop)
    assert not any(alive(pid) for pid in pids_in(tmp_path / "pid"))


def test_many_runs_at_once_do_not_mix_and_leave_no_descriptor(tmp_path, loop):
    body = "sed 's/.*\"n\":\\([0-9]*\\).*/n=\\1/' >&2; exit 2"
    hook = shell_hook(tmp_path / "echo", body, protocol="native")

    async def all_of_them() -> list[object]:
        calls = [make_call(tmp_path, tool_input={"n": n}) for n in range(30)]
        return await asyncio.gather(*(run_command(make_invocation(hook, call), hook.handler) for call in calls))

    before = len(list(Path("/proc/self/fd").iterdir()))
    verdicts = on_loop(all_of_them(), loop)
    assert [verdict.reason for verdict in verdicts] == [f"n={n}" for n in range(30)]
    assert len(list(Path("/proc/self/fd").iterdir())) <= before + 2


def test_a_hook_inherits_no_descriptor_of_ours(tmp_path, loop):
    keep = os.open(tmp_path, os.O_RDONLY)
    os.set_inheritable(keep, True)
    try:
        hook = shell_hook(tmp_path / "fds", "ls /proc/self/fd >&2; exit 2", protocol="exitcode")
        assert set(run_hook(hook, make_call(tmp_path), loop=loop).reason.split()) <= {"0", "1", "2", "3"}
    finally:
        os.close(keep)


def test_the_three_actions_of_real_scripts(tmp_path):
    """S0-033, S0-035"""
    modify = """echo '{"action":"modify","input":{"command":"ls -a"},"reason":"all"}'"""
    call = make_call(tmp_path)
    assert run_hook(shell_hook(tmp_path / "a", """echo '{"action":"approve"}'"""), call) is None
    assert run_hook(shell_hook(tmp_path / "b", BLOCK), call).reason == "no"
    assert run_hook(shell_hook(tmp_path / "c", modify), call).input == {"command": "ls -a"}
    assert run_hook(shell_hook(tmp_path / "d", "true"), call) is None
