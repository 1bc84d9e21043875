"""Pinned clients from npm, each kept whole in the cache: fetched once, under a lock, renamed into place."""

import fcntl
import os
import platform
import subprocess
import tempfile
from pathlib import Path

import msgspec

from tests.clients.client import MACHINES, NoClient, cache

MACHINE = f"{platform.system().lower()}-{MACHINES.get(platform.machine().lower(), platform.machine())}"
INSTALL = ("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1", "--loglevel=error")


class Package(msgspec.Struct, frozen=True):
    """A program of an npm package: what is asked for, and where its file is, as a pattern, once it is there."""

    agent: str
    version: str
    names: tuple[str, ...]
    program: str

    @property
    def folder(self) -> Path:
        return cache() / f"{self.agent}-{self.version}"


NODE = Package("node", "22.23.3", (f"node-{MACHINE}@22.23.3",), f"node-{MACHINE}/bin/node")
PACKAGES = {
    package.agent: package
    for package in (
        Package("codex", "0.166.0", ("@openai/codex@0.166.0",), "@openai/codex-*/vendor/*/bin/codex"),
        Package("gemini", "0.61.0", ("@google/gemini-cli@0.61.0",), "@google/gemini-cli/bundle/gemini.js"),
        Package("copilot", "1.0.102", ("@github/copilot@1.0.102",), f"@github/copilot-{MACHINE}/copilot"),
        Package("droid", "0.225.2", (f"@factory/cli-{MACHINE}@0.225.2",), f"@factory/cli-{MACHINE}/bin/droid"),
        Package("qwen", "0.24.4", ("@qwen-code/qwen-code@0.24.4",), "@qwen-code/qwen-code/cli.js"),
        Package(
            "opencode",
            "1.18.33",
            (f"opencode-{MACHINE}@1.18.33", "@opencode-ai/plugin@1.18.33"),
            f"opencode-{MACHINE}/bin/opencode",
        ),
        Package("cline", "3.0.65", (f"@cline/cli-{MACHINE}@3.0.65",), f"@cline/cli-{MACHINE}/bin/cline"),
        NODE,
    )
}


def program(agent: str) -> Path:
    """The client's program, fetched once into the cache if need be."""
    package = PACKAGES[agent]
    if not package.folder.exists():
        _fetch(package)
    found = sorted((package.folder / "node_modules").glob(package.program))
    if not found:
        raise NoClient(f"{package.folder}: there is no {package.program}; remove the folder to fetch it anew")
    return found[0]


def _fetch(package: Package) -> None:
    target = package.folder
    target.parent.mkdir(parents=True, exist_ok=True)
    with (target.parent / f"{target.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if target.exists():
            return
        with tempfile.TemporaryDirectory(dir=target.parent) as folder:
            whole = Path(folder) / "whole"
            whole.mkdir()
            _install(package, whole)
            whole.rename(target)


def _install(package: Package, folder: Path) -> None:
    command = [*INSTALL, "--prefix", str(folder), *package.names]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, env=_environment())
    except (OSError, subprocess.SubprocessError) as error:
        raise NoClient(f"`npm install {' '.join(package.names)}` failed: {error}") from error
    if done.returncode:
        raise NoClient(f"`npm install {' '.join(package.names)}` failed: {done.stderr.strip()[-400:]}")


def _environment() -> dict[str, str]:
    """npm's own settings are the user's, wherever HOME points to in a test."""
    return {**os.environ, "HOME": str(cache().parent.parent)}
