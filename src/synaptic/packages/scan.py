"""Recognise files of known packages on disk by their hashes, without network."""

import os
import stat
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import msgspec

from synaptic.files.bounded import FOREIGN_FLAGS, read_handle
from synaptic.packages.catalog import HashCatalog, find_latest
from synaptic.packages.contents import FILE_LIMIT
from synaptic.packages.hashes import hash_bytes


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
    for path in iter_files(folder, problems):
        name = path.relative_to(folder).as_posix()
        if name not in tracked.paths and stat.S_ISREG(path.lstat().st_mode):
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


def iter_files(folder: Path, problems: list[str]) -> Iterator[Path]:
    """Whatever is no folder, each folder's in the order of the names; links are not followed.

    By a list of folders instead of calls in calls: a repository may bring folders a thousand deep.
    """
    waiting = [folder]
    while waiting:
        place = waiting.pop()
        try:
            entries = sorted(os.scandir(place), key=lambda entry: entry.name)
        except OSError as error:
            problems.append(f"{place}: {error.strerror}")
            continue
        waiting += [Path(entry.path) for entry in reversed(entries) if entry.is_dir(follow_symlinks=False)]
        yield from (Path(entry.path) for entry in entries if not entry.is_dir(follow_symlinks=False))


def _hash_file(path: Path, problems: list[str]) -> str:
    try:
        # The file may have become a link since it was listed, and a file larger than any package's is none of one.
        handle = os.open(path, FOREIGN_FLAGS | os.O_NOFOLLOW)
        try:
            return hash_bytes(read_handle(handle, path, FILE_LIMIT))
        finally:
            os.close(handle)
    except OSError as error:
        problems.append(f"{path}: {error.strerror}")
        return ""
