"""A real PostgreSQL in a folder of its own, for a demonstration, a measurement or a test: gone when it is closed."""

import os
import pwd
import shutil
import signal
import socket
import subprocess  # noqa: TID251 - the server itself is what is started
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from synaptic.model.errors import SynapticError

OLDEST = 15
START_SECONDS = 60.0
SETTINGS = ("listen_addresses=", "fsync=on", "max_connections=60", "log_min_messages=fatal")


class ThrowawayPostgres:
    """One server that answers on a socket in its own folder. PostgreSQL refuses to run as root: another user does."""

    def __init__(self, *settings: str) -> None:
        self._programs = find_programs()
        self._settings = (*SETTINGS, *settings)
        self._user = _choose_user()
        self.folder = Path(tempfile.mkdtemp(prefix="syn-pg-", dir="/tmp"))
        self.data = self.folder / "data"
        if self._user:
            os.chown(self.folder, self._user.pw_uid, self._user.pw_gid)
        self._process: subprocess.Popen[bytes] | None = None
        self._run("initdb", "-D", str(self.data), "-U", "postgres", "--auth=trust", "--no-sync", "-E", "UTF8")

    @property
    def url(self) -> str:
        return self.url_as("postgres")

    def url_as(self, user: str, database: str = "postgres") -> str:
        return f"postgresql://{user}@/{database}?host={self.folder}"

    def start(self) -> None:
        """Start it and wait until it answers. Raises SynapticError."""
        options = [part for setting in self._settings for part in ("-c", setting)]
        argv = [str(self._programs / "postgres"), "-D", str(self.data), "-k", str(self.folder), *options]
        with (self.folder / "log").open("ab") as log:
            # A group of its own: an interrupt in the terminal is not for it.
            self._process = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, **self._as_user()
            )
        self._wait_until_ready()

    def kill(self) -> None:
        """End all of it at once, as a machine does that loses power but keeps its disk."""
        if self._process is None:
            return
        # Each of its processes leads a group of its own, and goes on for a while when only the first one is gone.
        # Stopped, that one starts no other meanwhile.
        self._send(self._process.pid, signal.SIGSTOP)
        for pid in _list_children(self._process.pid):
            self._send(pid, signal.SIGKILL)
        self._send(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._process = None

    def _send(self, pid: int, number: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(pid, number)

    def close(self) -> None:
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> "ThrowawayPostgres":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _wait_until_ready(self) -> None:
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until:
            if self._process is None or self._process.poll() is not None:
                break
            if self._is_ready():
                return
            time.sleep(0.05)
        raise SynapticError("PostgreSQL did not start", where=str(self.folder / "log"), hint=self._read_log())

    def _is_ready(self) -> bool:
        with socket.socket(socket.AF_UNIX) as probe:
            try:
                probe.connect(str(self.folder / ".s.PGSQL.5432"))
            except OSError:
                return False
        asked = [str(self._programs / "pg_isready"), "-q", "-h", str(self.folder)]
        return subprocess.run(asked, check=False, **self._as_user()).returncode == 0

    def _read_log(self) -> str:
        with suppress(OSError):
            return (self.folder / "log").read_text(errors="replace")[-500:]
        return ""

    def _run(self, program: str, *args: str) -> None:
        line = [str(self._programs / program), *args]
        done = subprocess.run(line, check=False, capture_output=True, **self._as_user())
        if done.returncode:
            raise SynapticError(f"{program} failed", hint=done.stderr.decode(errors="replace")[-500:])

    def _as_user(self) -> dict[str, Any]:
        if self._user is None:
            return {"cwd": str(self.folder)}
        return {"cwd": str(self.folder), "user": self._user.pw_uid, "group": self._user.pw_gid, "extra_groups": []}


def find_programs() -> Path:
    """The folder with the newest PostgreSQL's programs. Raises SynapticError where there is none."""
    found = [folder for folder in Path("/usr/lib/postgresql").glob("*/bin") if (folder / "initdb").exists()]
    found = [folder for folder in found if folder.parent.name.isdigit() and int(folder.parent.name) >= OLDEST]
    if found:
        return max(found, key=lambda folder: int(folder.parent.name))
    if named := shutil.which("initdb"):
        return Path(named).resolve().parent
    raise SynapticError("there is no PostgreSQL here", hint=f"install PostgreSQL {OLDEST} or newer")


def _list_children(pid: int) -> list[int]:
    """As far as the system says it: elsewhere they end by themselves."""
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _choose_user() -> pwd.struct_passwd | None:
    """Nobody else where this process may run it itself."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with suppress(KeyError):
            return pwd.getpwnam(name)
    raise SynapticError("PostgreSQL does not run as root, and there is no other user", hint="add a user `postgres`")
