"""Processes that are ended, at a point of chance."""

import signal

from tests.faults import processes
from tests.faults.kind import kind
from tests.faults.step import Step

SLOW_HOOK = "#!/bin/sh\nsleep 0.3\n"
SLOW_NOTE = "#!/bin/sh\nIFS= read -r line\nsleep 0.3\nprintf '%s\\n' \"$line\" >> {sentinel}\n"


@kind("kill.daemon-idle")
def kill_idle_daemon(step: Step) -> None:
    """`kill -9` of a daemon that has nothing to do."""
    step.kill_daemon()
    step.mix(2)


@kind("kill.daemon-in-call")
def kill_daemon_in_call(step: Step) -> None:
    """`kill -9` of the daemon within the first milliseconds of a call."""
    step.volley(3)
    step.wait(0, 0.004)
    step.signal_daemon()


@kind("kill.daemon-in-burst")
def kill_daemon_in_burst(step: Step) -> None:
    """`kill -9` of the daemon under ten calls."""
    step.volley(10)
    step.wait(0, 0.01)
    step.signal_daemon()


@kind("kill.daemon-twice")
def kill_two_daemons(step: Step) -> None:
    """The daemon, and the one that comes after it."""
    step.kill_daemon()
    step.call("reset")
    if found := step.find_starting_daemon():
        processes.send_signal(found.pid, signal.SIGKILL)
    step.call("echo")


@kind("kill.daemon-starting")
def kill_starting_daemon(step: Step) -> None:
    """A daemon that has just been started, before or after it takes calls."""
    step.kill_daemon()
    step.start("reset")
    if found := step.find_starting_daemon():
        step.wait(0, 0.4)
        processes.send_signal(found.pid, signal.SIGKILL)
    step.volley(2)


@kind("kill.daemon-term")
def end_daemon(step: Step) -> None:
    """SIGTERM, and calls while it ends."""
    step.signal_daemon(signal.SIGTERM)
    step.mix(2)


@kind("kill.daemon-term-in-burst")
def end_daemon_in_burst(step: Step) -> None:
    """SIGTERM under ten calls."""
    step.volley(5)
    step.signal_daemon(signal.SIGTERM)
    step.volley(5)


@kind("kill.daemon-term-twice")
def end_daemon_twice(step: Step) -> None:
    """SIGTERM, and at once SIGKILL."""
    step.volley(3)
    step.signal_daemon(signal.SIGTERM)
    step.wait(0, 0.02)
    step.signal_daemon(signal.SIGKILL)


@kind("kill.daemon-other-signal")
def send_other_signal(step: Step) -> None:
    """A signal that nobody expects."""
    numbers = (signal.SIGINT, signal.SIGSEGV, signal.SIGABRT, signal.SIGQUIT, signal.SIGHUP, signal.SIGUSR1)
    step.volley(2)
    step.signal_daemon(step.random.choice(numbers))


@kind("kill.daemon-alarm", "unheard", "unwritten", "effects", "hooks")
def send_alarm(step: Step) -> None:
    """SIGALRM and SIGPIPE: what the daemon itself uses or ignores."""
    step.volley(4)
    for _ in range(5):
        step.signal_daemon(step.random.choice((signal.SIGALRM, signal.SIGPIPE, signal.SIGCHLD)))


@kind("kill.daemon-in-hook")
def kill_daemon_in_hook(step: Step) -> None:
    """`kill -9` of the daemon while a hook is waited for."""
    step.write_hook(SLOW_HOOK)
    step.volley(2, ("grep",))
    step.find_script("odd")
    step.signal_daemon()


@kind("kill.daemon-in-background")
def kill_daemon_in_background(step: Step) -> None:
    """`kill -9` of the daemon right after it started hooks that nobody waits for."""
    step.volley(3, ("glob",))
    step.wait(0, 0.006)
    step.signal_daemon()


@kind("kill.daemon-after-answer")
def kill_daemon_after_answer(step: Step) -> None:
    """`kill -9` in the moment in which an answer has arrived: its effects are still owed."""
    step.call(step.random.choice(("echo", "glob", "failure")))
    step.signal_daemon()


@kind("kill.dispatcher")
def kill_dispatcher(step: Step) -> None:
    """`kill -9` of the dispatcher within its first milliseconds."""
    for _ in range(4):
        call = step.start(step.random.choice(("echo", "reset", "glob", "failure")))
        step.wait(0, 0.003)
        step.cut(call)


@kind("kill.dispatcher-in-hook")
def kill_dispatcher_in_hook(step: Step) -> None:
    """The agent ends its hook while a script is waited for."""
    step.write_hook(SLOW_HOOK)
    call = step.start("grep")
    step.find_script("odd")
    step.cut(call, step.random.choice((signal.SIGKILL, signal.SIGTERM, signal.SIGINT)))


@kind("kill.dispatchers-together")
def kill_dispatchers(step: Step) -> None:
    """Many dispatchers at once, half of them ended."""
    for call in step.volley(12):
        if step.random.random() < 0.5:
            step.cut(call)


@kind("kill.dispatcher-and-daemon")
def kill_both(step: Step) -> None:
    """Both ends of the socket."""
    calls = step.volley(4)
    step.wait(0, 0.003)
    step.signal_daemon()
    step.cut(calls[0])


@kind("kill.fallback", "unheard")
def kill_fallback(step: Step) -> None:
    """The Python that decides in the place of a daemon, anywhere in its life."""
    step.kill_daemon()
    step.start(step.random.choice(("reset", "echo", "glob", "failure")))
    if found := step.find_fallback():
        step.wait(0, 0.4)
        processes.send_signal(found.pid, signal.SIGKILL)


@kind("kill.fallback-dispatcher")
def kill_fallback_dispatcher(step: Step) -> None:
    """The dispatcher goes while its Python decides."""
    step.kill_daemon()
    call = step.start(step.random.choice(("echo", "failure", "glob")))
    if step.find_fallback():
        step.wait(0, 0.3)
    step.cut(call)


@kind("kill.hook", "hooks")
def kill_hook(step: Step) -> None:
    """A script that is waited for."""
    step.write_hook(SLOW_HOOK)
    step.start("grep")
    if found := step.find_script("odd"):
        processes.send_signal(found.pid, step.random.choice((signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV)))


@kind("kill.background-hook", "hooks")
def kill_background_hook(step: Step) -> None:
    """A script that nobody waits for."""
    step.write_hook(SLOW_NOTE.format(sentinel=step.world.sentinel), "note")
    step.call("glob")
    if found := step.find_script("note"):
        processes.send_signal(found.pid, signal.SIGKILL)


@kind("kill.everything", "hooks")
def kill_everything(step: Step) -> None:
    """Every process of the home at once, under load."""
    calls = step.volley(6)
    step.wait(0, 0.01)
    for call in calls:
        step.cut(call)
    processes.kill_all(step.world.user)
