"""Interface of a registry's database: tables at any commit, history, one commit per change."""

import re
from collections.abc import Sequence
from typing import Protocol
from urllib.parse import urlsplit

import msgspec

from synaptic.model.refusal import Refusal
from synaptic.packages.rows import Commit
from synaptic.packages.tables import Statement

REF_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,99}")
"""Valid channel names and commits: they are written into SQL, where a table name cannot be a parameter."""

Rows = list[list[object]]


class RegistryChange(msgspec.Struct, frozen=True):
    """One commit: statements that all happen or none, with message and author."""

    channel: str
    statements: Sequence[Statement]
    message: str
    author: str = "synaptic <synaptic@localhost>"


class PastVersion(msgspec.Struct, frozen=True):
    """Version and hash of a package at one commit."""

    version: str
    sha256: str
    commit: str

    @property
    def content(self) -> tuple[str, str]:
        return self.version, self.sha256


class Database(Protocol):
    """Tables with history. Failures are Refusals that name the database."""

    url: str

    def make_table_sql(self, name: str, ref: str) -> str:
        """SQL for a table as it was at a channel's end or at a commit."""

    def query(self, sql: str, params: Sequence[object] = ()) -> Rows:
        """The answer to a query with `?` for each parameter."""

    def list_channels(self) -> tuple[str, ...]:
        """Names of the channels, sorted."""

    def read_log(self, ref: str) -> tuple[Commit, ...]:
        """The commits that led to it, newest first; empty where there is no history."""

    def read_head(self, channel: str) -> str:
        """The commit that a channel is at; "" where there is no history."""

    def read_past(self, package_id: str, channel: str) -> list[PastVersion]:
        """The package at every commit of the channel that has it, newest first."""

    def write(self, change: RegistryChange) -> str:
        """Do it, and return the commit; "" when it changes nothing or there is no history."""

    def close(self) -> None:
        """Let go; harmless twice."""


class BranchedDatabase(Database, Protocol):
    """A database with branches, which can also merge and undo."""

    def merge(self, source: str, target: str) -> str:
        """Bring a whole channel into another; the commit."""

    def undo(self, channel: str) -> str:
        """Take back the channel's last commit; the commit it is at now."""


def check_ref(ref: str) -> str:
    """Return the name if it may be written into SQL; raises Refusal otherwise."""
    if not REF_PATTERN.fullmatch(ref) or ".." in ref:
        raise Refusal("invalid_args", f"`{ref[:100]}` is no name of a channel", hint="letters, digits and . _ / -")
    return ref


def hide_password(url: str) -> str:
    """Hide the password of a URL for messages and records."""
    password = urlsplit(url).password
    return url.replace(f":{password}@", ":***@", 1) if password else url
