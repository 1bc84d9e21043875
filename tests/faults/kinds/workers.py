"""Warm Python hooks: the process that keeps one is ended or stopped, and the next call has another one."""

import signal

from tests.faults import processes
from tests.faults.kind import kind
from tests.faults.step import Step

FUNCTION = """\
import time


def check(*given, **named):
    time.sleep({seconds})
    return {{"action": "block", "reason": "nothing is fetched"}}
"""


def add_function(step: Step, seconds: float = 0.0) -> None:
    """A Python hook that refuses one tool; its failure means no."""
    hooks = step.world.registry.parent
    file = hooks / f"warm_{step.number}.py"
    file.write_text(FUNCTION.format(seconds=seconds))
    step.defer(lambda: file.unlink(missing_ok=True))
    entry = (
        f'[[hook]]\nevent = "PreToolUse"\nmatcher = "WebFetch"\nskill = "faults"\npython = "{file}:check"\n'
        'blocking = true\non_error = "deny"\ntimeout = 10\n'
    )
    step.replace(step.world.registry, step.world.registry.read_bytes() + entry.encode())


@kind("worker.killed", "hooks")
def kill_worker(step: Step) -> None:
    """`kill -9` of the process of a warm hook, while it waits or while it thinks."""
    add_function(step, step.random.choice((0.0, 0.2)))
    step.call("fetch")
    step.start("fetch")
    step.wait(0, 0.05)
    if found := step.find_script("worker"):
        processes.send_signal(found.pid, signal.SIGKILL)
    step.finish()
    step.call("fetch")


@kind("worker.stopped", "hooks")
def stop_worker(step: Step) -> None:
    """The process of a warm hook stands still for a moment."""
    add_function(step)
    step.call("fetch")
    if found := step.find_script("worker"):
        processes.send_signal(found.pid, signal.SIGSTOP)
        step.volley(2, ("fetch",))
        step.wait(0.05, 0.5)
        processes.send_signal(found.pid, signal.SIGCONT)


@kind("worker.daemon-killed")
def kill_daemon_of_worker(step: Step) -> None:
    """The daemon is ended while a warm hook thinks: its process goes with it."""
    add_function(step, 0.2)
    step.call("fetch")
    step.start("fetch")
    step.wait(0, 0.1)
    step.signal_daemon()
