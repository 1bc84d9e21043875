"""Many at once."""

import contextlib
import signal
import subprocess
import sys

from tests.faults import processes
from tests.faults.kind import kind
from tests.faults.step import Step

STOPPED = ("reset", "write", "guarded")


@kind("race.dispatchers")
def run_many_dispatchers(step: Step) -> None:
    """Thirty dispatchers at once."""
    step.volley(30)


@kind("race.no-daemon")
def run_many_without_daemon(step: Step) -> None:
    """Eight dispatchers at once, and no daemon: they wait for one engine."""
    step.kill_daemon()
    step.volley(8)


@kind("race.forbidden-no-daemon", rare=4)
def run_many_forbidden(step: Step) -> None:
    """Forty calls that must be stopped, and no daemon: none of them passes unchecked."""
    step.kill_daemon()
    step.volley(40, STOPPED)


@kind("race.forbidden-killed", rare=4)
def kill_under_forbidden(step: Step) -> None:
    """Forty calls that must be stopped, and the daemon is ended under them."""
    step.volley(20, STOPPED)
    step.signal_daemon()
    step.volley(20, STOPPED)


@kind("race.same-session")
def fail_together(step: Step) -> None:
    """Ten failures of one project at once: each is counted."""
    step.volley(10, ("failure",))


@kind("race.same-refusal")
def refuse_together(step: Step) -> None:
    """Ten refusals of the same call at once: each is counted."""
    step.volley(10, ("reset",))


@kind("race.background")
def start_many_background(step: Step) -> None:
    """Ten hooks that nobody waits for at once: each runs once."""
    step.volley(10, ("glob",))


@kind("race.starts", rare=2)
def start_many_daemons(step: Step) -> None:
    """Three programs start the daemon at the same time, and calls come."""
    step.kill_daemon()
    started = [start_daemon(step) for _ in range(3)]
    step.volley(3)
    step.finish()
    for one in started:
        one.wait(60)


@kind("race.restart", rare=2)
def restart_in_burst(step: Step) -> None:
    """`synaptic daemon restart` under calls."""
    running = start_daemon(step, "restart")
    for _ in range(4):
        step.volley(3)
        step.wait(0, 0.15)
    step.finish()
    running.wait(60)


@kind("race.stop-and-calls", rare=2)
def stop_in_burst(step: Step) -> None:
    """`synaptic daemon stop` under calls: the next call has a daemon started again."""
    running = start_daemon(step, "stop")
    for _ in range(3):
        step.volley(2)
        step.wait(0, 0.15)
    step.finish()
    running.wait(60)


@kind("race.kill-chain", rare=2)
def kill_every_daemon(step: Step) -> None:
    """Every daemon that comes up within a second is ended."""
    for _ in range(3):
        step.volley(2)
        if found := step.find_starting_daemon():
            step.wait(0, 0.2)
            processes.send_signal(found.pid, signal.SIGKILL)


def start_daemon(step: Step, verb: str = "start") -> "subprocess.Popen[bytes]":
    """A person's `synaptic daemon start`; it is ended with the fault if it has not come to an end."""
    code = f"from synaptic.cli.main import main; import sys; sys.argv = ['synaptic', 'daemon', '{verb}']; main()"
    started = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={"HOME": str(step.world.user), "PATH": "/usr/bin:/bin"},
        cwd=step.world.base,
    )

    def end() -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            started.wait(30)
        started.kill()
        started.wait()

    step.defer(end)
    return started
