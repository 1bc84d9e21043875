"""One process at a time."""

import fcntl
from pathlib import Path

import pytest

from synaptic.files.lock import hold_lock


def test_the_lock_is_held_for_the_block_and_free_after_it(tmp_path: Path):
    path = tmp_path / "lock"
    with hold_lock(path), path.open() as other, pytest.raises(BlockingIOError):
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with path.open() as other:
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
