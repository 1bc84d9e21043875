"""Source files of a catalog: where they are, their order, each read once and then watched for changes."""

import os
import stat
from collections.abc import Iterator
from functools import partial

import msgspec

from synaptic.files.snapshot import Load, Unreadable, Watched, names, read
from synaptic.files.watch import Watch
from synaptic.hooks import config as configs
from synaptic.hooks import document, pins, toml, yaml
from synaptic.hooks.config import Config
from synaptic.hooks.declaration import LIMIT, Declarations, Place
from synaptic.model.home import Home

Text = tuple[bytes, str]
"""A file's content, empty when it cannot be read or is not there, and its path."""

MOST = 1000
"""YAML files of one folder."""
MANY = 8
"""From this many files on, watching their folder is cheaper than a stat for each."""


class Folder(msgspec.Struct, frozen=True):
    """A folder of declarations and the names in it."""

    place: Place
    names: tuple[str, ...]

    def member(self, name: str) -> Place:
        return Place(f"{self.place.file}/{name}", self.place.scope, self.place.root)


class Sources:
    """One reading of all sources of a project; `watched` is what to check before the next one."""

    def __init__(self, home: Home, root: str, watch: Watch | None = None) -> None:
        self._home = home
        self._watch = watch
        self._user = str(home.root)
        # The user's own folder is no project, even when somebody names it as one.
        self.root = "" if f"{root.rstrip('/')}/.synaptic" == self._user else root
        self.variables_root = self.root or str(home.root.parent)
        self.watched: list[Watched] = []
        self.covered: list[Watched] = []
        """Files in folders under observation: only looked at when something happened there."""
        self.problems: list[str] = []

    def user_config(self) -> Text:
        return self._text(str(self._home.config), configs.LIMIT)

    def project_config(self) -> Text:
        return self._project_text("config.toml")

    def env_toml(self) -> Text:
        return self._project_text("env.toml")

    def pinned(self, root: str) -> pins.Pins:
        """Read the pins of a project, or with "" of the user's own packages."""
        return pins.parse(self._text(str(pins.pins_file(self._home, root)), LIMIT)[0])

    def declarations(self, config: Config) -> Iterator[Declarations]:
        """Iterate over declarations: user before project, registry before YAML, file names in order."""
        own = self._folder(Place(f"{self._user}/hooks", "user", self._user))
        yield self._registry(own)
        yield yaml.declared(self._definitions(own), config)
        if self.root:
            brought = self._folder(Place(f"{self._dot}/hooks", "project", self.root))
            yield self._registry(brought)
            yield yaml.declared(self.project_definitions(brought), config)

    def project_definitions(self, brought: Folder | None = None) -> list[tuple[Place, bytes]]:
        """Read the project's YAML files: `.system/hooks` before `.synaptic/hooks`."""
        system = self._folder(Place(f"{self.root.rstrip('/')}/.system/hooks", "project", self.root))
        last = brought or self._folder(Place(f"{self._dot}/hooks", "project", self.root))
        return self._definitions(system) + self._definitions(last)

    def files(self) -> tuple[str, ...]:
        """List the source files that exist."""
        return tuple(source.path for source in self.watched + self.covered if source.signature is not None)

    @property
    def _dot(self) -> str:
        return f"{self.root.rstrip('/')}/.synaptic"

    def _project_text(self, name: str) -> Text:
        return self._text(f"{self._dot}/{name}", configs.LIMIT) if self.root else (b"", "")

    def _folder(self, place: Place) -> Folder:
        listing = self._content(place.file, names) or b""
        return Folder(place, tuple(os.fsdecode(listing).split("\n")))

    def _registry(self, folder: Folder) -> Declarations:
        # A registry that is not there needs no watching: its folder changes when it appears.
        if "registry.toml" not in folder.names:
            return Declarations()
        place = folder.member("registry.toml")
        return toml.parse(self._text(place.file, LIMIT)[0], place)

    def _definitions(self, folder: Folder) -> list[tuple[Place, bytes]]:
        found = [name for name in folder.names if yaml.is_definition(name)]
        if len(found) > MOST:
            self.problems.append(f"{folder.place.file}: holds {len(found)} YAML files; only the first {MOST} count")
        places = [folder.member(name) for name in found[:MOST]]
        # Watched before the files are read: a write in between raises the generation.
        observed = len(places) >= MANY and self._watch is not None and self._watch.add(folder.place.file)
        read_in = ((place, self._definition(place.file, observed)) for place in places)
        return [(place, text) for place, text in read_in if text is not None]

    def _definition(self, path: str, observed: bool) -> bytes | None:
        kept = self.covered if observed and _only_here(path) else self.watched
        return self._content(path, partial(read, limit=document.LIMIT), kept)

    def _text(self, path: str, limit: int) -> Text:
        return self._content(path, partial(read, limit=limit)) or b"", path

    def _content(self, path: str, load: Load, kept: list[Watched] | None = None) -> bytes | None:
        """Read and watch a file; None when it is missing or unreadable, which is reported as a problem."""
        source = Watched(path, load)
        (self.watched if kept is None else kept).append(source)
        content = source.read()
        if isinstance(content, Unreadable):
            self.problems.append(f"{path}: {content.why}; nothing in it counts")
            return None
        return content


def _only_here(path: str) -> bool:
    """Whether a watch of the folder sees all changes: not for symbolic or hard links, which change elsewhere."""
    try:
        status = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_nlink == 1
