"""Run an agent in the foreground and start it again when it is asked for or has crashed.

Everything it knows about its agent is in the database, under the agent's own name: a request for another agent is
another supervisor's. While the agent runs nothing is printed, because the terminal is the agent's.
"""

import select
import signal
import time
from collections.abc import Callable, Mapping

import msgspec

from synaptic.fleet import commands
from synaptic.fleet.child import AgentProcess, ProcessEnd
from synaptic.fleet.follow import DatabaseFollower
from synaptic.fleet.pace import CrashCounter, RestartPace
from synaptic.fleet.signals import ENDING_SIGNALS, KEYBOARD_SIGNALS, SignalPipe
from synaptic.fleet.terminal import Terminal
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home
from synaptic.model.layers import Status
from synaptic.store import supervision
from synaptic.store.db import Store
from synaptic.store.supervision import SupervisedAgent

LONG_WAIT = 3600.0
NOTICE_SECONDS = 0.1
"""Seconds in which more writes of anybody count as one: a restart is in no greater hurry."""
PARTING_SECONDS = 5.0
"""Seconds that an agent has to end when its supervisor is told to."""
SIGNAL_EXIT_BASE = 128
"""What a shell adds to the number of a signal."""


class SupervisedCommand(msgspec.Struct, frozen=True, kw_only=True):
    """The agent, its command line and its environment."""

    charge: SupervisedAgent
    command: tuple[str, ...]
    environ: Mapping[str, str]
    prompt_flag: str = ""
    pace: RestartPace = RestartPace()


class NextStep(msgspec.Struct, frozen=True, kw_only=True):
    """What follows the end of a process: another start, or the supervisor's own exit code."""

    command: tuple[str, ...] = ()
    status: Status | None = None
    """What to say about the agent when it starts; None leaves what was said."""
    exit: int | None = None


