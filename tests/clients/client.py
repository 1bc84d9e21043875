"""Where the real Claude Code comes from: the environment, the cache, or npm, in this order."""

import fcntl
import os
import platform
import pwd
import subprocess
import tarfile
import tempfile
from pathlib import Path

VERSION = "2.1.325"
MACHINES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}


class NoClient(Exception):
    """There is no client on this machine and none could be fetched; the message says why."""


def find_client() -> Path:
    """The client's binary, fetched once into the cache if need be."""
    if given := os.environ.get("CLAUDE_BIN"):
        return _executable(Path(given))
    binary = cache() / f"claude-{VERSION}" / "package" / "claude"
    if not binary.exists():
        _fetch(binary.parent.parent)
    return _executable(binary)


def cache() -> Path:
    """Kept across runs. From the user's record, because tests point HOME at throw-away folders."""
    return Path(pwd.getpwuid(os.getuid()).pw_dir) / ".cache" / "synaptic-test"


def _executable(binary: Path) -> Path:
    if not os.access(binary, os.X_OK):
        raise NoClient(f"{binary} is not an executable file")
    return binary


def _fetch(target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with (target.parent / f"{target.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if target.exists():
            return
        with tempfile.TemporaryDirectory(dir=target.parent) as folder:
            _unpack(_pack(Path(folder)), Path(folder) / "whole")
            (Path(folder) / "whole").rename(target)


def _pack(folder: Path) -> Path:
    system, machine = platform.system().lower(), MACHINES.get(platform.machine().lower(), platform.machine())
    name = f"@anthropic-ai/claude-code-{system}-{machine}@{VERSION}"
    command = ["npm", "pack", name, "--pack-destination", str(folder), "--fetch-retries=1"]
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=300)
    except (OSError, subprocess.SubprocessError) as error:
        raise NoClient(f"`{' '.join(command[:3])}` failed: {error}") from error
    return next(folder.glob("*.tgz"))


def _unpack(package: Path, target: Path) -> None:
    with tarfile.open(package) as archive:
        archive.extractall(target, filter="data")
