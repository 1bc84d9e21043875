"""File with the hashes of everything a channel has published, for use without the registry."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import tomlkit

from synaptic.files.replace import make_folders, read_file, replace_file
from synaptic.files.toml import parse_toml
from synaptic.model.refusal import Refusal
from synaptic.packages.rows import Bundle
from synaptic.packages.versions import make_version_key

CATALOG_SCHEMA = 1
REFRESH_HINT = "type: synaptic registry catalog"


class KnownVersion(msgspec.Struct, frozen=True):
    """One version of a package: the hash of each file by its path in the package."""

    package: str
    version: str
    sha256: str
    files: dict[str, str]

    @property
    def is_complete(self) -> bool:
        return bool(self.package and self.version and self.sha256 and self.files)


class HashCatalog(msgspec.Struct, frozen=True):
    """All versions ever seen in a channel, by package and version."""

    channel: str
    refreshed_at: str
    known: tuple[KnownVersion, ...]
    warnings: tuple[str, ...] = ()


def locate_catalog(folder: Path, channel: str) -> Path:
    """Path of a channel's catalog; characters that a file name cannot hold are replaced."""
    return folder / f"catalog-{re.sub(r'[^A-Za-z0-9._-]', '_', channel)}.toml"


def load_catalog(path: Path) -> HashCatalog:
    """Read a catalog; one of a newer schema is read as far as possible, with a warning."""
    data = read_file(path)
    if data is None:
        raise Refusal("validation_failed", "there is no catalog", where=str(path), hint=REFRESH_HINT)
    try:
        table = parse_toml(data)
    except ValueError as error:
        raise Refusal("validation_failed", f"is no valid TOML: {error}", where=str(path), hint=REFRESH_HINT) from None
    schema = table.get("schema")
    newer = isinstance(schema, int) and schema > CATALOG_SCHEMA
    warnings = (f"{path}: its schema is {schema}, and this program knows {CATALOG_SCHEMA}",) if newer else ()
    known = [one for entry in _list_entries(table) if (one := _parse_entry(entry)) and one.is_complete]
    return HashCatalog(
        str(table.get("channel", "")), str(table.get("refreshed_at", "")), _sort_versions(known), warnings
    )


def refresh_catalog(path: Path, channel: str, bundles: Iterable[Bundle]) -> HashCatalog:
    """Add the versions that a channel has now; older ones stay in the catalog."""
    before = load_catalog(path).known if path.exists() else ()
    merged = {
        (one.package, one.version): one for one in (*before, *map(_bundle_to_version, bundles)) if one.is_complete
    }
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    catalog = HashCatalog(channel, now, _sort_versions(merged.values()))
    make_folders(path.parent, 0o700)
    replace_file(path, _format_catalog(catalog).encode(), 0o600)
    return catalog


def find_latest(versions: Iterable[str]) -> str:
    """Find the highest version; invalid version texts sort below all valid ones."""
    return max(versions, key=make_version_key)


def _sort_versions(known: Iterable[KnownVersion]) -> tuple[KnownVersion, ...]:
    return tuple(sorted(known, key=lambda one: (one.package, make_version_key(one.version))))


def _list_entries(table: dict[str, Any]) -> list[Any]:
    entries = table.get("package", [])
    return entries if isinstance(entries, list) else []


def _parse_entry(entry: object) -> KnownVersion | None:
    try:
        return msgspec.convert(entry, KnownVersion)
    except msgspec.ValidationError:
        return None


def _bundle_to_version(bundle: Bundle) -> KnownVersion:
    files = {file.dest_path: file.sha256 for file in bundle.files}
    return KnownVersion(bundle.package.name, bundle.package.version, bundle.package.sha256, files)


def _format_catalog(catalog: HashCatalog) -> str:
    document = tomlkit.document()
    document.update({"schema": CATALOG_SCHEMA, "channel": catalog.channel, "refreshed_at": catalog.refreshed_at})
    document["package"] = [msgspec.to_builtins(one) for one in catalog.known]
    return tomlkit.dumps(document)
