"""Build the source distribution, and the wheels from it alone: what is published can build what is published."""

import os
import subprocess  # noqa: TID251  a build runs a builder
import sys
import tarfile
import tempfile
from pathlib import Path

from hatch_build import TARGET

ROOT = Path(__file__).parents[1]


class ReleaseError(Exception):
    """Something that is to be published does not work; the message says what and what to type."""


def build_sdist(folder: Path) -> Path:
    """The source distribution of this tree."""
    return _build(ROOT, "sdist", folder, {})


def build_wheels(sdist: Path, folder: Path, processors: tuple[str, ...]) -> tuple[Path, ...]:
    """One wheel a processor, each from a fresh copy of the source distribution."""
    return tuple(_build_wheel(sdist, folder, processor) for processor in processors)


def run(command: list[str], **options: object) -> str:
    """What a program printed. Raises ReleaseError with the end of it when it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload]
    if done.returncode:
        said = f"{done.stdout}{done.stderr}".strip()[-3000:]
        raise ReleaseError(f"`{' '.join(command)}` ended with {done.returncode}\n{said}")
    return str(done.stdout)


def _build_wheel(sdist: Path, folder: Path, processor: str) -> Path:
    with tempfile.TemporaryDirectory() as fresh:
        with tarfile.open(sdist) as archive:
            archive.extractall(fresh, filter="data")
        (tree,) = Path(fresh).iterdir()
        return _build(tree, "wheel", folder, {TARGET: processor})


def _build(tree: Path, target: str, folder: Path, env: dict[str, str]) -> Path:
    before = set(folder.iterdir())
    command = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(folder)]
    run(command, cwd=tree, env={**os.environ, **env}, timeout=300)
    (made,) = set(folder.iterdir()) - before
    return made
