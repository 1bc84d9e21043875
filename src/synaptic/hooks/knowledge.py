"""Find a repository's documents for an intent by its ROUTING.md indexes, and lint those."""

import os
from collections.abc import Iterator, Mapping

from synaptic.files.bounded import UnreadableFile, read_content
from synaptic.files.snapshot import list_names
from synaptic.hooks.document import load_yaml
from synaptic.model.errors import DeclarationError
from synaptic.model.knowledge import RelatedDocument, RouteIndex
from synaptic.policies.routing import routing_docs
from synaptic.policies.routing.routing_docs import Routes, choose_documents, find_routes, to_repository_path

ROUTING_FOLDERS = ("", ".system", ".system/routing", "docs")
MODULE_FOLDERS = ("modules", "services", "apps", "packages")
ROUTING_NAME = "ROUTING.md"
ROUTING_LIMIT = 1 << 20
MAX_ROUTES = 8
"""Upper bound of route files opened for one intent."""


def find_documents(root: str, intent: Mapping[str, object]) -> tuple[RelatedDocument, ...]:
    """Find one to five existing documents for an intent; none when no index knows the topic."""
    routes = find_routes(intent, _read_indexes(root).indexes)[:MAX_ROUTES]
    found = [document for route in routes for document in _read_documents(root, route).documents]
    there = [document for document in found if _is_file_inside(root, document.path)]
    return choose_documents(there, str(intent.get("stage") or ""))


def lint_routing(root: str) -> tuple[str, ...]:
    """Find every fault of the indexes: missing files, unknown stages, broken YAML."""
    known = _read_indexes(root)
    problems = [*known.problems]
    for route in known.indexes:
        where = f"{route.source}: `route_file`"
        if not _is_file_inside(root, route.route_file):
            problems.append(f"{where}: {route.route_file} is missing or leads out of the repository")
            continue
        file = _read_documents(root, route)
        problems += file.problems
        problems += (
            f"{document.source}: `related_docs.path`: {document.path} is missing or leads out of the repository"
            for document in file.documents
            if not _is_file_inside(root, document.path)
        )
    return tuple(dict.fromkeys(problems))


def _read_indexes(root: str) -> Routes:
    parts = [_read_file(root, path, routing_docs.parse_route_indexes) for path in _iter_routing_files(root)]
    found: tuple[RouteIndex, ...] = tuple(index for part in parts for index in part.indexes)
    return Routes(indexes=found, problems=tuple(problem for part in parts for problem in part.problems))


def _read_documents(root: str, route: RouteIndex) -> Routes:
    path = to_repository_path(route.route_file, root)
    return _read_file(root, path, routing_docs.parse_route_documents) if path else Routes()


def _iter_routing_files(root: str) -> Iterator[str]:
    for folder in ROUTING_FOLDERS:
        yield f"{folder}/{ROUTING_NAME}".lstrip("/")
    for parent in MODULE_FOLDERS:
        content = list_names(f"{root}/{parent}")
        listed = os.fsdecode(content).split("\n") if isinstance(content, bytes) else []
        yield from (f"{parent}/{name}/{ROUTING_NAME}" for name in listed if name)


def _read_file(root: str, path: str, parse: "routing_docs.RouteParser") -> Routes:
    content = read_content(f"{root}/{path}", ROUTING_LIMIT)
    if content is None:
        return Routes()
    if isinstance(content, UnreadableFile):
        return Routes(problems=(f"{path}: {content.why}",))
    try:
        return parse(content.decode("utf-8-sig"), path, load_yaml)
    except UnicodeDecodeError as error:
        return Routes(problems=(f"{path}: is not UTF-8 (byte {error.start})",))
    except DeclarationError as error:
        return Routes(problems=(str(error),))


def _is_file_inside(root: str, path: str) -> bool:
    relative = to_repository_path(path, root)
    real = os.path.realpath(f"{root}/{relative}")
    # After links are resolved: a document that links out of the repository must not be offered to the model.
    return bool(relative) and real.startswith(f"{os.path.realpath(root)}/") and os.path.isfile(real)  # noqa: PTH113


def documents_to_items(documents: tuple[RelatedDocument, ...], stage: str) -> tuple[dict[str, object], ...]:
    """Convert documents to the items of a hook result."""
    return tuple(_document_to_item(document, stage) for document in documents)


def _document_to_item(document: RelatedDocument, stage: str) -> dict[str, object]:
    reason = document.usage or document.when or "Listed for this topic"
    item: dict[str, object] = {"path": document.path, "reason": reason, "hook": "knowledge-routing"}
    return item | ({"stage": stage} if stage in document.stages else {})
