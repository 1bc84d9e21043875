"""Declarations that are valid and do not run, because somebody switched them off."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from synaptic.cli.place import Here
from synaptic.files.snapshot import read
from synaptic.hooks import document
from synaptic.hooks.catalog import Catalog
from synaptic.hooks.yaml import is_definition
from synaptic.model.errors import DeclarationError


def switched_off(place: Here, catalog: Catalog) -> Iterator[tuple[str, str]]:
    """Id and reason of every declaration that is not in the catalog although nothing is wrong with it."""
    registered = {hook.id for hook in catalog.hooks}
    for folder in _folders(place):
        for file in sorted(folder.iterdir()) if folder.is_dir() else ():
            if file.name == "registry.toml":
                yield from _in_registry(file)
            elif is_definition(file.name):
                yield from _in_definition(file, registered, catalog.config.environment)


def _folders(place: Here) -> Iterator[Path]:
    yield place.home.registry.parent
    if place.root:
        yield Path(place.root, ".system", "hooks")
        yield Path(place.root, ".synaptic", "hooks")


def _in_registry(file: Path) -> Iterator[tuple[str, str]]:
    try:
        entries = tomllib.loads(_text(file).decode()).get("hook", [])
    except ValueError:
        return  # told among the problems
    for number, entry in enumerate(entries if isinstance(entries, list) else (), 1):
        if isinstance(entry, dict) and entry.get("enabled") is False:
            yield str(entry.get("id") or number), f"`enabled = false` in {file}: hook {number}"


def _in_definition(file: Path, registered: set[str], environment: str) -> Iterator[tuple[str, str]]:
    try:
        table: Any = document.load(_text(file), str(file))
    except DeclarationError:
        return  # told among the problems
    if not isinstance(table, dict) or table.get("id") in registered:
        return
    if table.get("enabled") is False:
        yield str(table.get("id")), f"`enabled: false` in {file}"
    elif table.get("environments") is not None or "environment" in (table.get("match") or {}):
        yield (
            str(table.get("id")),
            f"its environments in {file} do not include {environment or 'an unset SYNAPTIC_ENV'}",
        )


def _text(file: Path) -> bytes:
    content = read(str(file), document.LIMIT if is_definition(file.name) else 1 << 22)
    return content if isinstance(content, bytes) else b""
