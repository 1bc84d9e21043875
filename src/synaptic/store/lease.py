"""Lease of an agent's supervisor: a file lock that the kernel releases when the supervisor dies."""

import fcntl
import hashlib
import os
import re
from contextlib import suppress
from pathlib import Path

from synaptic.files.lock import is_file_locked


def locate_lease(home_root: Path, agent: str) -> Path:
    """Path of an agent's lease file: readable, and distinct for any two agent names."""
    plain = re.sub(r"[^A-Za-z0-9._-]", "-", agent)[:40]
    digest = hashlib.sha256(agent.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return home_root / "run" / f"{plain}-{digest}.lease"


def take_lease(home_root: Path, agent: str) -> int | None:
    """Take the lease; returns the descriptor to be kept open, None when another supervisor holds it."""
    path = locate_lease(home_root, agent)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # O_CLOEXEC: a lock belongs to the open file, and an agent that inherited it would outlive its supervisor with it.
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def is_lease_held(home_root: Path, agent: str) -> bool:
    """Whether a living supervisor holds the lease."""
    with suppress(OSError):  # no file: nobody ever held it
        return is_file_locked(locate_lease(home_root, agent))
    return False
