"""A real registry that one module shares, somebody who puts anything into it, and a user who buys there."""

import contextlib
import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import tomlkit

from synaptic.packages.author import make_put_statements
from synaptic.packages.database import RegistryChange
from synaptic.packages.rows import Bundle
from tests.packages.authoring import Desk
from tests.packages.shelf import Owner, made, tree

PATIENCE = 60
"""Seconds after which an attempt has succeeded in keeping us waiting; what holds takes a fraction of one."""


class Market:
    """A registry whose rows are written past every check, as a hostile or damaged one has them."""

    def __init__(self, base: Path) -> None:
        self.desk = Desk(base)
        self.url = self.desk.url
        self.source = self.desk.source
        self.put(made("alpha"))

    def put(self, bundle: Bundle, channel: str = "main") -> Bundle:
        """The package as it is, in place of what the channel had under its id."""
        statements = make_put_statements(bundle)
        self.source.database.write(RegistryChange(channel, statements, f"put {bundle.package.name[:20]!a}"))
        return bundle


class Victim(Owner):
    """A user with a home, a project, and something outside of it that must stay as it is."""

    def __init__(self, folder: Path, market: Market) -> None:
        super().__init__(folder)
        self.source = market.source
        self.outside = folder / "outside"
        self.outside.mkdir()
        (self.outside / "precious").write_text("precious\n")
        self._before = tree(self.outside)

    @property
    def is_unharmed(self) -> bool:
        """Whether everything outside the project is as it was, and nothing came to it."""
        return tree(self.outside) == self._before

    def rewrite_lock(self, **changes: object) -> None:
        """The lockfile's first record with other values, as a repository may bring it."""
        document = tomlkit.parse(self.site.lockfile.read_text())
        record = document["install"][0]  # type: ignore[index]
        for key, value in changes.items():
            record[key] = value  # type: ignore[index]
        self.site.lockfile.write_text(tomlkit.dumps(document))


@contextlib.contextmanager
def limit_waiting(seconds: int = PATIENCE) -> Iterator[None]:
    """End an attempt that keeps us waiting."""

    def stop(*_: object) -> None:
        raise AssertionError(f"it took longer than {seconds} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def place_unfit(path: Path, kind: str) -> None:
    """Something that is no file of ours, where one is looked for."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileNotFoundError):
        path.unlink()
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "endless device":
            path.symlink_to("/dev/zero")
        case "terminal":
            path.symlink_to("/dev/tty")
        case "process memory":
            path.symlink_to("/proc/self/mem")
        case "folder":
            path.mkdir()
        case "socket":
            with contextlib.chdir(path.parent), socket.socket(socket.AF_UNIX) as listening:
                listening.bind(path.name)
        case "link to itself":
            path.symlink_to(path.name)
        case "sparse giant":
            with path.open("wb") as file:
                file.truncate(5 << 30)
        case "binary":
            path.write_bytes(bytes(range(256)) * 20)
        case "deep nesting":
            path.write_text(f"x = {'[' * 20_000}")
        case "endless key":
            path.write_text(f"{'a.' * 200_000}a = 1\n")
        case "endless inline key":
            path.write_text(f"x = {{{'a.' * 200_000}a = 1}}\n")
        case "endless header":
            path.write_text(f"[{'a.' * 200_000}a]\n")


UNFIT_KINDS = (
    "pipe",
    "endless device",
    "terminal",
    "process memory",
    "folder",
    "socket",
    "link to itself",
    "sparse giant",
)
UNFIT_TEXTS = ("binary", "deep nesting", "endless key", "endless inline key", "endless header")
