"""The folder of one background run: its files, its lock, and whether the run has begun."""

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from synaptic.files.bounded import UnreadableFile, read_content

META_FILE = "meta.json"
IN_FILE = "in"
OUT_FILE = "out"
ERR_FILE = "err"
BEGUN_FILE = "begun"
PROMISE_NAME = "promise."
"""How the files begin that hold a call which has promised the run: one for each process that has decided it."""
PROMISE_LIMIT = 96 << 20
YOUNG_SECONDS = 1.0
"""A promise that is younger is left to the process that has made it, which is about to launch it."""


class PromisedRun(msgspec.Struct, frozen=True):
    """A run that has not begun, and the call that has promised it, once for each process that has decided it."""

    id: str
    requests: tuple[bytes, ...]
    age: float


def write_promise(entry: Path, owner: str, request: bytes) -> None:
    """Note which call promises a run. Raises OSError."""
    handle = os.open(entry / (PROMISE_NAME + owner), os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with open(handle, "wb") as file:  # noqa: PTH123 - a descriptor has no Path
        file.write(request)


def withdraw_promise(entry: Path, owner: str) -> None:
    """Remove a promise of one's own, and the folder where it was all that there was."""
    with contextlib.suppress(OSError):
        (entry / (PROMISE_NAME + owner)).unlink()
        entry.rmdir()


def find_promises(entry: Path) -> list[Path]:
    return sorted(entry.glob(f"{PROMISE_NAME}*"))


def read_promised(entry: Path) -> PromisedRun | None:
    """The run of this folder, if it was promised a moment ago and has not begun; not while it cannot be read."""
    with contextlib.suppress(OSError):  # it was taken in or removed in this moment
        promises = find_promises(entry)
        if not promises or has_begun(entry) or (age := measure_age(entry)) < YOUNG_SECONDS:
            return None
        found = [read_content(str(promise), PROMISE_LIMIT) for promise in promises]
        if not any(isinstance(content, UnreadableFile) and content.may_pass for content in found):
            return PromisedRun(entry.name, tuple(content for content in found if isinstance(content, bytes)), age)
    return None


def measure_age(entry: Path) -> float:
    """Seconds since a run's folder was last changed; a clock that was set back makes nothing younger."""
    return abs(time.time() - entry.stat().st_mtime)


def list_entries(folder: Path) -> list[Path]:
    try:
        return [entry for entry in folder.iterdir() if entry.is_dir()]
    except OSError:
        return []


def remove_entry(entry: Path) -> None:
    """Remove the folder of a run; a file that is gone already is no error."""
    with contextlib.suppress(OSError):
        remove_files(entry)
        entry.rmdir()


def remove_files(entry: Path) -> None:
    for file in entry.iterdir():
        file.unlink(missing_ok=True)


def remove_unheld(entry: Path, *, unless_begun: bool) -> bool:
    """Remove the folder of a run that nobody is about to start; whether it was removed."""
    try:
        with hold_folder(entry) as is_held:
            if not is_held or (unless_begun and has_begun(entry)):
                return False
            remove_entry(entry)
    except OSError:
        return False
    return not entry.exists()


def has_begun(entry: Path) -> bool:
    """Whether a run was started; the lock is looked at first, since its holder makes the note before it goes."""
    return not is_unlocked(entry / OUT_FILE) or (entry / BEGUN_FILE).exists()


@contextlib.contextmanager
def hold_folder(entry: Path) -> Iterator[bool]:
    """The lock of a run's folder, which nobody waits for; whether it is ours."""
    handle = os.open(entry, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(handle)


def is_unlocked(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)  # shared: two who look do not see each other
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
