"""Policies of installed distributions: modules that they name in the group `synaptic.policies` of their entry points.

A module is found by its path and never imported here. The list is made once in a process: what is installed later is
found after the daemon was restarted. The files are read as they are: `importlib.metadata` takes a tenth of a second.
"""

import hashlib
import sys
from collections.abc import Iterator
from functools import cache
from importlib.machinery import PathFinder

from synaptic.files.bounded import read_content
from synaptic.files.snapshot import iter_names
from synaptic.hooks.policy_files import FILE_LIMIT
from synaptic.model.outside import PolicySource

ENTRY_GROUP = b"[synaptic.policies]"
NOTES_ENDING = ".dist-info"


@cache
def list_distributed_policies() -> tuple[PolicySource, ...]:
    """The modules that are named, each once. One that cannot be found is left to its worker to say so."""
    found = {module: distribution for distribution, module in _iter_named()}
    return tuple(_make_source(module, distribution) for module, distribution in sorted(found.items()))


def _iter_named() -> Iterator[tuple[str, str]]:
    """The folder of a distribution's notes, and a module that it names."""
    for folder in dict.fromkeys(sys.path):
        for name in iter_names(folder) if folder else ():
            if not name.endswith(NOTES_ENDING):
                continue
            text = read_content(f"{folder}/{name}/entry_points.txt", FILE_LIMIT)
            if isinstance(text, bytes) and ENTRY_GROUP in text:
                yield from ((name, module) for module in _iter_modules(text))


def _iter_modules(text: bytes) -> Iterator[str]:
    inside = text.partition(ENTRY_GROUP)[2].partition(b"\n[")[0]
    for line in inside.decode("utf-8", "replace").splitlines():
        module = line.partition("=")[2].partition(":")[0].partition("[")[0].strip()
        if module:
            yield module


def _make_source(module: str, distribution: str) -> PolicySource:
    file = _locate_module(module)
    content = read_content(file, FILE_LIMIT) if file else None
    text = content if isinstance(content, bytes) else b""
    digest = hashlib.sha256(f"{module} {distribution}\0".encode() + text).hexdigest()
    return PolicySource(file=file or f"/{module}", origin="distribution", digest=digest, module=module)


def _locate_module(name: str) -> str:
    """The file of a module, without importing the packages that it is in; empty when it is not found."""
    folders: list[str] | None = None
    place = ""
    for part in name.split("."):
        spec = PathFinder.find_spec(part, folders)
        if spec is None:
            return ""
        place, folders = spec.origin or "", list(spec.submodule_search_locations or ())
    return place
