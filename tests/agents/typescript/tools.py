"""The compiler, fetched once into the cache; a missing one is a visible skip, or a failure where all must be there."""

import fcntl
import os
import subprocess
import tarfile
import tempfile
from pathlib import Path

import pytest

from tests.clients.client import cache

VERSION = "5.9.3"


def require_compiler() -> Path:
    """`tsc.js`, for node."""
    folder = cache() / f"typescript-{VERSION}"
    try:
        if not folder.exists():
            _fetch(folder)
    except (OSError, subprocess.SubprocessError) as error:
        if os.environ.get("SYNAPTIC_TEST_ALL") == "1":
            pytest.fail(f"no TypeScript: {error}")
        pytest.skip(f"no TypeScript: {error}")
    return folder / "package" / "lib" / "tsc.js"


def _fetch(target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with (target.parent / f"{target.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if target.exists():
            return
        with tempfile.TemporaryDirectory(dir=target.parent) as folder:
            command = ["npm", "pack", f"typescript@{VERSION}", "--pack-destination", folder, "--fetch-retries=1"]
            subprocess.run(command, check=True, capture_output=True, timeout=300)
            with tarfile.open(next(Path(folder).glob("*.tgz"))) as archive:
                archive.extractall(Path(folder, "whole"), filter="data")
            Path(folder, "whole").rename(target)
