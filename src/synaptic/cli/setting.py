"""One value in a config file: written where it belongs, refused when it would be wrong."""

from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Item

from synaptic.files.replace import make_folders, read, replace
from synaptic.hooks import config
from synaptic.model.errors import DeclarationError


def write(file: Path, key: str, value: str) -> bool:
    """Set a dotted key; whether the file changed. For a wrong value DeclarationError, and the file as it was."""
    before = _text(file)
    known = config.parse(before.encode(), str(file)).problems
    after = _assigned(before, file, key, value)
    if problems := [text for text in config.parse(after.encode(), str(file)).problems if text not in known]:
        raise DeclarationError(f"not written: {problems[0]}", hint="synaptic config schema")
    if after == before:
        return False
    make_folders(file.parent)
    replace(file, after.encode(), 0o644)
    return True


def _text(file: Path) -> str:
    try:
        return (read(file) or b"").decode()
    except UnicodeDecodeError as error:
        raise DeclarationError(f"is not UTF-8 (byte {error.start})", where=str(file), hint="correct it") from None


def _assigned(before: str, file: Path, key: str, value: str) -> str:
    try:
        document = tomlkit.parse(before)
        parts = _parts(key)
        table: Any = document
        for part in parts[:-1]:
            table = table.setdefault(part, tomlkit.table())
        table[parts[-1]] = _value(value)
        return tomlkit.dumps(document)
    except (TOMLKitError, TypeError, AttributeError) as error:
        raise DeclarationError(f"`{key}` cannot be set: {error}", where=str(file)) from None


def _parts(key: str) -> list[str]:
    """The names in a dotted key, as TOML reads it: one in quotes may hold dots."""
    parts: list[str] = []
    table: Any = tomlkit.parse(f"{key} = 0").unwrap()
    while isinstance(table, dict):
        ((name, table),) = table.items()
        parts.append(name)
    return parts


def _value(text: str) -> Item:
    try:
        return tomlkit.value(text)
    except TOMLKitError:
        return tomlkit.item(text)
