"""Knowledge routing: ROUTING.md names a file per topic, that file names documents per stage."""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from synaptic.model.ability import STAGES
from synaptic.model.knowledge import RelatedDocument, RouteIndex
from synaptic.policies.routing.abilities import FRONT_MATTER, YAML_BLOCK

MAX_DOCUMENTS = 5
"""Documents that one intent brings: a few that are read are better than many that are not."""
SPLIT = re.compile(r"[,|\s]+")

YamlLoader = Callable[[bytes, str], Any]
RouteParser = Callable[[str, str, YamlLoader], "Routes"]


class Routes(msgspec.Struct, frozen=True):
    """What a routing file says, and what is wrong with it."""

    indexes: tuple[RouteIndex, ...] = ()
    documents: tuple[RelatedDocument, ...] = ()
    problems: tuple[str, ...] = ()


def parse_route_indexes(text: str, where: str, load: YamlLoader) -> Routes:
    """A ROUTING.md: `route_indexes` in its front matter or in a YAML block."""
    found: list[RouteIndex] = []
    problems: list[str] = []
    for number, entry in enumerate(_list_entries(text, where, load, "route_indexes")):
        place = f"{where}: `route_indexes[{number}]`"
        if not isinstance(entry, dict) or not _read_text(entry, "route_file"):
            problems.append(f"{place}: `route_file` is missing")
            continue
        fields = {key: _read_text(entry, key) for key in ("scope", "topic", "summary", "route_file")}
        if not fields["topic"]:
            problems.append(f"{place}: `topic` is missing")
        found.append(RouteIndex(**fields, source=where))
    return Routes(indexes=tuple(found), problems=tuple(problems))


def parse_route_documents(text: str, where: str, load: YamlLoader) -> Routes:
    """A route file: `routes`, each with `when_to_use` and `related_docs`."""
    found: list[RelatedDocument] = []
    problems: list[str] = []
    for number, route in enumerate(_list_entries(text, where, load, "routes")):
        related = route.get("related_docs") if isinstance(route, dict) else None
        if not isinstance(related, list):
            problems.append(f"{where}: `routes[{number}]`: `related_docs` is no list")
            continue
        for position, entry in enumerate(related):
            place = f"{where}: `routes[{number}].related_docs[{position}]`"
            document = _parse_document(entry, _read_text(route, "when_to_use"), where)
            if document is None:
                problems.append(f"{place}: `path` is missing")
                continue
            unknown = [stage for stage in document.stages if stage not in STAGES]
            problems += (f"{place}: `stage`: `{stage}` is none of {', '.join(STAGES)}" for stage in unknown)
            found.append(document)
    return Routes(documents=tuple(found), problems=tuple(problems))


def find_routes(intent: Mapping[str, object], known: Iterable[RouteIndex]) -> tuple[RouteIndex, ...]:
    """The routes of an intent: same topic in the same scope or one around it; without a topic, the scope alone."""
    scope, topic = str(intent.get("scope") or ""), str(intent.get("topic") or "")
    if not scope and not topic:
        return ()
    fitting = [one for one in known if (not topic or one.topic == topic) and _is_within(scope, one.scope)]
    return tuple(sorted(fitting, key=lambda one: -len(one.scope)))


def choose_documents(documents: Iterable[RelatedDocument], stage: str) -> tuple[RelatedDocument, ...]:
    """One to five documents: those of the stage, else those for any stage; without a stage, the first ones."""
    unique = list({document.path: document for document in reversed(list(documents))}.values())[::-1]
    if not stage:
        return tuple(unique[:MAX_DOCUMENTS])
    fitting = [document for document in unique if stage in document.stages]
    return tuple((fitting or [document for document in unique if not document.stages])[:MAX_DOCUMENTS])


def to_repository_path(path: str, root: str) -> str:
    """A path of the repository, normalised and relative; nothing when it leads out."""
    relative = os.path.normpath(path.removeprefix(f"{root}/"))
    return "" if relative.startswith(("..", "/")) else relative


def _list_entries(text: str, where: str, load: YamlLoader, key: str) -> list[Any]:
    front = FRONT_MATTER.match(text)
    blocks = ([front[1]] if front else []) + YAML_BLOCK.findall(text)
    if where.endswith((".yaml", ".yml", ".json")):
        blocks = [text]
    tables = (load(block.encode(), where) for block in blocks)
    return [
        entry
        for table in tables
        if isinstance(table, dict) and isinstance(table.get(key), list)
        for entry in table[key]
    ]


def _parse_document(entry: object, when: str, where: str) -> RelatedDocument | None:
    table = {"path": entry} if isinstance(entry, str) else entry
    if not isinstance(table, dict) or not _read_text(table, "path"):
        return None
    return RelatedDocument(
        path=_read_text(table, "path"),
        stages=_parse_stages(table.get("stage")),
        usage=_read_text(table, "doc_usage"),
        when=when,
        source=where,
    )


def _parse_stages(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(part for part in SPLIT.split(value) if part)
    return tuple(str(item) for item in value) if isinstance(value, list | tuple) else ()


def _is_within(scope: str, around: str) -> bool:
    return not scope or not around or scope == around or scope.startswith(f"{around}.")


def _read_text(table: Mapping[str, Any], key: str) -> str:
    value = table.get(key)
    return value.strip() if isinstance(value, str) else ""
