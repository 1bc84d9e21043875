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
from synaptic.fleet.child import Child, Ended
from synaptic.fleet.follow import Follow
from synaptic.fleet.pace import Crashes, Pace
from synaptic.fleet.signals import ENDING, KEYBOARD, Signals
from synaptic.fleet.terminal import Terminal
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home
from synaptic.model.layers import Status
from synaptic.store import supervision
from synaptic.store.db import Store
from synaptic.store.supervision import Charge

LONG = 3600.0
NOTICE = 0.1
"""Seconds in which more writes of anybody count as one: a restart is in no greater hurry."""
PARTING = 5.0
"""Seconds that an agent has to end when its supervisor is told to."""
BY_SIGNAL = 128
"""What a shell adds to the number of a signal."""


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """The agent, its command line and its environment."""

    charge: Charge
    command: tuple[str, ...]
    environ: Mapping[str, str]
    prompt_flag: str = ""
    pace: Pace = Pace()


class Next(msgspec.Struct, frozen=True, kw_only=True):
    """What follows the end of a process: another start, or the supervisor's own exit code."""

    command: tuple[str, ...] = ()
    status: Status | None = None
    """What to say about the agent when it starts; None leaves what was said."""
    exit: int | None = None


class Supervisor:
    """Supervises one agent: starts it, waits, and starts it again when asked for or after a crash."""

    def __init__(self, home: Home, task: Task, tell: Callable[[str], None]) -> None:
        self._task = task
        self._tell = tell
        self._follow = Follow(home, NOTICE)
        self._signals = Signals()
        self._terminal = Terminal()
        self._crashes = Crashes(task.pace)
        self._arrived: set[int] = set()
        self._prompt: str | None = None
        """What the running agent is to be started again with."""

    def run(self) -> int:
        """Until the agent has ended for good; the exit code is the agent's."""
        command = self._task.command
        step = Next(command=command, status="working" if commands.has_prompt(command) else "done")
        try:
            # Said now: once the agent runs, the terminal belongs to the agent.
            if not self._begin(step.status):
                self._tell("the database cannot be used: no status, no restart on request (type: synaptic doctor)")
            step = self._first(command)
            while step.exit is None:
                self._begin(step.status)
                step = self._started_again(step)
            return step.exit
        finally:
            self._signals.close()
            self._follow.close()

    def _first(self, command: tuple[str, ...]) -> Next:
        try:
            return self._after(command, self._one(command))
        except SynapticError as error:
            self._leave("error", f"cannot be started ({error})", 1)
            raise

    def _started_again(self, step: Next) -> Next:
        try:
            return self._after(step.command, self._one(step.command))
        except SynapticError as error:
            self._report("error", str(error))
            return self._spaced(Next(command=step.command), f"cannot be started ({error})")

    def _one(self, command: tuple[str, ...]) -> Child:
        """One process, from its start to its end."""
        # Signals and requests that were meant for the process before must not end this one.
        self._arrived.clear()
        self._prompt = None
        child = Child(command, self._task.environ)
        while child.look() is None:
            self._note()
            if self._ending() or self._is_asked():
                self._end(child)
                break
            if signal.SIGCONT in self._arrived:
                self._arrived.discard(signal.SIGCONT)
                child.send(signal.SIGCONT)
            # Woken by a commit or by a signal, SIGCHLD included: the time-out is no polling interval.
            self._follow.wait(LONG, (self._signals.fd,))
        self._note()
        # An agent that ended by itself has put the terminal back; one that was killed could not.
        if child.ended and child.ended.signal:
            self._terminal.restore()
        return child

    def _end(self, child: Child) -> None:
        """End the child: a signal, a grace period, then SIGKILL; to the child alone."""
        ending = self._ending()
        # The signal that we were sent: an agent may treat a hang-up otherwise than a request to end.
        child.send(ending or signal.SIGTERM)
        until = time.monotonic() + (PARTING if ending else self._task.pace.grace)
        while child.look() is None:
            self._pause(until - time.monotonic())
            if time.monotonic() >= until:
                child.send(signal.SIGKILL)
                # Sent once: a process in the middle of a system call takes its time to die.
                until = time.monotonic() + LONG

    def _after(self, command: tuple[str, ...], child: Child) -> Next:
        """What follows the end of a process. The order decides: one end often has several explanations."""
        ended, pace = child.ended or Ended(), self._task.pace
        if number := self._ending():  # we were told to end, and ended it ourselves
            return self._leave("done", "", BY_SIGNAL + number)
        # Before any look at how it ended: a restart ends the agent by a signal too, and is no crash.
        if (prompt := self._taken()) is not None:
            return self._again(commands.restarted(self._task.command, prompt, self._task.prompt_flag), child)
        if number := self._interrupted(ended):
            return self._leave("done", "", BY_SIGNAL + number)
        if ended.signal:
            self._report("error", ended.words)
            return self._spaced(Next(command=command), ended.words)
        # An agent that refuses at once to continue a session will refuse again: the same command without it.
        if ended.code and child.lived < pace.hasty and commands.resumes(command):
            self._tell(f"{self._name} could not continue its session: started again without it")
            return Next(command=commands.without_resume(command))
        return self._leave("error" if ended.code else "done", ended.words if ended.code else "", ended.code)

    def _again(self, command: tuple[str, ...], child: Child) -> Next:
        """Restart as requested; with a growing delay when asked right after a start, since that is a loop."""
        step = Next(command=command, status="working")
        if child.lived >= self._task.pace.hasty:
            return step
        return self._spaced(step, "asks for a new start as soon as it has one")

    def _spaced(self, step: Next, why: str) -> Next:
        delay = self._crashes.add(time.monotonic())
        if delay is None:
            note = f"{why}; given up"
            self._tell(f"{self._name} {note}: {len(self._crashes)} times within {self._task.pace.window:g} s")
            return self._leave("error", note, 1)
        self._tell(f"{self._name} {why}: started again in {delay:g} s (Ctrl-C to stop)")
        stopped = self._sleep(delay)
        return self._leave("done", "", BY_SIGNAL + stopped) if stopped else step

    def _sleep(self, seconds: float) -> int:
        """Sleep; returns the signal that asks us to stop, or 0 when the time is over."""
        until = time.monotonic() + seconds
        self._arrived.clear()
        while (left := until - time.monotonic()) > 0:
            self._pause(left)
            if number := next(iter(self._arrived.intersection((*KEYBOARD, *ENDING))), 0):
                return number
        return 0

    def _pause(self, seconds: float) -> None:
        """For some time, or until a signal arrives."""
        select.select([self._signals.fd], [], [], max(0.0, seconds))
        self._note()

    def _note(self) -> None:
        self._arrived |= self._signals.arrived()

    def _ending(self) -> int:
        return next(iter(self._arrived.intersection(ENDING)), 0)

    def _interrupted(self, ended: Ended) -> int:
        """Find the keyboard signal that ended the agent: not a crash, but what the user wanted."""
        # An agent that catches Ctrl-C and then exits reports it as 128 + 2, as a shell does.
        number = ended.signal or ended.code - BY_SIGNAL
        return number if number in KEYBOARD and number in self._arrived else 0

    @property
    def _name(self) -> str:
        return self._task.charge.agent

    def _is_asked(self) -> bool:
        self._prompt = self._follow.do(lambda store: supervision.asked(store, self._name), None)
        return self._prompt is not None

    def _taken(self) -> str | None:
        """The newest request; the one that was seen, where there is none any more."""
        newest = self._follow.do(lambda store: supervision.take(store, self._name), None)
        return self._prompt if newest is None else newest

    def _begin(self, status: Status | None) -> bool:
        """Write the agent's row before each start, and clear requests that were made about an earlier process."""
        charge, now = self._task.charge, time.time()

        def work(store: Store) -> bool:
            supervision.begin(store, charge, status, now)
            return True

        return self._follow.do(work, False)

    def _report(self, status: Status, note: str) -> None:
        charge, now = self._task.charge, time.time()
        self._follow.do(lambda store: supervision.report(store, charge, status, note, now), None)

    def _leave(self, status: Status, note: str, code: int) -> Next:
        charge, now = self._task.charge, time.time()
        self._follow.do(lambda store: supervision.end(store, charge, status, note, now), None)
        return Next(exit=code)
