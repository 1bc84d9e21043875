"""Recognise files of known packages on disk by their hashes, without network."""

import hashlib
import os
import stat
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import msgspec

from synaptic.packages.catalog import HashCatalog, find_latest


class FileMatch(msgspec.Struct, frozen=True):
    """A file that some version of a package has published."""

    path: str
    """Relative to the folder that was scanned."""
    package: str
    version: str
    dest_path: str


class ScanResult(msgspec.Struct, frozen=True):
    """Matches by path, and files that could not be read."""

    matches: tuple[FileMatch, ...]
    problems: tuple[str, ...] = ()


class TrackedFiles(msgspec.Struct, frozen=True):
    """What the lockfile has: paths to leave out, and the version of each package."""

    paths: Collection[str] = ()
    versions: Mapping[str, str] = {}


def scan_files(folder: Path, catalog: HashCatalog, tracked: TrackedFiles = TrackedFiles()) -> ScanResult:  # noqa: B008  frozen
    """Compare every file below a folder; of several versions the tracked one is reported, else the latest."""
    index = _index_by_hash(catalog)
    problems: list[str] = []
    found: list[FileMatch] = []
    for path in _iter_files(folder, problems):
        name = path.relative_to(folder).as_posix()
        if name not in tracked.paths:
            found += _find_matches(name, index.get(_hash_file(path, problems), []), tracked)
    return ScanResult(tuple(found), tuple(problems))


def _index_by_hash(catalog: HashCatalog) -> Mapping[str, list[tuple[str, str, str]]]:
    index = defaultdict(list)
    for one in catalog.known:
        for dest_path, sha256 in one.files.items():
            index[sha256].append((one.package, one.version, dest_path))
    return index


def _find_matches(name: str, candidates: list[tuple[str, str, str]], tracked: TrackedFiles) -> Iterator[FileMatch]:
    """Find packages with a file of the same content and the same base name."""
    # By content alone every empty `__init__.py` would belong to some package.
    fitting = [one for one in candidates if f"/{name}".endswith(f"/{Path(one[2]).name}")]
    for package in sorted({one[0] for one in fitting}):
        versions = {version: path for owner, version, path in fitting if owner == package}
        wanted = tracked.versions.get(package, "")
        version = wanted if wanted in versions else find_latest(versions)
        yield FileMatch(name, package, version, versions[version])


def _iter_files(folder: Path, problems: list[str]) -> Iterator[Path]:
    """Regular files in the order of their names; links are not followed."""
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        problems.append(f"{folder}: {error.strerror}")
        return
    for path in entries:
        kind = path.lstat().st_mode
        if stat.S_ISDIR(kind):
            yield from _iter_files(path, problems)
        elif stat.S_ISREG(kind):
            yield path


def _hash_file(path: Path, problems: list[str]) -> str:
    try:
        # The file may have become a link since it was listed.
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        problems.append(f"{path}: {error.strerror}")
        return ""
