"""Registry in a local doltlite database, accessed through a worker process."""

import os
import subprocess  # noqa: TID251  doltlite lives in a process of its own
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import msgspec

from synaptic.model.refusal import Code, Refusal
from synaptic.packages import worker
from synaptic.packages.database import PastVersion, RegistryChange, Rows, check_ref
from synaptic.packages.rows import Commit

BUSY_TIMEOUT = 10.0
"""Seconds to retry while another writer holds the database: SQLite's busy timeout does not cover dolt_checkout."""
BUSY_PAUSE = 0.05
BUSY_ERRORS = ("database is locked", "database is busy")
UNREADABLE_ERRORS = ("not a database", "malformed", "file is encrypted", "corrupt")
DOLT_ERRORS: tuple[tuple[str, Code, str], ...] = (
    ("database is locked", "backend_unavailable", "another process is writing to it; try again"),
    ("database is busy", "backend_unavailable", "another process is writing to it; try again"),
    ("ref not found", "not_found", "type: synaptic registry channels"),
    ("branch not found", "not_found", "type: synaptic registry channels"),
    ("invalid dolt_log revision", "not_found", "type: synaptic registry channels"),
    ("not a fast-forward", "conflict", "pull first: somebody else has pushed"),
    ("no common ancestor", "conflict", "they were made apart; type: synaptic registry init --from URL"),
    ("could not connect", "backend_unavailable", "is it running? synaptic registry serve"),
    ("failed to open remote", "backend_unavailable", "is the path right?"),
    ("disk is full", "backend_unavailable", "make room; nothing was written"),
    ("SQLite built in", "unsupported_backend", "use your system's Python, or a mysql:// registry"),
    ("No module named 'doltlite'", "unsupported_backend", "type: pip install doltlite"),
    ("no such table", "validation_failed", "is it a registry? synaptic registry init makes one"),
)


class DoltDatabase:
    """One database file; its worker process starts with the first query."""

    def __init__(self, path: Path, *, remote: str = "") -> None:
        """With `remote`, channels are those that the remote of this name had when it was last fetched."""
        self.url = f"dolt://{path}"
        self.path = path
        self.remote = remote
        self.patience = BUSY_TIMEOUT
        self._names: tuple[str, ...] = ()
        self._process: subprocess.Popen[bytes] | None = None

    def make_table_sql(self, name: str, ref: str) -> str:
        return f"dolt_at_{name}('{self._resolve_ref(ref)}')"

    def query(self, sql: str, params: Sequence[object] = ()) -> Rows:
        return self._ask_worker({"sql": sql, "params": list(params)})

    def list_channels(self) -> tuple[str, ...]:
        if not self.remote:
            return tuple(sorted(str(row[0]) for row in self.query("SELECT name FROM dolt_branches")))
        self._names = self._names or list_remote_channels(self, self.remote)
        return self._names

    def read_log(self, ref: str) -> tuple[Commit, ...]:
        sql = "SELECT commit_hash, committer, date, message FROM dolt_log(?)"
        return tuple(Commit(*map(str, row)) for row in self.query(sql, [self._resolve_ref(ref)]))

    def read_head(self, channel: str) -> str:
        return str(self.query("SELECT dolt_hashof(?)", [self._resolve_ref(channel)])[0][0])

    def read_past(self, package_id: str, channel: str) -> list[PastVersion]:
        history = f"dolt_history_packages('{self._resolve_ref(channel)}')"
        sql = f"SELECT version, sha256, commit_hash FROM {history} WHERE id = ?"
        return [PastVersion(*map(str, row)) for row in self.query(sql, [package_id])]

    def write(self, change: RegistryChange) -> str:
        statements = [[sql, list(params)] for sql, params in change.statements]
        request = {"branch": change.channel, "statements": statements}
        told = {"message": change.message, "author": change.author}
        return str(self._ask_worker({**request, **told})[0][0])

    def merge(self, source: str, target: str) -> str:
        self._checkout(target)
        self.query("SELECT dolt_merge(?)", [check_ref(source)])
        return self.read_log(target)[0].hash

    def undo(self, channel: str) -> str:
        self._checkout(channel)
        self.query("SELECT dolt_reset('--hard', 'HEAD~1')")
        return self.read_log(channel)[0].hash

    def close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            end_script(process)

    def _checkout(self, channel: str) -> None:
        self.query("SELECT dolt_checkout(?)", [check_ref(channel)])

    def _resolve_ref(self, ref: str) -> str:
        """Resolve a name: a channel of the remote, else a local channel or a commit."""
        known = self.remote and check_ref(ref) in self.list_channels()
        return f"{self.remote}/{ref}" if known else check_ref(ref)

    def _ask_worker(self, request: dict[str, Any]) -> Rows:
        deadline = time.monotonic() + self.patience
        answer = self._ask_once(request)
        # Safe to repeat: a busy engine has rolled the whole request back.
        while any(word in answer.get("error", "") for word in BUSY_ERRORS) and time.monotonic() < deadline:
            time.sleep(BUSY_PAUSE)
            answer = self._ask_once(request)
        if "error" in answer:
            raise self._make_refusal(str(answer["error"]))
        found: Rows = answer["rows"]
        return found

    def _ask_once(self, request: dict[str, Any]) -> dict[str, Any]:
        self._process = self._process or _start_worker(self.path)
        answer = _exchange_line(self._process, request)
        if answer is None:
            process, self._process = self._process, None
            raise self._make_refusal(f"the database's process ended: {end_script(process) or 'it said nothing'}")
        return answer

    def _make_refusal(self, said: str) -> Refusal:
        code, hint = _classify_error(said)
        return Refusal(code, said, where=str(self.path), hint=hint)


