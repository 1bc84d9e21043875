"""The processes that have called the dispatcher, on disk: they are agents, whatever they are called.

Beside them the hosts: programs of a person that have an agent in themselves (an SDK), which is asked about over the
engine's library. What such a program starts may be a tool of its agent's; the program itself speaks for its person.
"""

import contextlib
import os

from synaptic.agents.shared.processes import ProcessInfo, read_process, read_variables
from synaptic.agents.shared.record import load_record
from synaptic.files.bounded import UnreadableFile, read_content
from synaptic.files.home import find_home
from synaptic.files.replace import replace_own
from synaptic.files.snapshot import WatchedFile
from synaptic.model.home import Home

MOST_CALLERS = 512
"""Processes that are remembered; those that have ended go first."""
LONGEST_FILE = 1 << 16

ProcessKey = tuple[int, str]


class HookCallers:
    """Who has called the dispatcher, each by process id and start. What is written here only ever tightens."""

    def __init__(self, home: Home) -> None:
        self.dispatch = os.path.realpath(home.dispatch)
        self._home = home
        self._path = str(home.run / "callers")
        self._trouble, self._may_pass = "", False
        self._known = dict.fromkeys(self._read_keys())
        self._hosts_path = str(home.run / "hosts")
        # A host writes itself down, in its own process: a daemon that runs learns of it by looking.
        self._hosts_file = WatchedFile(self._hosts_path, lambda path: read_content(path, LONGEST_FILE))
        self._hosts: frozenset[ProcessKey] | None = None

    @property
    def trouble(self) -> str:
        """Why it cannot be read, where somebody has put something else in its place: then nobody is a person."""
        self._look_again()
        return self._trouble

    def has_written(self, path: str) -> bool:
        """Whether a file is one that bootstrap has put into an agent's folder."""
        return path.startswith("/") and path in load_record(self._home).settings

    def holds(self, process: ProcessInfo) -> bool:
        """Whether this process has called the dispatcher."""
        self._look_again()
        return process.key in self._known

    def is_of_home(self, process: ProcessInfo) -> bool:
        """Whether a process uses this home, as far as the variables tell that it was started with."""
        variables = dict(text.partition("=")[::2] for text in read_variables(process.pid))
        if not variables.get("HOME", "").startswith("/"):
            return True
        return os.path.realpath(find_home(variables).root) == os.path.realpath(self._home.root)

    def list_living(self) -> tuple[ProcessInfo, ...]:
        """The agents that live now: those that were seen to call the dispatcher, and programs with an agent inside."""
        self._look_again()
        hosts = self._hosts or frozenset(_parse_lines(self._read_hosts()))
        found = ((key, read_process(key[0])) for key in {*self._read_keys(), *self._known, *hosts})
        return tuple(process for key, process in found if process is not None and process.key == key)

    def add(self, process: ProcessInfo) -> None:
        """Remember one more, on disk too: a daemon that is started again and the command line must know it."""
        if self.holds(process):
            return
        # Another process may have written since: what it knows is kept.
        found = dict.fromkeys((*self._read_keys(), *self._known, process.key))
        self._known = dict.fromkeys(key for key in found if _is_alive(key))
        _write_keys(self._path, list(self._known))

    def is_host(self, process: ProcessInfo) -> bool:
        """Whether this process has an agent in itself. A file that cannot be read leaves what was known."""
        if self._hosts is None or not self._hosts_file.is_unchanged():
            content = self._hosts_file.read()
            if not isinstance(content, UnreadableFile):
                self._hosts = frozenset(_parse_lines(content or b""))
        return process.key in (self._hosts or ())

    def add_host(self, process: ProcessInfo) -> None:
        """Remember a program that has an agent in itself."""
        if self.is_host(process):
            return
        found = (*(self._hosts or ()), process.key)
        self._hosts = frozenset(key for key in found if _is_alive(key))
        _write_keys(self._hosts_path, sorted(self._hosts))

    def _look_again(self) -> None:
        """A descriptor that was missing for a moment is no reason for the rest of a daemon's life."""
        if self._may_pass:
            self._known = dict.fromkeys((*self._read_keys(), *self._known))

    def _read_hosts(self) -> bytes:
        content = read_content(self._hosts_path, LONGEST_FILE)
        return b"" if isinstance(content, UnreadableFile) else content or b""

    def _read_keys(self) -> list[ProcessKey]:
        content = read_content(self._path, LONGEST_FILE)
        if isinstance(content, UnreadableFile):
            self._may_pass = content.may_pass
            self._trouble = f"{self._path} {content.why}" + ("" if content.may_pass else "; delete it")
            return []
        if self._may_pass:
            self._trouble, self._may_pass = "", False
        return _parse_lines(content or b"")


def _write_keys(path: str, keys: list[ProcessKey]) -> None:
    # Where nothing can be written, this process still knows it.
    with contextlib.suppress(OSError):
        # Where no daemon has ever run there is no such folder yet.
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)  # noqa: PTH103, PTH120
        lines = "".join(f"{pid} {started}\n" for pid, started in keys[-MOST_CALLERS:])
        replace_own(path, lines.encode(), 0o600)


def _parse_lines(raw: bytes) -> list[ProcessKey]:
    lines = (line.partition(" ") for line in raw.decode("utf-8", "replace").splitlines())
    return [(int(pid), started) for pid, _, started in lines if pid.isdecimal() and started]


def _is_alive(key: ProcessKey) -> bool:
    found = read_process(key[0])
    return found is not None and found.key == key
