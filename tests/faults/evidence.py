"""What is true after a batch, gathered from the journal, the state, files and processes."""

import contextlib
import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from synaptic.engine.reports import NOT_OWN_TEXT
from tests.faults import processes
from tests.faults.calls import Call
from tests.faults.world import World

SELECT_ROWS = """
SELECT id, event, session, kind, exit, stdout, stderr, replay, payload, root FROM events WHERE id > ? ORDER BY id
"""
SELECT_PAYLOAD = "SELECT payload FROM events WHERE id = ?"
SELECT_SECTION = "SELECT value FROM state WHERE scope = ? AND owner = ? AND section = ?"
TOKEN = re.compile(r"t\d+-\d+-\d+")
TEMPORARY = re.compile(r"^\..+\.\d+|\.tmp$|\.fresh$|^daemon\.\d+$|\.[0-9a-f]{8}$|~$")
TRACE = "Traceback (most recent call last)"


@dataclass(frozen=True)
class Row:
    """One event of the journal, as far as it is compared."""

    id: int
    event: str
    session: str
    kind: str
    exit: int
    stdout: bytes
    stderr: bytes
    is_exact: bool
    """Whether the answer was kept to the byte; one that held a secret is not."""
    root: str = ""

    @property
    def is_disowned(self) -> bool:
        """Whether nobody could see any more who had sent it: it is noted, and changes nothing."""
        return NOT_OWN_TEXT.encode() in self.stderr


@dataclass
class Counters:
    """What the state says."""

    failures: int = 0
    is_tripped: bool = True
    refusals: dict[str, int] = field(default_factory=dict)


@dataclass
class Evidence:
    """Everything that the invariants look at."""

    calls: list[Call] = field(default_factory=list)
    rows: dict[str, list[Row]] = field(default_factory=dict)
    journal_trouble: str = ""
    counters: Counters = field(default_factory=Counters)
    before: Counters = field(default_factory=Counters)
    """What the state said when the counting began, minus what the journal had then."""
    sentinel: Counter[str] = field(default_factory=Counter)
    audit: Counter[str] = field(default_factory=Counter)
    daemons: int = 1
    is_answering: bool = True
    zombies: list[str] = field(default_factory=list)
    strays: list[str] = field(default_factory=list)
    leftovers: list[str] = field(default_factory=list)
    traces: list[str] = field(default_factory=list)
    log_bytes: int = 0
    descriptors: int = 0
    usual_descriptors: int = 0
    is_idle_daemon: bool = True
    log_size: int = 0
    tripped_root: str = ""
    missing_before: list[str] = field(default_factory=list)
    """Tokens that were in the journal before a fault that destroys what was written, and are not any more."""
    gone: list[str] = field(default_factory=list)
    """Tokens that were in the journal and are not any more, where nothing may be lost."""
    is_loss_told: bool = False
    lost_file: str = ""


