"""Find a repository's documents for an intent by its ROUTING.md indexes, and lint those."""

import os
from collections.abc import Iterator, Mapping

from synaptic.files.snapshot import Unreadable, names, read
from synaptic.hooks.document import load
from synaptic.model.errors import DeclarationError
from synaptic.model.knowledge import RelatedDocument, RouteIndex
from synaptic.policies.routing import routing_docs
from synaptic.policies.routing.routing_docs import Routes, chosen, inside, routed

FOLDERS = ("", ".system", ".system/routing", "docs")
MODULES = ("modules", "services", "apps", "packages")
NAME = "ROUTING.md"
LIMIT = 1 << 20
ROUTES = 8
"""Upper bound of route files opened for one intent."""


def documents_for(root: str, intent: Mapping[str, object]) -> tuple[RelatedDocument, ...]:
    """Find one to five existing documents for an intent; none when no index knows the topic."""
    routes = routed(intent, _indexes(root).indexes)[:ROUTES]
    found = [document for route in routes for document in _documents(root, route).documents]
    there = [document for document in found if _exists(root, document.path)]
    return chosen(there, str(intent.get("stage") or ""))


def lint(root: str) -> tuple[str, ...]:
    """Find every fault of the indexes: missing files, unknown stages, broken YAML."""
    known = _indexes(root)
    problems = [*known.problems]
    for route in known.indexes:
        where = f"{route.source}: `route_file`"
        if not _exists(root, route.route_file):
            problems.append(f"{where}: {route.route_file} is missing or leads out of the repository")
            continue
        file = _documents(root, route)
        problems += file.problems
        problems += (
            f"{document.source}: `related_docs.path`: {document.path} is missing or leads out of the repository"
            for document in file.documents
            if not _exists(root, document.path)
        )
    return tuple(dict.fromkeys(problems))


def _indexes(root: str) -> Routes:
    parts = [_read(root, path, routing_docs.indexes) for path in _routing_files(root)]
    found: tuple[RouteIndex, ...] = tuple(index for part in parts for index in part.indexes)
    return Routes(indexes=found, problems=tuple(problem for part in parts for problem in part.problems))


def _documents(root: str, route: RouteIndex) -> Routes:
    path = inside(route.route_file, root)
    return _read(root, path, routing_docs.documents) if path else Routes()


def _routing_files(root: str) -> Iterator[str]:
    for folder in FOLDERS:
        yield f"{folder}/{NAME}".lstrip("/")
    for parent in MODULES:
        content = names(f"{root}/{parent}")
        listed = os.fsdecode(content).split("\n") if isinstance(content, bytes) else []
        yield from (f"{parent}/{name}/{NAME}" for name in listed if name)


def _read(root: str, path: str, parse: "routing_docs.Parse") -> Routes:
    content = read(f"{root}/{path}", LIMIT)
    if content is None:
        return Routes()
    if isinstance(content, Unreadable):
        return Routes(problems=(f"{path}: {content.why}",))
    try:
        return parse(content.decode("utf-8-sig"), path, load)
    except UnicodeDecodeError as error:
        return Routes(problems=(f"{path}: is not UTF-8 (byte {error.start})",))
    except DeclarationError as error:
        return Routes(problems=(str(error),))


def _exists(root: str, path: str) -> bool:
    relative = inside(path, root)
    real = os.path.realpath(f"{root}/{relative}")
    # After links are resolved: a document that links out of the repository must not be offered to the model.
    return bool(relative) and real.startswith(f"{os.path.realpath(root)}/") and os.path.isfile(real)  # noqa: PTH113


def as_items(documents: tuple[RelatedDocument, ...], stage: str) -> tuple[dict[str, object], ...]:
    """Convert documents to the items of a hook result."""
    return tuple(_item(document, stage) for document in documents)


def _item(document: RelatedDocument, stage: str) -> dict[str, object]:
    reason = document.usage or document.when or "Listed for this topic"
    item: dict[str, object] = {"path": document.path, "reason": reason, "hook": "knowledge-routing"}
    return item | ({"stage": stage} if stage in document.stages else {})
