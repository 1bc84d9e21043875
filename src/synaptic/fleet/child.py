"""The agent's process: our own child on our own terminal, and the only process that is ever signalled."""

import os
import signal
import subprocess  # noqa: TID251  a supervisor starts its agent
import time
from collections.abc import Mapping, Sequence

import msgspec

from synaptic.model.errors import SynapticError


class ProcessEnd(msgspec.Struct, frozen=True):
    """How a process ended."""

    code: int = 0
    signal: int = 0
    """What killed it; 0 when it ended by itself."""

    @property
    def description(self) -> str:
        """For people."""
        return (
            f"was ended by {signal.Signals(self.signal).name}" if self.signal else f"ended with exit code {self.code}"
        )


class AgentProcess:
    """One process from its start to its end. Its pid is not reused until `poll` has seen the end."""

    def __init__(self, command: Sequence[str], environ: Mapping[str, str]) -> None:
        try:
            # In our process group: what the keyboard sends reaches it as if we were not there.
            self._process = subprocess.Popen(command, env=environ)
        # ValueError: a word or a variable with a NUL in it, which no process can be given.
        except (OSError, ValueError) as error:
            what = getattr(error, "strerror", None) or str(error)
            raise SynapticError(what, where=command[0], hint="is it installed and on PATH?") from error
        self.pid = self._process.pid
        self._started = time.monotonic()
        self.ended: ProcessEnd | None = None

    @property
    def lifetime(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._started

    def poll(self) -> ProcessEnd | None:
        """Return how it ended, or None. On a terminal, a child that was stopped stops us too: the shell is back."""
        while self.ended is None:
            # Not `Popen.poll`: it does not see a child that was stopped, and Ctrl-Z must give the shell back.
            pid, status = os.waitpid(self.pid, os.WNOHANG | os.WUNTRACED)
            if not pid:
                break
            if os.WIFSTOPPED(status):
                self._stop_together()
                continue
            self.ended = _read_wait_status(status)
            # We have reaped it ourselves: without this, Popen would wait for a process number that is free again.
            self._process.returncode = -self.ended.signal or self.ended.code
        return self.ended

    def _stop_together(self) -> None:
        """Stop ourselves too, and continue together. Where no shell could continue us, the kernel discards the stop."""
        if os.isatty(0):
            os.kill(os.getpid(), signal.SIGTSTP)
            self.send_signal(signal.SIGCONT)

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.ended is None:
            # Not reaped yet, so the number cannot be another process's.
            os.kill(self.pid, number)


def _read_wait_status(status: int) -> ProcessEnd:
    return ProcessEnd(signal=os.WTERMSIG(status)) if os.WIFSIGNALED(status) else ProcessEnd(code=os.WEXITSTATUS(status))
