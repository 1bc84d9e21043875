"""File with the hashes of everything a channel has published, for use without the registry."""

import re
import tomllib
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import tomlkit
from packaging.version import InvalidVersion, Version

from synaptic.files.replace import make_folders, read, replace
from synaptic.model.refusal import Refusal
from synaptic.packages.rows import Bundle

SCHEMA = 1
ACTION = "type: synaptic registry catalog"


class Known(msgspec.Struct, frozen=True):
    """One version of a package: the hash of each file by its path in the package."""

    package: str
    version: str
    sha256: str
    files: dict[str, str]

    @property
    def complete(self) -> bool:
        return bool(self.package and self.version and self.sha256 and self.files)


class Catalog(msgspec.Struct, frozen=True):
    """All versions ever seen in a channel, by package and version."""

    channel: str
    refreshed_at: str
    known: tuple[Known, ...]
    warnings: tuple[str, ...] = ()


def catalog_file(folder: Path, channel: str) -> Path:
    """Path of a channel's catalog; characters that a file name cannot hold are replaced."""
    return folder / f"catalog-{re.sub(r'[^A-Za-z0-9._-]', '_', channel)}.toml"


def load_catalog(path: Path) -> Catalog:
    """Read a catalog; one of a newer schema is read as far as possible, with a warning."""
    data = read(path)
    if data is None:
        raise Refusal("validation_failed", "there is no catalog", where=str(path), hint=ACTION)
    try:
        table = tomllib.loads(data.decode())
    except ValueError as error:
        raise Refusal("validation_failed", f"is no valid TOML: {error}", where=str(path), hint=ACTION) from None
    schema = table.get("schema")
    newer = isinstance(schema, int) and schema > SCHEMA
    warnings = (f"{path}: its schema is {schema}, and this program knows {SCHEMA}",) if newer else ()
    known = [one for entry in _entries(table) if (one := _known(entry)) and one.complete]
    return Catalog(str(table.get("channel", "")), str(table.get("refreshed_at", "")), _sorted(known), warnings)


def refresh(path: Path, channel: str, bundles: Iterable[Bundle]) -> Catalog:
    """Add the versions that a channel has now; older ones stay in the catalog."""
    before = load_catalog(path).known if path.exists() else ()
    merged = {(one.package, one.version): one for one in (*before, *map(_of_bundle, bundles)) if one.complete}
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    catalog = Catalog(channel, now, _sorted(merged.values()))
    make_folders(path.parent, 0o700)
    replace(path, _text(catalog).encode(), 0o600)
    return catalog


def latest(versions: Iterable[str]) -> str:
    """Find the highest version; invalid version texts sort below all valid ones."""
    return max(versions, key=_order)


def _order(version: str) -> tuple[bool, Any]:
    try:
        return True, Version(version)
    except InvalidVersion:
        return False, version


def _sorted(known: Iterable[Known]) -> tuple[Known, ...]:
    return tuple(sorted(known, key=lambda one: (one.package, _order(one.version))))


def _entries(table: dict[str, Any]) -> list[Any]:
    entries = table.get("package", [])
    return entries if isinstance(entries, list) else []


def _known(entry: object) -> Known | None:
    try:
        return msgspec.convert(entry, Known)
    except msgspec.ValidationError:
        return None


def _of_bundle(bundle: Bundle) -> Known:
    files = {file.dest_path: file.sha256 for file in bundle.files}
    return Known(bundle.package.name, bundle.package.version, bundle.package.sha256, files)


def _text(catalog: Catalog) -> str:
    document = tomlkit.document()
    document.update({"schema": SCHEMA, "channel": catalog.channel, "refreshed_at": catalog.refreshed_at})
    document["package"] = [msgspec.to_builtins(one) for one in catalog.known]
    return tomlkit.dumps(document)
