"""Import a policy's neighbours: behind all other modules, and only as they were accepted."""

import hashlib
import importlib.machinery
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

Accepted = Mapping[str, Sequence[str]]


class AcceptedLoader(importlib.machinery.SourceFileLoader):
    """Loads a file if its content is one that may be loaded. It is read once: what is compared is what runs."""

    def __init__(self, name: str, path: str, accepted: Accepted) -> None:
        super().__init__(name, path)
        self._accepted = accepted

    def get_data(self, path: str) -> bytes:
        return read_accepted(path, self._accepted)

    def path_stats(self, path: str) -> Mapping[str, float]:
        raise OSError(path)  # without it nobody looks for a compiled copy


class NeighbourFinder:
    """Finds the modules that lie beside a file which a repository brings."""

    def __init__(self, folder: str, accepted: Accepted) -> None:
        self._folder = folder
        self._accepted = accepted

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module of a name in this folder, or in one of its packages."""
        folders = [self._folder] if path is None else [one for one in path if one.startswith(f"{self._folder}/")]
        stem = name.rpartition(".")[2]
        for folder in folders:
            for file in (f"{folder}/{stem}.py", f"{folder}/{stem}/__init__.py"):
                if Path(file).is_file():
                    loader = AcceptedLoader(name, file, self._accepted)
                    return importlib.util.spec_from_file_location(name, file, loader=loader)
        return None


def read_accepted(path: str, accepted: Accepted) -> bytes:
    """Read a file. Raises ImportError where it is not what may run."""
    content = Path(path).read_bytes()
    if hashlib.sha256(content).hexdigest() not in accepted.get(path, ()):
        raise ImportError(f"{path} was changed after it was checked, or nobody has agreed to it: it does not run")
    return content


def open_neighbours(file: str, accepted: Accepted | None) -> None:
    """Let a file import what lies beside it."""
    folder = str(Path(file).parent)
    if accepted is None:
        sys.path.append(folder)
    else:
        sys.meta_path.append(NeighbourFinder(folder, accepted))