def list_remote_channels(database: DoltDatabase, remote: str) -> tuple[str, ...]:
    """List the channels that a remote had when it was last fetched, sorted."""
    start = f"remotes/{remote}/"
    names = [str(row[0]) for row in database.query("SELECT name FROM dolt_remote_branches")]
    return tuple(sorted(name.removeprefix(start) for name in names if name.startswith(start)))


def _classify_error(said: str) -> tuple[Code, str]:
    if any(word in said for word in UNREADABLE_ERRORS):
        return "validation_failed", "it is no registry, or damaged; clone it again"
    return next(((code, hint) for words, code, hint in DOLT_ERRORS if words in said), ("internal_error", ""))


def _start_worker(path: Path) -> "subprocess.Popen[bytes]":
    if not path.exists():
        raise Refusal("not_found", "there is no registry", where=str(path), hint="type: synaptic registry init")
    return start_script(Path(worker.__file__), str(path))


def start_script(script: Path, *arguments: str) -> "subprocess.Popen[bytes]":
    """Start one of our scripts that load doltlite, isolated, with pipes."""
    # doltlite marks its restarted interpreter with such variables; inherited, they would keep it from loading.
    env = {name: value for name, value in os.environ.items() if not name.startswith("_DOLTLITE")}
    env["PYTHONSAFEPATH"] = "1"  # doltlite may start Python once more, and then without our flags
    pipe = subprocess.PIPE
    command = [sys.executable, "-I", str(script), *arguments]
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=env)


@contextmanager
def new_database(path: Path) -> Iterator[DoltDatabase]:
    """A database to fill, which gets its name when the block ends well: one that was broken off is never seen."""
    part = path.with_name(f".{path.name}.part")
    _drop_file(part)
    part.touch(0o600)
    database = DoltDatabase(part)
    try:
        yield database
        database.close()  # its process has the file open, and may still be writing
        part.rename(path)
    finally:
        database.close()
        _drop_file(part)


def _drop_file(path: Path) -> None:
    """Remove a database that was never finished, and the lock file that the engine keeps beside it."""
    path.unlink(missing_ok=True)
    path.with_name(f".{path.name}-lock").unlink(missing_ok=True)


def _exchange_line(process: "subprocess.Popen[bytes]", request: dict[str, Any]) -> dict[str, Any] | None:
    """Send a request and read the answer line; None when the process is gone."""
    into, out = _get_pipes(process)
    try:
        into.write(msgspec.json.encode(request) + b"\n")
        into.flush()
        line = out.readline()
        # A line without its end comes from a worker that was killed while writing.
        answer: dict[str, Any] | None = msgspec.json.decode(line) if line.endswith(b"\n") else None
    except (OSError, ValueError):
        return None
    return answer


def _get_pipes(process: "subprocess.Popen[bytes]") -> tuple[IO[bytes], IO[bytes]]:
    if process.stdin is None or process.stdout is None:
        raise ValueError("the process was started without pipes")
    return process.stdin, process.stdout


def end_script(process: "subprocess.Popen[bytes]") -> str:
    """End a script process; returns the last line of its stderr."""
    try:
        _, said = process.communicate(timeout=10)
    except (subprocess.TimeoutExpired, ValueError, OSError):
        process.kill()
        _, said = process.communicate()
    lines = said.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else ""
