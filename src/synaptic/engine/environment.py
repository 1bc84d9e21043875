"""The environment of an event without what a repository could have put into it.

An agent gives its hooks the variables that a repository's settings name. Two of them say where things are and are
taken from the installation: HOME from the engine's own folder, PATH as it was when Synaptic was put in. Other names
that change what a program is or loads are left out where programs are started (`runners.environment`).
"""

import os
import pwd
import stat
import time
from collections.abc import Mapping
from functools import lru_cache

from synaptic.files.bounded import UnreadableFile, read_content
from synaptic.files.snapshot import WatchedFile
from synaptic.model.environment import PATH_LINE, SYSTEM_PATH, UNSAFE_NAMES, UNSAFE_PREFIXES
from synaptic.model.home import Home

ENGINE_LIMIT = 64 << 10
LOOK_SECONDS = 1.0
"""Between looks at what was installed: only a new installation changes it, and a look costs as much as a policy."""
TEMPORARY_FOLDERS = ("/tmp/", "/var/tmp/", "/dev/", "/proc/", "/private/tmp/", "/private/var/tmp/")
"""Everybody can put programs there."""


class InstalledEnvironment:
    """What one installation knows about its user: the home folder, and where programs are."""

    def __init__(self, home: Home) -> None:
        self.user_home = find_user_home(home)
        self._own = {"HOME": self.user_home, "SHELL": _find_shell()}
        self._file = WatchedFile(str(home.engine), lambda path: read_content(path, ENGINE_LIMIT))
        self._path = _parse_path(self._file.read())
        self._looked = time.monotonic()

    def settle_process(self) -> None:
        """Do the same for this process, which a dispatcher may have started with a repository's variables."""
        for name in [name for name in os.environ if name in UNSAFE_NAMES or name.startswith(UNSAFE_PREFIXES)]:
            del os.environ[name]
        os.environ.update(self._own, PATH=self.choose_path(os.environ.get("PATH", ""), ""))

    def add_home(self, env: Mapping[str, str]) -> dict[str, str]:
        """The event's variables, the engine's own when it came with none, with the user's true home and shell."""
        return {**(env or os.environ), **self._own}

    def choose_path(self, path: str, root: str) -> str:
        """The PATH for everything that this event starts."""
        now = time.monotonic()
        if now - self._looked > LOOK_SECONDS:
            self._looked = now
            if not self._file.is_unchanged():
                content = self._file.read()
                # What cannot be read says nothing new: the folders that were installed stay.
                self._path = self._path if isinstance(content, UnreadableFile) else _parse_path(content)
        return _merge_paths(self._path, path, root)


def find_user_home(home: Home) -> str:
    """The home folder of the user that an engine's folder belongs to."""
    if home.root.name == ".synaptic":
        return str(home.root.parent)
    try:
        return pwd.getpwuid(os.geteuid()).pw_dir
    except KeyError:  # an account without an entry, as in some containers
        return os.environ.get("HOME") or str(home.root)


def _find_shell() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_shell or "/bin/sh"
    except KeyError:
        return "/bin/sh"


def _parse_path(content: object) -> str:
    lines = os.fsdecode(content).split("\n") if isinstance(content, bytes) else []
    return next((line.removeprefix(PATH_LINE) for line in lines if line.startswith(PATH_LINE)), "")


@lru_cache(maxsize=64)
def _merge_paths(installed: str, given: str, root: str) -> str:
    """The installed folders first, so that nobody else's program takes the place of one that is in them."""
    first = [folder for folder in (installed or SYSTEM_PATH).split(":") if _is_outside(folder, root)]
    more = [folder for folder in given.split(":") if _is_outside(folder, root) and _is_private(folder)]
    return ":".join(dict.fromkeys((*first, *more)))


def _is_outside(folder: str, root: str) -> bool:
    if not folder.startswith("/"):
        return False
    places = (f"{os.path.normpath(folder)}/", f"{os.path.realpath(folder)}/")
    return not root or not any(place.startswith(f"{root.rstrip('/')}/") for place in places)


def _is_private(folder: str) -> bool:
    """Whether only the user and the system can put programs into a folder."""
    if f"{os.path.realpath(folder)}/".startswith(TEMPORARY_FOLDERS):
        return False
    try:
        status = os.stat(folder)  # noqa: PTH116 - text paths throughout
    except (OSError, ValueError):
        return False
    is_own = status.st_uid in (0, os.geteuid())
    return is_own and stat.S_ISDIR(status.st_mode) and not status.st_mode & stat.S_IWOTH
