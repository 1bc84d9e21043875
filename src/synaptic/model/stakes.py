"""What a command could lose, as the disk tells: which of the paths it would destroy are there, and whose they are."""

from collections.abc import Mapping
from enum import StrEnum

import msgspec


class PathState(StrEnum):
    """What is at a path."""

    MISSING = "missing"
    EMPTY = "empty"
    """A file without content."""
    LINK = "link"
    """To a file, or to nothing."""
    FOLDER_LINK = "folder-link"
    FILE = "file"
    FOLDER = "folder"
    UNKNOWN = "unknown"
    """The disk cannot tell: the path is of another machine, or was not looked at."""


class Stakes(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about the paths that a command would destroy or overwrite. Nobody has looked: all is unknown."""

    licensed: bool = True
    """Whether the folder that is worked in is a project, so that what is in it may be deleted."""
    states: Mapping[str, PathState] = {}
    """What is there now, by path."""
    made: tuple[str, ...] = ()
    """Paths outside the project that this session has made itself."""
    projects: tuple[str, ...] = ()
    """Projects below a folder that is none itself: what is in them may be deleted, they themselves may not."""
    new: tuple[str, ...] = ()
    """Paths outside the project that are not there, and that this call makes."""

    links: Mapping[str, str] = {}
    """Links in scratch folders on the way to what is deleted, and where they lead."""
    absent: tuple[str, ...] = ()
    """Folders that the command enters by a `cd` it does not depend on, and that are not there."""
    disposable: bool = False
    """Whether the folder that is worked in is the user's own, lies in scratch, and is no repository."""

    def get_state(self, path: str) -> PathState:
        """What is at a path, as far as it was looked at."""
        return self.states.get(path, PathState.UNKNOWN)


NO_STAKES = Stakes()
MADE = "session:made"
"""The section with the paths that a session made outside its project, each as a key."""
