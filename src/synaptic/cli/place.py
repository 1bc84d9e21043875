"""Where a command is typed: the user's home, the project around the current folder, and the journal."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from synaptic.files.home import find_home
from synaptic.hooks.project import PROJECT_MARKERS, find_root
from synaptic.model.errors import StoreError, SynapticError
from synaptic.model.home import Home
from synaptic.store.db import Store


class CommandPlace(msgspec.Struct, frozen=True):
    """Where a command was typed: the user's home, the folder, and the project around it."""

    home: Home
    cwd: str
    root: str
    """The project's root; "" when there is none."""

    @property
    def utf8_cwd(self) -> str:
        """The folder as an agent writes it into an event: JSON holds no bytes that are not UTF-8."""
        return os.fsencode(self.cwd).decode("utf-8", "replace")

    @property
    def project(self) -> Path | None:
        """The root, if something marks it as a project: a bare folder is none."""
        marked = self.root and any(os.path.lexists(f"{self.root}/{marker}") for marker in PROJECT_MARKERS)
        return Path(self.root) if marked else None


def find_place(folder: str = "") -> CommandPlace:
    """Find home and project for the current folder, or for the one that is named."""
    cwd = _resolve_folder(folder)
    # Only HOME: CLAUDE_PROJECT_DIR of a session around us is not the folder that the command was typed in.
    return CommandPlace(find_home(os.environ), cwd, find_root({}, {"HOME": os.environ.get("HOME", "")}, cwd))


def require_root(place: CommandPlace) -> str:
    """Get the project's root. Raises SynapticError where there is none, or where it is not UTF-8."""
    if not place.root:
        raise SynapticError("the home folder is no project", where=place.cwd, hint="cd into a project")
    if not is_utf8(place.root):
        raise SynapticError("a project's path must be UTF-8", where=place.utf8_cwd, hint="rename the folder")
    return place.root


def choose_config_file(place: CommandPlace, in_project: bool) -> tuple[Path, Path | None]:
    """The config.toml to edit: the project's and its root, or the user's and None."""
    if not in_project:
        return place.home.config, None
    root = Path(require_root(place))
    return root / ".synaptic" / "config.toml", root


def is_utf8(path: str) -> bool:
    return path == os.fsencode(path).decode("utf-8", "replace")


@contextmanager
def open_journal(home: Home) -> Iterator[Store]:
    """Open the database for reading the journal. Raises StoreError when there is none yet."""
    if not home.database.exists():
        raise StoreError("there is no journal yet", where=str(home.database), hint="type: synaptic up")
    with open_database(home) as store:
        yield store


@contextmanager
def open_database(home: Home) -> Iterator[Store]:
    """Open the database; it is created when it is missing."""
    store = Store.open(home)
    try:
        yield store
    finally:
        store.close()


def _resolve_folder(folder: str) -> str:
    try:
        path = Path.cwd() / Path(folder).expanduser() if folder else Path.cwd()
    except OSError as error:
        raise SynapticError("the current folder is gone", where=str(error.filename or "."), hint="cd") from error
    if not path.is_dir():
        raise SynapticError("no such folder", where=str(path))
    return os.path.normpath(path)
