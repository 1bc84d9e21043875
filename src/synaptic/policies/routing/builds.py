"""Which services changed files belong to, and where in a build's output the fault is."""

import re
from collections.abc import Iterable

import msgspec

SERVICE = re.compile(r"[A-Za-z0-9@_][A-Za-z0-9@_.+-]*")
PLACE = re.compile(r"(?P<path>[\w@./+-]+\.[A-Za-z]\w{0,5})(?:\((?P<tsc>\d+),\d+\)|:(?P<line>\d+)(?::\d+)?)")
ERROR = re.compile(r"\berror\b|\bfail|\bpanic", re.IGNORECASE)
LANGUAGES = {
    "ts": "TypeScript ",
    "tsx": "TypeScript ",
    "js": "JavaScript ",
    "py": "Python ",
    "go": "Go ",
    "rs": "Rust ",
}


class Service(msgspec.Struct, frozen=True):
    """A folder that is built on its own, and what changed in it."""

    name: str
    folder: str
    files: tuple[str, ...]


class BuildFault(msgspec.Struct, frozen=True):
    """The place a failing build names first."""

    path: str
    line: int

    @property
    def description(self) -> str:
        return f"{LANGUAGES.get(self.path.rpartition('.')[2], '')}error"


def find_services(files: Iterable[str], patterns: Iterable[str]) -> tuple[Service, ...]:
    """The services that changed, in the order of their first change. Patterns look like `services/**`."""
    parents = tuple(pattern.removesuffix("**").rstrip("/") for pattern in patterns)
    found: dict[tuple[str, str], list[str]] = {}
    for path in files:
        for parent in parents:
            name = path.removeprefix(f"{parent}/").partition("/")[0]
            if path.startswith(f"{parent}/{name}/") and SERVICE.fullmatch(name):
                found.setdefault((name, f"{parent}/{name}"), []).append(path)
    return tuple(Service(name, folder, tuple(paths)) for (name, folder), paths in found.items())


def find_fault(output: str, service: Service) -> BuildFault | None:
    """Where the build broke: the first place on a line that says so, else the first place at all."""
    lines = output.splitlines()
    for line in [line for line in lines if ERROR.search(line)] + lines:
        if place := PLACE.search(line):
            return BuildFault(_locate_in_repository(place["path"], service), int(place["tsc"] or place["line"]))
    return None


def _locate_in_repository(path: str, service: Service) -> str:
    """Builds name files from where they run."""
    plain = path.removeprefix("./")
    if f"{service.folder}/" in plain:
        return plain[plain.index(f"{service.folder}/") :]
    changed = next((file for file in service.files if file.endswith(f"/{plain}")), "")
    return changed or f"{service.folder}/{plain.lstrip('/')}"