class Journal:
    """The journal as another process reads it, from where it was read last."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: dict[str, list[Row]] = {}
        self.trouble = ""
        self.has_other_file = False
        """Whether it was in another file than the last time, since somebody has last cleared this."""
        self._known: set[str] = set()
        self._last, self._last_token = 0, ""
        self._file: tuple[int, int] | None = None

    def read(self, *, whole: bool = False) -> None:
        """Read what is new; everything after the file was replaced."""
        try:
            file = self._identify()
            self.has_other_file = self.has_other_file or self._file not in (None, file)
            with contextlib.closing(self._open()) as connection:
                if whole or file != self._file or not self._goes_on(connection):
                    self.rows, self._last, self._file = {}, 0, file
                for row in connection.execute(SELECT_ROWS, (self._last,)):
                    self._take(row)
            self.trouble = ""
        except (OSError, sqlite3.Error, ValueError) as error:
            self.trouble = f"{type(error).__name__}: {error}"

    @property
    def gone(self) -> list[str]:
        """Tokens that were in the journal once and are not any more."""
        return sorted(self._known - set(self.rows))

    def accept_losses(self) -> None:
        """What is gone now was told, or has been reported."""
        self.has_other_file = False
        self._known = set(self.rows)

    def _goes_on(self, connection: sqlite3.Connection) -> bool:
        """Whether the last row is as it was read: where a file has lost its end, its numbers are given once more."""
        found = connection.execute(SELECT_PAYLOAD, (self._last,)).fetchone()
        return not self._last or (found is not None and read_token(found[0]) == self._last_token)

    def _identify(self) -> tuple[int, int]:
        found = self.path.stat()
        return (found.st_dev, found.st_ino)

    def read_counters(self, root: str, sessions: Iterable[str]) -> Counters:
        """The counters of the state; where it cannot be read, what relaxes nothing and counts nothing."""
        try:
            with contextlib.closing(self._open()) as connection:
                breaker = read_section(connection, ("project", root, "circuit_breaker"))
                refusals = {name: read_section(connection, ("session", name, "refusals")) for name in sessions}
        except (sqlite3.Error, ValueError) as error:
            self.trouble = f"{type(error).__name__}: {error}"
            return Counters(-1, True, {})
        return Counters(
            int(breaker.get("failures", 0) or 0),
            bool(breaker.get("tripped", False)),
            {name: sum(int(n) for n in counts.values() if isinstance(n, int)) for name, counts in refusals.items()},
        )

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(f"file:{self.path}?mode=ro", uri=True, timeout=5.0)
        # Other bits in a text are no damage that a database could see.
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        return connection

    def _take(self, row: tuple) -> None:
        id, event, session, kind, exit, stdout, stderr, replay, payload, root = row
        found = read_token(payload)
        self._last, self._last_token = id, found
        self._known |= {found} - {""}
        # A payload that is too long is not kept: its event still counts.
        token = found or f"?{id}"
        answer = (exit, to_bytes(stdout), to_bytes(stderr), bool(replay))
        made = Row(id, event, session, kind, *answer, root)
        self.rows.setdefault(token, []).append(made)


def read_section(connection: sqlite3.Connection, place: tuple[str, str, str]) -> dict:
    row = connection.execute(SELECT_SECTION, place).fetchone()
    return json.loads(row[0]) if row else {}


def read_token(payload: object) -> str:
    text = payload.decode("utf-8", "replace") if isinstance(payload, bytes) else str(payload or "")
    found = re.search(r'"reference": ?"(t\d+-\d+-\d+)"', text)
    return found[1] if found else ""


def to_bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else str(value or "").encode()


def count_tokens(text: str) -> Counter[str]:
    """Once a line: a line may hold its token several times."""
    return Counter(token for line in text.splitlines() for token in set(TOKEN.findall(line)))


def find_strays(world: World) -> list[str]:
    """Processes of this home that are neither the daemon nor below it."""
    found = [one for one in processes.list_processes(world.user) if one.state != "Z"]
    below = {one.pid for one in found if one.is_daemon}
    while born := {one.pid for one in found if one.parent in below} - below:
        below |= born
    return [f"{one.pid} {' '.join(one.words)[:160]}" for one in found if one.pid not in below]


def find_hook_processes(world: World) -> list[str]:
    """Scripts that still run, wherever they hang."""
    return [
        f"{one.pid} {' '.join(one.words)[:160]}"
        for one in processes.list_processes(world.user)
        if one.state != "Z" and not one.is_daemon and "worker" not in " ".join(one.words)
    ]


def find_leftovers(world: World) -> list[str]:
    """Files that look like somebody's unfinished work."""
    home = world.home
    places = (home.root, home.run, home.bin, *(folder / ".synaptic" for folder in world.projects.values()))
    found = [entry for place in places if place.is_dir() for entry in place.iterdir() if TEMPORARY.search(entry.name)]
    spooled = list(home.spool.iterdir()) if home.spool.is_dir() else []
    return sorted(str(entry) for entry in (*found, *spooled))


def read_traces(path: Path, start: int) -> tuple[list[str], int]:
    """The tracebacks that the log got since, each by its last line, and where the log ends now."""
    try:
        content = path.read_bytes()
    except OSError:
        return [], 0
    if len(content) < start:
        start = 0
    text = content[start:].decode("utf-8", "replace")
    return [find_last_line(part) for part in text.split(TRACE)[1:]], len(content)


def find_last_line(trace: str) -> str:
    """The line that names the error: the first one that is not indented."""
    return next((line for line in trace.splitlines()[1:] if line and not line.startswith((" ", "\t"))), "unfinished")
