"""Disks that are full or fail."""

import contextlib
import os
import resource

from tests.faults.kind import kind
from tests.faults.step import Step

BLOCK = 1 << 20


def fill_disk(step: Step, leave: int = 0) -> None:
    """Fill the disk but for some bytes; freed when the fault is over."""
    ballast = step.world.disk / "ballast"
    step.defer(lambda: ballast.unlink(missing_ok=True))
    space = os.statvfs(step.world.disk)
    with contextlib.suppress(OSError), ballast.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(space.f_bavail * space.f_frsize - leave, 1))
    with contextlib.suppress(OSError), ballast.open("ab", buffering=0) as file:
        while not leave:
            file.write(b"x" * 4096)


def limit_file_size(step: Step, pid: int, size: int) -> None:
    """No file of the process may grow beyond the size: a write fails as on a full disk."""
    with contextlib.suppress(ProcessLookupError, OSError):
        before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, before[1]))

        def restore() -> None:
            with contextlib.suppress(ProcessLookupError, OSError):
                resource.prlimit(pid, resource.RLIMIT_FSIZE, before)

        step.defer(restore)


@kind("disk.full", "unwritten", "effects", "hooks", needs_disk=True)
def fill_under_daemon(step: Step) -> None:
    """No byte is left while the daemon runs."""
    fill_disk(step)
    step.mix(4)


@kind("disk.nearly-full", "unwritten", "effects", "hooks", needs_disk=True)
def leave_some_pages(step: Step) -> None:
    """Some pages are left: what is begun cannot be ended."""
    fill_disk(step, step.random.randrange(4096, 200_000))
    step.mix(5)


@kind("disk.full-no-daemon", "unwritten", "effects", "hooks", "unheard", needs_disk=True)
def fill_without_daemon(step: Step) -> None:
    """No byte is left, and no daemon runs."""
    step.kill_daemon()
    fill_disk(step)
    step.mix(2)


@kind("disk.full-in-burst", "unwritten", "effects", "hooks", needs_disk=True)
def fill_in_burst(step: Step) -> None:
    """The last byte goes under eight calls."""
    step.volley(4)
    fill_disk(step)
    step.volley(4)


@kind("disk.full-killed", "unwritten", "effects", "hooks", "unheard", needs_disk=True)
def fill_and_kill(step: Step) -> None:
    """The daemon is ended while the disk is full; there is room again before the next one starts."""
    fill_disk(step)
    step.mix(1)
    step.kill_daemon()


@kind("disk.no-inodes", "unwritten", "effects", "hooks", "unheard", needs_disk=True, rare=4)
def use_all_inodes(step: Step) -> None:
    """No file can be made any more."""
    folder = step.world.disk / "many"
    folder.mkdir()
    made = 0
    with contextlib.suppress(OSError):
        while True:
            os.close(os.open(folder / str(made), os.O_CREAT | os.O_WRONLY, 0o600))
            made += 1

    def free() -> None:
        for number in range(made):
            with contextlib.suppress(OSError):
                (folder / str(number)).unlink()
        folder.rmdir()

    step.defer(free)
    if step.random.random() < 0.5:
        step.kill_daemon()
    step.mix(3)


@kind("disk.file-limit", "unwritten", "effects", "hooks")
def limit_files_of_daemon(step: Step) -> None:
    """No file of the daemon may grow: every write fails."""
    limit_file_size(step, step.world.find_daemon(), step.random.choice((0, 4096, 100_000)))
    step.mix(4)


@kind("disk.file-limit-in-burst", "unwritten", "effects", "hooks")
def limit_files_in_burst(step: Step) -> None:
    """The same, for a moment, under calls."""
    step.volley(3)
    limit_file_size(step, step.world.find_daemon(), step.random.randrange(400_000))
    step.volley(3)
