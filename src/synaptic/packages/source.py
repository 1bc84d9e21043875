"""Open a registry by its URL; one reading interface for every kind."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol, Self
from urllib.parse import quote, unquote, urlsplit

from synaptic.model.environment import DEFAULT_CHANNEL
from synaptic.model.home import Home
from synaptic.model.refusal import Refusal
from synaptic.packages.database import hide_password
from synaptic.packages.dolt import DoltDatabase
from synaptic.packages.published import PublishedRegistry
from synaptic.packages.remote import open_copy
from synaptic.packages.rows import Bundle, Commit, Package, Variant

STANDARD_CHANNELS = ("develop", "beta", "main")
"""Standard channels in the order of promotion. A channel is a branch; there may be others."""


class PackageSource(Protocol):
    """A registry that can be read. Every answer is of one moment of the channel; failures are Refusals.

    An unknown channel is a Refusal (`not_found`); an unknown package is None.
    """

    url: str

    def list_packages(self, channel: str) -> tuple[Package, ...]:
        """All packages of a channel, by name."""

    def find_package(self, name: str, channel: str, version: str | None = None) -> Package | None:
        """One package; with a version, as the channel's history has it (newest commit with that version)."""

    def find_bundle(self, name: str, channel: str, version: str | None = None) -> Bundle | None:
        """One package with files, hooks, deps and questions, all from the same commit."""

    def list_variants(self, logical_id: str, channel: str) -> tuple[Variant, ...]:
        """What stands in for a logical package, by agent profile."""

    def search(self, words: str, channel: str) -> tuple[Package, ...]:
        """Packages that have every word in name, description or tags; name hits first. No words: all."""

    def list_channels(self) -> tuple[str, ...]:
        """Names of the channels, sorted."""

    def read_head(self, channel: str) -> str:
        """The commit that the channel is at; "" where the registry has no history."""

    def read_log(self, channel: str, name: str | None = None) -> tuple[Commit, ...]:
        """The channel's history, newest first; with a name, only commits that touched that package."""

    def close(self) -> None:
        """Let go of processes and connections; harmless twice."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *raised: object) -> None: ...


def open_source(url: str, home: Home) -> PublishedRegistry:
    """Open the registry of a URL. Copies of remotes are kept under `home`.

    - `dolt:///path/registry.db`      a database on this machine
    - `file:///path/remote.db`        a remote in a folder: copied, brought up to date, read here
    - `http://127.0.0.1:PORT/name`    a remote that `synaptic registry serve` offers; the same
    - `mysql://user:password@host/db` a Dolt SQL server, or plain tables in MySQL or MariaDB
    """
    parts = urlsplit(url)
    if parts.scheme == "dolt":
        return PublishedRegistry(DoltDatabase(Path(unquote(parts.path))))
    # Remotes are never queried directly: a local copy gives one consistent state and works with any latency.
    if parts.scheme in ("file", "http"):
        return PublishedRegistry(open_copy(url, home))
    if parts.scheme == "mysql":
        from synaptic.packages.mysql import open_mysql  # noqa: PLC0415  only a registry on a server needs the driver

        return PublishedRegistry(open_mysql(url))
    kinds = "dolt:///path, file:///path, http://host:port/name or mysql://user@host/database"
    raise Refusal("unsupported_backend", f"`{hide_password(url)}` is no registry", hint=f"write {kinds}")


def choose_registry_url(flag: str, environ: Mapping[str, str], home: Home) -> str:
    """Choose the registry: flag, SYNAPTIC_REGISTRY, the one set by `synaptic registry use`, the user's own."""
    return (
        flag
        or environ.get("SYNAPTIC_REGISTRY", "")
        or _read_url_note(home)
        or f"dolt://{quote(str(locate_own_registry(home)))}"
    )


def choose_channel(flag: str, environ: Mapping[str, str]) -> str:
    """Choose the channel: flag, SYNAPTIC_CHANNEL, main; never the branch that somebody has checked out."""
    return flag or environ.get("SYNAPTIC_CHANNEL", "") or DEFAULT_CHANNEL


def locate_own_registry(home: Home) -> Path:
    """Path of the registry that `synaptic registry init` creates."""
    return home.root / "registry" / "registry.db"


def locate_url_note(home: Home) -> Path:
    """Path of the file with the URL that `synaptic registry use` was given."""
    return home.root / "registry" / "url"


def _read_url_note(home: Home) -> str:
    try:
        return locate_url_note(home).read_text().strip()
    except FileNotFoundError:
        return ""
