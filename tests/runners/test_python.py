"""Warm Python functions."""

import asyncio
import contextlib
import os
from pathlib import Path

import pytest

from synaptic.model.decision import Fault, Kind
from synaptic.model.hook import PythonFunction
from synaptic.runners.python import PythonRunner
from tests.runners.making import alive, make_call, make_hook, make_invocation, on_loop

SOURCE = """
import os, sys, time
calls = 0

def check(event):
    global calls
    calls += 1
    return {"action": "block", "reason": f"{event['tool_input']['command']} {calls} {os.getpid()}"}

def quiet(event): return None
def loud(event):
    print("x" * 200_000); sys.stdout.flush(); os.write(1, b"garbage\\n"); sys.stdin.read()
    return {"decision": "block", "reason": "loud"}
def crash(event): raise ValueError("ouch")
def leave(event): sys.exit(3)
def die(event): os._exit(3)
def hang(event): time.sleep(600)
def number(event): return 3
def odd(event): return {"reason": object()}
def huge(event): return {"action": "block", "reason": "x" * 3_000_000}
def variables(event):
    return {"action": "block", "reason": " ".join(os.environ.get(n, "-") for n in ("HOOK_TOOL", "SYNAPTIC_RECHECK"))}
def size(event): return {"action": "block", "reason": str(len(event["tool_input"]["command"]))}
def nap(event): time.sleep(0.05); return {"action": "block", "reason": event["tool_input"]["command"]}
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "my hook.py"
    path.write_text(SOURCE)
    return path


class Session:
    """Calls in one event loop, with one runner."""

    def __init__(self, file: Path, runner: PythonRunner) -> None:
        self.file = file
        self.runner = runner

    async def call(self, function="check", timeout=10.0, command="ls", **fields):
        handler = PythonFunction(str(self.file), function)
        call = make_call(self.file.parent, tool_input={"command": command})
        invocation = make_invocation(make_hook(handler), call, timeout, **fields)
        return await self.runner.run(invocation, handler)


def session(file, work, loop="asyncio", **settings):
    async def whole():
        runner = PythonRunner(**settings)
        try:
            return await work(Session(file, runner))
        finally:
            await runner.close()

    return on_loop(whole(), loop)


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_a_file_is_imported_once_and_stays_warm(file, loop):
    async def work(hook):
        return [await hook.call(), await hook.call(), await hook.call()]

    words = [verdict.reason.split() for verdict in session(file, work, loop)]
    assert [count for _, count, _ in words] == ["1", "2", "3"]
    assert len({pid for _, _, pid in words}) == 1
    assert not alive(int(words[0][2])), "closed with its runner"


def test_a_changed_file_is_loaded_again(file):
    async def work(hook):
        first = await hook.call()
        file.write_text("def check(event): return {'action': 'block', 'reason': 'new'}\n")
        return first, await hook.call()

    first, second = session(file, work)
    assert (first.reason.split()[0], second.reason) == ("ls", "new")


def test_prints_do_not_corrupt_the_answer(file):
    async def work(hook):
        return [await hook.call("loud") for _ in range(3)]

    assert {verdict.reason for verdict in session(file, work)} == {"loud"}


def test_silence(file):
    async def work(hook):
        return await hook.call("quiet")

    assert session(file, work) is None


@pytest.mark.parametrize(
    ("function", "fault", "text"),
    [
        ("crash", Fault.CRASH, "ValueError: ouch"),
        ("leave", Fault.CRASH, "SystemExit"),
        ("die", Fault.CRASH, "ended"),
        ("hang", Fault.TIMEOUT, "0.5 s"),
        ("number", Fault.OUTPUT, "int"),
        ("odd", Fault.OUTPUT, "object"),
        ("huge", Fault.CRASH, "1024 KiB"),
        ("absent", Fault.MISSING, "absent"),
    ],
)
def test_every_failure_is_a_value_and_the_next_call_works(file, function, fault, text):
    async def work(hook):
        return await hook.call(function, 0.5 if function == "hang" else 10), await hook.call()

    failure, after = session(file, work)
    assert failure.fault is fault
    assert text in failure.message and "skill.guard" in failure.message
    assert after.says is Kind.DENY


def test_a_hanging_worker_is_killed(file):
    pid = file.parent / "pid"
    file.write_text(
        f"import os\n{SOURCE}\ndef note(event): open({str(pid)!r}, 'w').write(str(os.getpid())); hang(event)\n"
    )

    async def work(hook):
        return await hook.call("note", 2.5)

    assert session(file, work).fault is Fault.TIMEOUT
    assert not alive(int(pid.read_text()))


def test_files_that_cannot_be_loaded(file, tmp_path):
    async def work(hook):
        return await hook.call()

    file.write_text("import nothing_of_this_name\n")
    assert "nothing_of_this_name" in session(file, work).message
    file.unlink()
    assert session(file, work).fault is Fault.MISSING


def test_variables_belong_to_one_call(file):
    """S0-028"""

    async def work(hook):
        return [await hook.call("variables", recheck=True), await hook.call("variables")]

    assert [verdict.reason for verdict in session(file, work)] == ["Bash 1", "Bash -"]


def test_a_megabyte_of_input(file):
    async def work(hook):
        return await hook.call("size", command="x" * 1_000_000)

    assert session(file, work).reason == "1000000"


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_calls_at_once_get_their_own_answers(file, loop):
    async def work(hook):
        return await asyncio.gather(*(hook.call("nap", command=str(n)) for n in range(20)))

    assert [verdict.reason for verdict in session(file, work, loop)] == [str(n) for n in range(20)]


def test_a_cancelled_call_does_not_answer_the_next_one(file):
    async def work(hook):
        task = asyncio.ensure_future(hook.call("nap", command="old"))
        await asyncio.sleep(0.2)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        return await hook.call("nap", command="new")

    assert session(file, work).reason == "new"


def test_an_idle_worker_ends(file):
    async def work(hook):
        pid = int((await hook.call()).reason.split()[2])
        for _ in range(100):
            if not alive(pid):
                break
            await asyncio.sleep(0.02)
        return pid, (await hook.call()).says

    pid, says = session(file, work, idle=0.1)
    assert not alive(pid) and says is Kind.DENY


def test_a_worker_that_died_while_resting_is_replaced(file):
    async def work(hook):
        pid = int((await hook.call()).reason.split()[2])
        os.kill(pid, 9)
        await asyncio.sleep(0.05)
        return await hook.call()

    assert session(file, work).says is Kind.DENY