class Supervisor:
    """Supervises one agent: starts it, waits, and starts it again when asked for or after a crash."""

    def __init__(self, home: Home, task: SupervisedCommand, tell: Callable[[str], None]) -> None:
        self._task = task
        self._tell = tell
        self._follow = DatabaseFollower(home, NOTICE_SECONDS)
        self._signals = SignalPipe()
        self._terminal = Terminal()
        self._crashes = CrashCounter(task.pace)
        self._arrived: set[int] = set()
        self._prompt: str | None = None
        """What the running agent is to be started again with."""

    def run(self) -> int:
        """Until the agent has ended for good; the exit code is the agent's."""
        command = self._task.command
        step = NextStep(command=command, status="working" if commands.has_prompt(command) else "done")
        try:
            # Said now: once the agent runs, the terminal belongs to the agent.
            if not self._begin_supervision(step.status):
                self._tell("the database cannot be used: no status, no restart on request (type: synaptic doctor)")
            step = self._run_first(command)
            while step.exit is None:
                self._begin_supervision(step.status)
                step = self._run_again(step)
            return step.exit
        finally:
            self._signals.close()
            self._follow.close()

    def _run_first(self, command: tuple[str, ...]) -> NextStep:
        try:
            return self._decide_next(command, self._run_process(command))
        except SynapticError as error:
            self._end_supervision("error", f"cannot be started ({error})", 1)
            raise

    def _run_again(self, step: NextStep) -> NextStep:
        try:
            return self._decide_next(step.command, self._run_process(step.command))
        except SynapticError as error:
            self._report_status("error", str(error))
            return self._restart_later(NextStep(command=step.command), f"cannot be started ({error})")

    def _run_process(self, command: tuple[str, ...]) -> AgentProcess:
        """One process, from its start to its end."""
        # Signals and requests that were meant for the process before must not end this one.
        self._arrived.clear()
        self._prompt = None
        child = AgentProcess(command, self._task.environ)
        while child.poll() is None:
            self._collect_signals()
            if self._find_ending_signal() or self._is_restart_asked():
                self._end_process(child)
                break
            if signal.SIGCONT in self._arrived:
                self._arrived.discard(signal.SIGCONT)
                child.send_signal(signal.SIGCONT)
            # Woken by a commit or by a signal, SIGCHLD included: the time-out is no polling interval.
            self._follow.wait(LONG_WAIT, (self._signals.fd,))
        self._collect_signals()
        # An agent that ended by itself has put the terminal back; one that was killed could not.
        if child.ended and child.ended.signal:
            self._terminal.restore()
        return child

    def _end_process(self, child: AgentProcess) -> None:
        """End the child: a signal, a grace period, then SIGKILL; to the child alone."""
        ending = self._find_ending_signal()
        # The signal that we were sent: an agent may treat a hang-up otherwise than a request to end.
        child.send_signal(ending or signal.SIGTERM)
        until = time.monotonic() + (PARTING_SECONDS if ending else self._task.pace.grace)
        while child.poll() is None:
            self._wait_for_signal(until - time.monotonic())
            if time.monotonic() >= until:
                child.send_signal(signal.SIGKILL)
                # Sent once: a process in the middle of a system call takes its time to die.
                until = time.monotonic() + LONG_WAIT

    def _decide_next(self, command: tuple[str, ...], child: AgentProcess) -> NextStep:
        """What follows the end of a process. The order decides: one end often has several explanations."""
        ended, pace = child.ended or ProcessEnd(), self._task.pace
        if number := self._find_ending_signal():  # we were told to end, and ended it ourselves
            return self._end_supervision("done", "", SIGNAL_EXIT_BASE + number)
        # Before any look at how it ended: a restart ends the agent by a signal too, and is no crash.
        if (prompt := self._take_prompt()) is not None:
            return self._restart_as_asked(
                commands.make_restart_command(self._task.command, prompt, self._task.prompt_flag), child
            )
        if number := self._find_interrupt(ended):
            return self._end_supervision("done", "", SIGNAL_EXIT_BASE + number)
        if ended.signal:
            self._report_status("error", ended.description)
            return self._restart_later(NextStep(command=command), ended.description)
        # An agent that refuses at once to continue a session will refuse again: the same command without it.
        if ended.code and child.lifetime < pace.hasty and commands.is_resuming(command):
            self._tell(f"{self._name} could not continue its session: started again without it")
            return NextStep(command=commands.make_fresh_command(command))
        return self._end_supervision(
            "error" if ended.code else "done", ended.description if ended.code else "", ended.code
        )

    def _restart_as_asked(self, command: tuple[str, ...], child: AgentProcess) -> NextStep:
        """Restart as requested; with a growing delay when asked right after a start, since that is a loop."""
        step = NextStep(command=command, status="working")
        if child.lifetime >= self._task.pace.hasty:
            return step
        return self._restart_later(step, "asks for a new start as soon as it has one")

    def _restart_later(self, step: NextStep, why: str) -> NextStep:
        delay = self._crashes.add(time.monotonic())
        if delay is None:
            note = f"{why}; given up"
            self._tell(f"{self._name} {note}: {len(self._crashes)} times within {self._task.pace.window:g} s")
            return self._end_supervision("error", note, 1)
        self._tell(f"{self._name} {why}: started again in {delay:g} s (Ctrl-C to stop)")
        stopped = self._sleep_until_signal(delay)
        return self._end_supervision("done", "", SIGNAL_EXIT_BASE + stopped) if stopped else step

    def _sleep_until_signal(self, seconds: float) -> int:
        """Sleep; returns the signal that asks us to stop, or 0 when the time is over."""
        until = time.monotonic() + seconds
        self._arrived.clear()
        while (left := until - time.monotonic()) > 0:
            self._wait_for_signal(left)
            if number := next(iter(self._arrived.intersection((*KEYBOARD_SIGNALS, *ENDING_SIGNALS))), 0):
                return number
        return 0

    def _wait_for_signal(self, seconds: float) -> None:
        """For some time, or until a signal arrives."""
        select.select([self._signals.fd], [], [], max(0.0, seconds))
        self._collect_signals()

    def _collect_signals(self) -> None:
        self._arrived |= self._signals.read_arrived()

    def _find_ending_signal(self) -> int:
        return next(iter(self._arrived.intersection(ENDING_SIGNALS)), 0)

    def _find_interrupt(self, ended: ProcessEnd) -> int:
        """Find the keyboard signal that ended the agent: not a crash, but what the user wanted."""
        # An agent that catches Ctrl-C and then exits reports it as 128 + 2, as a shell does.
        number = ended.signal or ended.code - SIGNAL_EXIT_BASE
        return number if number in KEYBOARD_SIGNALS and number in self._arrived else 0

    @property
    def _name(self) -> str:
        return self._task.charge.agent

    def _is_restart_asked(self) -> bool:
        self._prompt = self._follow.run_with_store(
            lambda store: supervision.find_restart_prompt(store, self._name), None
        )
        return self._prompt is not None

    def _take_prompt(self) -> str | None:
        """The newest request; the one that was seen, where there is none any more."""
        newest = self._follow.run_with_store(lambda store: supervision.take_restart_prompt(store, self._name), None)
        return self._prompt if newest is None else newest

    def _begin_supervision(self, status: Status | None) -> bool:
        """Write the agent's row before each start, and clear requests that were made about an earlier process."""
        charge, now = self._task.charge, time.time()

        def work(store: Store) -> bool:
            supervision.begin_supervision(store, charge, status, now)
            return True

        return self._follow.run_with_store(work, False)

    def _report_status(self, status: Status, note: str) -> None:
        charge, now = self._task.charge, time.time()
        self._follow.run_with_store(lambda store: supervision.report_status(store, charge, status, note, now), None)

    def _end_supervision(self, status: Status, note: str, code: int) -> NextStep:
        charge, now = self._task.charge, time.time()
        self._follow.run_with_store(lambda store: supervision.end_supervision(store, charge, status, note, now), None)
        return NextStep(exit=code)
