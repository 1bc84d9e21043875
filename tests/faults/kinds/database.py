"""The database: files that are torn, cut, flipped, replaced, locked or gone."""

import contextlib
import os
import sqlite3
from pathlib import Path

from tests.faults.kind import kind
from tests.faults.step import Step
from tests.faults.world import remove

NAME = "synaptic.db"
PAGE = 2048


def locate(step: Step, suffix: str = "") -> Path:
    return step.home.database.with_name(f"{NAME}{suffix}")


@kind("db.log-removed", "unwritten", loses=NAME)
def remove_log(step: Step) -> None:
    """The write-ahead log is removed under the daemon."""
    remove(locate(step, "-wal"))
    step.mix(3)


@kind("db.log-removed-no-daemon", loses=NAME)
def remove_log_of_nobody(step: Step) -> None:
    """The write-ahead log is removed while nobody runs."""
    step.kill_daemon()
    remove(locate(step, "-wal"))
    step.mix(2)


@kind("db.log-cut", "unwritten", loses=NAME)
def cut_log(step: Step) -> None:
    """The write-ahead log loses its end under the daemon."""
    step.truncate(locate(step, "-wal"))
    step.mix(3)


@kind("db.log-cut-no-daemon", loses=NAME)
def cut_log_of_nobody(step: Step) -> None:
    """The write-ahead log has lost its end when the next engine opens it."""
    step.kill_daemon()
    step.truncate(locate(step, "-wal"))
    step.mix(2)


@kind("db.log-flipped", "unwritten", loses=NAME)
def flip_log(step: Step) -> None:
    """Other bits in the write-ahead log, under the daemon."""
    step.flip(locate(step, "-wal"), 20)
    step.mix(3)


@kind("db.log-flipped-no-daemon", loses=NAME)
def flip_log_of_nobody(step: Step) -> None:
    """Other bits in the write-ahead log, while nobody runs."""
    step.kill_daemon()
    step.flip(locate(step, "-wal"), 20)
    step.mix(2)


@kind("db.index-removed-no-daemon")
def remove_index(step: Step) -> None:
    """The index of the log is removed while nobody runs: it can be made again, nothing is lost."""
    step.kill_daemon()
    remove(locate(step, "-shm"))
    step.mix(2)


@kind("db.index-flipped-no-daemon")
def flip_index(step: Step) -> None:
    """Other bits in the index of the log while nobody runs: it is made again, nothing is lost."""
    step.kill_daemon()
    step.flip(locate(step, "-shm"), 40)
    step.mix(2)


@kind("db.index-removed", "unwritten", loses=NAME)
def remove_index_under_daemon(step: Step) -> None:
    """The index of the log is removed under the daemon: whoever opens the database next has another one."""
    remove(locate(step, "-shm"))
    step.mix(2)
    step.kill_daemon()
    step.mix(2)


@kind("db.removed", "unwritten", loses=NAME)
def remove_database(step: Step) -> None:
    """The database is removed with its log under the daemon."""
    for suffix in ("", "-wal", "-shm"):
        remove(locate(step, suffix))
    step.mix(3)


@kind("db.removed-no-daemon", loses=NAME)
def remove_database_of_nobody(step: Step) -> None:
    """The database is removed with its log while nobody runs."""
    step.kill_daemon()
    for suffix in ("", "-wal", "-shm"):
        remove(locate(step, suffix))
    step.mix(2)


@kind("db.cut", "unwritten", loses=NAME)
def cut_database(step: Step) -> None:
    """The database loses its end under the daemon."""
    step.truncate(locate(step))
    step.mix(3)


@kind("db.cut-no-daemon", loses=NAME)
def cut_database_of_nobody(step: Step) -> None:
    """The database has lost its end when the next engine opens it."""
    step.kill_daemon()
    step.truncate(locate(step))
    step.mix(2)


@kind("db.emptied-no-daemon", loses=NAME)
def empty_database(step: Step) -> None:
    """The database is empty when the next engine opens it."""
    step.kill_daemon()
    os.truncate(locate(step), 0)
    step.mix(2)


