"""The processes that have called the dispatcher, on disk: they are agents, whatever they are called."""

import contextlib
import os

from synaptic.agents.shared.processes import ProcessInfo, read_process
from synaptic.files.bounded import UnreadableFile, read_content
from synaptic.files.replace import replace_own
from synaptic.model.home import Home

MOST_CALLERS = 512
"""Processes that are remembered; those that have ended go first."""
LONGEST_FILE = 1 << 16

ProcessKey = tuple[int, str]


class HookCallers:
    """Who has called the dispatcher, each by process id and start. What is written here only ever tightens."""

    def __init__(self, home: Home) -> None:
        self.dispatch = os.path.realpath(home.dispatch)
        self._path = str(home.run / "callers")
        self._trouble, self._may_pass = "", False
        self._known = dict.fromkeys(self._read_keys())

    @property
    def trouble(self) -> str:
        """Why it cannot be read, where somebody has put something else in its place: then nobody is a person."""
        self._look_again()
        return self._trouble

    def holds(self, process: ProcessInfo) -> bool:
        """Whether this process has called the dispatcher."""
        self._look_again()
        return process.key in self._known

    def add(self, process: ProcessInfo) -> None:
        """Remember one more, on disk too: a daemon that is started again and the command line must know it."""
        if self.holds(process):
            return
        # Another process may have written since: what it knows is kept.
        found = dict.fromkeys((*self._read_keys(), *self._known, process.key))
        self._known = dict.fromkeys(key for key in found if _is_alive(key))
        kept = list(self._known)[-MOST_CALLERS:]
        # Where nothing can be written, this process still knows it.
        with contextlib.suppress(OSError):
            # Where no daemon has ever run there is no such folder yet.
            os.makedirs(os.path.dirname(self._path), 0o700, exist_ok=True)  # noqa: PTH103, PTH120
            replace_own(self._path, "".join(f"{pid} {started}\n" for pid, started in kept).encode(), 0o600)

    def _look_again(self) -> None:
        """A descriptor that was missing for a moment is no reason for the rest of a daemon's life."""
        if self._may_pass:
            self._known = dict.fromkeys((*self._read_keys(), *self._known))

    def _read_keys(self) -> list[ProcessKey]:
        content = read_content(self._path, LONGEST_FILE)
        if isinstance(content, UnreadableFile):
            self._may_pass = content.may_pass
            self._trouble = f"{self._path} {content.why}" + ("" if content.may_pass else "; delete it")
            return []
        if self._may_pass:
            self._trouble, self._may_pass = "", False
        return _parse_lines(content or b"")


def _parse_lines(raw: bytes) -> list[ProcessKey]:
    lines = (line.partition(" ") for line in raw.decode("utf-8", "replace").splitlines())
    return [(int(pid), started) for pid, _, started in lines if pid.isdecimal() and started]


def _is_alive(key: ProcessKey) -> bool:
    found = read_process(key[0])
    return found is not None and found.key == key
