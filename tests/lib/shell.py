"""The shipped libraries under bash, in a repository of their own."""

import os
import subprocess
from pathlib import Path

import synaptic

LIBRARIES = Path(synaptic.__file__).parent / "lib"
WHO = ("-c", "user.name=Dev", "-c", "user.email=dev@example.com")


def sh(text: str, cwd: Path, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    """A script that sources both libraries under strict mode."""
    script = f'set -euo pipefail\nsource "{LIBRARIES}/log.sh"\nsource "{LIBRARIES}/context-lib.sh"\n{text}'
    base = {"PATH": os.environ["PATH"], "HOME": str(cwd)}
    return subprocess.run(
        ["bash", "-c", script], cwd=cwd, env={**base, **env}, input=stdin, capture_output=True, text=True, timeout=90
    )


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *WHO, *words], cwd=folder, check=True, capture_output=True, timeout=90)


def repository(folder: Path, branch: str = "main") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", branch)
    git(folder, "commit", "-q", "--allow-empty", "-m", "start")
    return folder
