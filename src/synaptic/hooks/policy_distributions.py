"""Policies of installed distributions: modules that they name in the group `synaptic.policies` of their entry points.

A module is found by its path and never imported here. The list is made once in a process: what is installed later is
found after the daemon was restarted.
"""

import hashlib
from functools import cache
from importlib.machinery import PathFinder
from importlib.metadata import EntryPoint, entry_points

from synaptic.files.bounded import read_content
from synaptic.hooks.policy_files import FILE_LIMIT
from synaptic.model.outside import PolicySource

ENTRY_GROUP = "synaptic.policies"


@cache
def list_distributed_policies() -> tuple[PolicySource, ...]:
    """The modules that are named, each once. One that cannot be found is left to its worker to say so."""
    found = {entry.module: entry for entry in entry_points(group=ENTRY_GROUP)}
    return tuple(_make_source(entry) for _, entry in sorted(found.items()))


def _make_source(entry: EntryPoint) -> PolicySource:
    file = _locate_module(entry.module)
    content = read_content(file, FILE_LIMIT) if file else None
    version = entry.dist.version if entry.dist else ""
    text = content if isinstance(content, bytes) else b""
    digest = hashlib.sha256(f"{entry.module} {version}\0".encode() + text).hexdigest()
    return PolicySource(file=file or f"/{entry.module}", origin="distribution", digest=digest, module=entry.module)


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
