"""Whose bundles a home believes: the key that was pinned when it joined a hub, or when it began to follow a source."""

from pathlib import Path
from typing import TypeVar

import msgspec

from synaptic.files.bounded import UnreadableFile, read_content
from synaptic.files.replace import make_folders, replace_file
from synaptic.hooks.bundle_seal import JOINED_LIMIT, BundlePlace
from synaptic.hub.keys import PublicKey
from synaptic.hub.shipping.plan import read_membership
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home

T = TypeVar("T", bound=msgspec.Struct)


class BundleSource(msgspec.Struct, frozen=True, kw_only=True):
    """Where bundles come from, and whose key they must have. Field for field as `Membership` has it."""

    url: str
    organisation_key: str
    is_managed: bool = False


class PinnedKey(msgspec.Struct, frozen=True, kw_only=True):
    """Whom a home believes."""

    key: PublicKey
    is_managed: bool
    url: str
    is_hub: bool


def read_pin(home: Home) -> PinnedKey | None:
    """The pinned key; None where there is none. What it follows goes before the hub. Raises SynapticError."""
    if source := read_source(home):
        return _make_pin(source.organisation_key, source.is_managed, source.url, is_hub=False)
    joined = read_membership(home)
    if joined is None or not joined.organisation_key:
        return None
    return _make_pin(joined.organisation_key, joined.is_managed, joined.url, is_hub=True)


def read_source(home: Home) -> BundleSource | None:
    """Raises SynapticError for a file that cannot be understood."""
    return _read_file(BundlePlace.of(home).source, BundleSource)


def write_source(home: Home, source: BundleSource) -> None:
    """Follow a source from now on. Raises SynapticError for a key that is none."""
    PublicKey.parse(source.organisation_key)
    place = BundlePlace.of(home)
    make_folders(place.root, 0o700)
    replace_file(place.source, msgspec.json.encode(source) + b"\n")


def _make_pin(key: str, is_managed: bool, url: str, *, is_hub: bool) -> PinnedKey:
    return PinnedKey(key=PublicKey.parse(key), is_managed=is_managed, url=url, is_hub=is_hub)


def _read_file(path: Path, shape: type[T]) -> T | None:
    content = read_content(str(path), JOINED_LIMIT)
    if content is None:
        return None
    if isinstance(content, UnreadableFile):
        raise SynapticError(content.why, where=str(path))
    try:
        return msgspec.json.decode(content, type=shape)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise SynapticError(
            f"cannot be understood: {error}", where=str(path), hint="join or follow it again"
        ) from error