@kind("db.flipped", "unwritten", loses=NAME)
def flip_database(step: Step) -> None:
    """Other bits in the database, under the daemon."""
    step.flip(locate(step), 30)
    step.mix(3)


@kind("db.flipped-no-daemon", loses=NAME)
def flip_database_of_nobody(step: Step) -> None:
    """Other bits in the database, while nobody runs."""
    step.kill_daemon()
    step.flip(locate(step), 30)
    step.mix(2)


@kind("db.garbage", "unwritten", loses=NAME)
def spoil_database(step: Step) -> None:
    """Garbage over some pages, the first one among them, under the daemon."""
    write_garbage(step)
    step.mix(3)


@kind("db.garbage-no-daemon", loses=NAME)
def spoil_database_of_nobody(step: Step) -> None:
    """Garbage over some pages, the first one among them, while nobody runs."""
    step.kill_daemon()
    write_garbage(step)
    step.mix(2)


@kind("db.text", loses=NAME)
def replace_by_text(step: Step) -> None:
    """A text file in the place of the database while nobody runs."""
    step.kill_daemon()
    for suffix in ("-wal", "-shm"):
        remove(locate(step, suffix))
    locate(step).write_text("no database\n" * 500)
    step.mix(2)


@kind("db.folder", "unwritten", "effects", loses=NAME)
def replace_by_folder(step: Step) -> None:
    """A folder in the place of the database for a while: it comes back unless somebody has put one there."""
    step.kill_daemon()
    keep = locate(step, ".kept")
    locate(step).rename(keep)
    locate(step).mkdir()

    def put_back() -> None:
        if locate(step).is_dir():
            locate(step).rmdir()
            keep.rename(locate(step))
        remove(keep)

    step.defer(put_back)
    step.mix(2)
    step.kill_daemon()


@kind("db.locked", "unwritten", "effects", "hooks")
def hold_lock(step: Step) -> None:
    """Another program holds the write lock for a moment."""
    with write_lock(step):
        step.volley(3)
        step.wait(0.05, 0.6)


@kind("db.locked-long", "unwritten", "effects", "hooks", rare=8)
def hold_lock_long(step: Step) -> None:
    """Another program holds the write lock for longer than anybody waits."""
    with write_lock(step):
        step.volley(3)
        step.wait(2.5, 4.5)
        step.finish()


@kind("db.locked-no-daemon", "unwritten", "effects", "hooks", rare=2)
def hold_lock_at_start(step: Step) -> None:
    """Another program holds the write lock while an engine starts."""
    step.kill_daemon()
    with write_lock(step):
        step.volley(2)
        step.wait(0.3, 1.5)


@kind("db.read-long")
def hold_reader(step: Step) -> None:
    """Another program reads for the whole time: the log cannot be emptied."""
    with contextlib.closing(sqlite3.connect(locate(step), timeout=1, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM events").fetchone()
        step.mix(5)


@kind("db.lock-file-folder")
def replace_lock_file(step: Step) -> None:
    """A folder where the database's own lock file should be."""
    step.make_folder(locate(step, ".lock"))
    if step.random.random() < 0.5:
        step.kill_daemon()
    step.mix(2)


@kind("db.key-removed", loses="state.key")
def remove_key(step: Step) -> None:
    """The key that signs the state is gone: what was signed is not believed, and nothing relaxes."""
    step.kill_daemon()
    remove(step.home.root / "state.key")
    step.mix(2)


@kind("db.key-flipped", loses="state.key")
def flip_key(step: Step) -> None:
    """Another key than the one that has signed the state."""
    step.kill_daemon()
    step.flip(step.home.root / "state.key", 4)
    step.mix(2)


def write_garbage(step: Step) -> None:
    path = locate(step)
    size = path.stat().st_size
    with path.open("r+b") as file:
        for place in (0, *(step.random.randrange(0, max(size // PAGE, 1)) * PAGE for _ in range(3))):
            file.seek(place)
            file.write(step.random.randbytes(PAGE))


@contextlib.contextmanager
def write_lock(step: Step):
    """The write lock of the database, held by this process."""
    with contextlib.closing(sqlite3.connect(locate(step), timeout=5, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            connection.execute("ROLLBACK")
