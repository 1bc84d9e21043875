"""A SKILL.md as efforts need it: its front matter, and the first JSON block for phases and templates."""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from synaptic.model.errors import LayerError, SynapticError
from synaptic.model.layers import Skill
from synaptic.policies.routing.abilities import FRONT_MATTER

JSON_BLOCK = re.compile(r"^```json[ \t]*\r?\n(.*?)^```", re.DOTALL | re.MULTILINE)
TEMPLATE_SUFFIX = "Template"
"""Keys that end so name a file that a new window loads."""
PLAIN_TIER = "utility"
"""The tier of a skill that declares no phases and nothing else."""

YamlLoader = Callable[[bytes, str], Any]
"""Decodes YAML, given its text and where it is from."""


def read_skill(text: str, path: str, load: YamlLoader) -> Skill:
    """The skill that a file describes. Raises LayerError for front matter or a block that cannot be read."""
    front = _read_front_matter(text, path, load)
    block = _read_json_block(text, path)
    told = block or {}
    return Skill(
        name=_read_word(front.get("name")) or path.rpartition("/")[0].rpartition("/")[2],
        phases=tuple(filter(None, map(_format_phase, _as_list(told.get("phases"))))),
        templates=dict(_iter_templates(told, path)),
        modes=told.get("modes"),
        next_skills=tuple(filter(None, map(_read_name, _as_list(told.get("nextSkills"))))),
        directives=tuple(filter(None, map(_read_word, _as_list(told.get("directives"))))),
        version=_read_word(front.get("version")),
        description=_read_word(front.get("description")),
        tier=_read_word(front.get("tier")) or (PLAIN_TIER if block is None else ""),
        path=path,
    )


def _read_front_matter(text: str, path: str, load: YamlLoader) -> Mapping[str, Any]:
    found = FRONT_MATTER.match(text)
    try:
        table = load(found[1].encode(), path) if found else {}
    except SynapticError as error:
        raise LayerError("PARSE_ERROR", f"its front matter {error.message}", where=path) from error
    return table if isinstance(table, dict) else {}


def _read_json_block(text: str, path: str) -> Mapping[str, Any] | None:
    found = JSON_BLOCK.search(text)
    if found is None:
        return None
    try:
        # A lone surrogate cannot be encoded; replaced, it is at worst a strange letter in a name.
        return msgspec.json.decode(found[1].encode("utf-8", "replace"), type=dict[str, Any])
    except msgspec.DecodeError as error:
        line = text.count("\n", 0, found.start()) + 1
        raise LayerError(
            "PARSE_ERROR", f"its json block in line {line} is no JSON object: {error}", where=path
        ) from error


def _iter_templates(block: Mapping[str, Any], path: str) -> Iterable[tuple[str, str]]:
    """Relative to the file's own folder."""
    for key, value in block.items():
        if key.endswith(TEMPLATE_SUFFIX) and isinstance(value, str) and value.strip():
            own = value if value.startswith(("/", "~")) else f"{path.rpartition('/')[0]}/{value}"
            yield key, os.path.normpath(own)


def _format_phase(item: object) -> str:
    """`"1: Build"`, or an object with a label or number and a name."""
    if not isinstance(item, dict):
        return _read_word(item)
    number = next((_read_word(item[key]) for key in ("label", "number", "major") if _read_word(item.get(key))), "")
    minor = _read_word(item.get("minor"))
    number = f"{number}.{minor}" if number and minor not in ("", "0") and "." not in number else number
    return ": ".join(filter(None, (number, _read_word(item.get("name")))))


def _read_name(item: object) -> str:
    return _read_word(item.get("name") or item.get("skill")) if isinstance(item, dict) else _read_word(item)


def _read_word(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return " ".join(str(value).split())


def _as_list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
