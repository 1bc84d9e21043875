"""Processes that stop for a while, or for good."""

import signal
import time

from tests.faults import processes
from tests.faults.kind import kind
from tests.faults.step import Step

SILENCE = 5.0
"""Seconds after which the dispatcher no longer waits for a silent daemon."""


@kind("hang.daemon-short")
def stop_daemon_shortly(step: Step) -> None:
    """The daemon stands still for less than a second under calls."""
    pid = step.signal_daemon(signal.SIGSTOP)
    step.volley(4)
    step.wait(0.02, 0.6)
    processes.send_signal(pid, signal.SIGCONT)


@kind("hang.daemon-in-call")
def stop_daemon_in_call(step: Step) -> None:
    """The daemon stands still in the middle of calls, and goes on."""
    step.volley(4)
    step.wait(0, 0.003)
    pid = step.signal_daemon(signal.SIGSTOP)
    step.wait(0.02, 0.3)
    processes.send_signal(pid, signal.SIGCONT)


@kind("hang.daemon-long", "traces", rare=8)
def stop_daemon(step: Step) -> None:
    """The daemon stands still for longer than it is waited for, and goes on later."""
    pid = step.signal_daemon(signal.SIGSTOP)
    step.volley(4)
    step.finish()
    processes.send_signal(pid, signal.SIGCONT)


@kind("hang.daemon-until-doubted", "traces", rare=8)
def stop_daemon_until_doubted(step: Step) -> None:
    """The daemon goes on in the very moment in which others decide in its place."""
    step.volley(3, ("echo", "glob", "failure"))
    step.wait(0, 0.002)
    pid = step.signal_daemon(signal.SIGSTOP)
    step.volley(2, ("echo", "glob", "failure"))
    step.wait(SILENCE - 0.2, SILENCE + 1.2)
    processes.send_signal(pid, signal.SIGCONT)


@kind("hang.daemon-then-killed")
def stop_and_kill_daemon(step: Step) -> None:
    """The daemon stands still, then it is ended: nobody was answered."""
    pid = step.signal_daemon(signal.SIGSTOP)
    step.volley(3)
    step.wait(0.02, 0.3)
    processes.send_signal(pid, signal.SIGKILL)


@kind("hang.starting-daemon", "traces", rare=8)
def stop_starting_daemon(step: Step) -> None:
    """A daemon that stands still before it takes calls, and stays so until somebody else ends it."""
    step.kill_daemon()
    step.start("echo")
    if found := step.find_starting_daemon():
        step.wait(0, 0.05)
        processes.send_signal(found.pid, signal.SIGSTOP)
    step.finish()
    step.call("reset")
    end = time.monotonic() + 40
    while not step.world.is_answering():
        if time.monotonic() > end:
            raise AssertionError("a daemon that stands still before it takes calls is never replaced")
        step.call("echo")


@kind("hang.dispatcher")
def stop_dispatcher(step: Step) -> None:
    """A dispatcher that stands still and goes on."""
    calls = step.volley(3)
    for call in calls:
        processes.send_signal(call.process.pid, signal.SIGSTOP) if call.process else None
    step.wait(0.02, 0.4)
    for call in calls:
        processes.send_signal(call.process.pid, signal.SIGCONT) if call.process else None


@kind("hang.dispatcher-then-killed")
def stop_and_kill_dispatcher(step: Step) -> None:
    """A dispatcher that stands still and is ended."""
    call = step.start("failure")
    if call.process:
        processes.send_signal(call.process.pid, signal.SIGSTOP)
    step.wait(0, 0.2)
    step.cut(call)
    step.mix(1)


@kind("hang.fallback-short")
def stop_fallback_shortly(step: Step) -> None:
    """The Python in the place of the daemon stands still for a moment."""
    step.kill_daemon()
    step.volley(2)
    if found := step.find_fallback():
        step.wait(0, 0.2)
        processes.send_signal(found.pid, signal.SIGSTOP)
        step.wait(0.05, 0.5)
        processes.send_signal(found.pid, signal.SIGCONT)


@kind("hang.fallback-long", "unheard", rare=24)
def stop_fallback(step: Step) -> None:
    """The Python in the place of the daemon stands still until nobody waits any more."""
    step.kill_daemon()
    step.start("reset")
    if found := step.find_fallback():
        step.wait(0, 0.2)
        processes.send_signal(found.pid, signal.SIGSTOP)
        step.finish()
        processes.send_signal(found.pid, signal.SIGCONT)


@kind("hang.hook", "hooks", rare=2)
def stop_hook(step: Step) -> None:
    """A script that stands still until its time is over."""
    step.write_hook("#!/bin/sh\nsleep 0.3\n")
    step.volley(2, ("grep",))
    if found := step.find_script("odd"):
        processes.send_signal(found.pid, signal.SIGSTOP)


@kind("hang.background-hook")
def stop_background_hook(step: Step) -> None:
    """A script that nobody waits for stands still and goes on."""
    step.write_hook(
        f"#!/bin/sh\nIFS= read -r line\nsleep 0.2\nprintf '%s\\n' \"$line\" >> {step.world.sentinel}\n", "note"
    )
    step.call("glob")
    if found := step.find_script("note"):
        processes.send_signal(found.pid, signal.SIGSTOP)
        step.mix(2)
        processes.send_signal(found.pid, signal.SIGCONT)


@kind("hang.daemon-in-start")
def stop_daemon_while_others_wait(step: Step) -> None:
    """A daemon that takes a second longer to start than it should, while callers wait for it."""
    step.kill_daemon()
    step.start("echo")
    if found := step.find_starting_daemon():
        processes.send_signal(found.pid, signal.SIGSTOP)
        step.volley(3)
        step.wait(0.3, 1.0)
        processes.send_signal(found.pid, signal.SIGCONT)
