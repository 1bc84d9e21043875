"""Which code a process has loaded: a stamp of the engine's files, to be compared with what is on disk now.

The stamp is a digest of names, sizes and times: one walk through the package, no file is read. `start.py` takes it
before anything is imported, so a file that changes while the engine is being loaded gives another one afterwards.
"""

import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import synaptic
from synaptic.files.bounded import read_start
from synaptic.model.home import Home
from synaptic.setup.start import iter_files

PACKAGE = str(Path(synaptic.__file__).parent)
HEAD_BYTES = 8192
"""Of the list of installed files: the package stands in its first lines."""
SHORT_LENGTH = 12
"""Letters of a stamp that people are shown."""

_noted: list[str] = []


def note_loaded(package: str, files: Iterable[tuple[str, os.stat_result]]) -> None:
    """Note what was on disk before this process began to load the engine."""
    _noted[:] = [digest_files(package, files)]


def was_noted() -> bool:
    """Whether the stamp is from before the engine was loaded."""
    return bool(_noted)


def get_loaded_stamp() -> str:
    """The stamp of what this process has loaded; where nobody noted it, of what is there when it is first asked for."""
    return _noted[0] if _noted else _read_own_stamp()


@cache
def _read_own_stamp() -> str:
    return read_stamp(PACKAGE)


def read_stamp(package: str) -> str:
    """The stamp of a package as it is on disk now."""
    return digest_files(package, iter_files(package))


def read_installed_stamp(home: Home) -> str:
    """The stamp of the package that this home starts: another one than ours after an installation from elsewhere."""
    return read_stamp(find_package(home))


def find_package(home: Home) -> str:
    """The package that this home starts; where nothing was written down, the one that runs here."""
    lines = os.fsdecode(read_start(str(home.engine_files), HEAD_BYTES)).split("\n")
    return next((line.removeprefix("package=") for line in lines if line.startswith("package=")), PACKAGE)


def digest_files(package: str, files: Iterable[tuple[str, os.stat_result]]) -> str:
    """Digest names, sizes and times. What an editor leaves beside a file while one types is no code."""
    import hashlib  # noqa: PLC0415  OpenSSL: a tenth of the start of a verb that only greets the daemon

    rows = [f"{name}\0{now.st_size}\0{now.st_mtime_ns}" for name, now in files if not _is_scratch(name)]
    return hashlib.blake2b(os.fsencode("\n".join([package, *sorted(rows)])), digest_size=16).hexdigest()


def _is_scratch(name: str) -> bool:
    last = name.rpartition("/")[2]
    return last.startswith((".", "#")) or last.endswith("~")
