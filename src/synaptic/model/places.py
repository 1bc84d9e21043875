"""Where the running engine is: its folder, its Python environment and its code."""

import msgspec

STARTUP_NAMES = ("sitecustomize.py", "usercustomize.py")
STARTUP_SUFFIX = ".pth"
"""Files of a package folder that Python runs before any program."""

PACKAGE_FOLDERS = ("site-packages", "dist-packages")
"""What a folder is called that package managers install to."""


class EnginePlaces(msgspec.Struct, frozen=True):
    """Everything that decides which code the engine is. Every path is absolute; an empty one names nothing."""

    home: str = ""
    """The engine's own folder, `~/.synaptic`, as the dispatcher found it: not as a variable says."""
    prefix: str = ""
    """The virtual environment it runs from; empty when that is the machine's own Python."""
    interpreters: tuple[str, ...] = ()
    """Names under which its Python is started, and what they link to."""
    packages: tuple[str, ...] = ()
    """Folders that hold installed packages."""
    code: tuple[str, ...] = ()
    """The engine's own package, what says that it is installed, and what it needs."""
    processes: tuple[str, ...] = ()
    """The ids of the daemon's process, and of the one that asks where that is another."""

    @property
    def user_home(self) -> str:
        """The home folder that the engine's folder is in; empty when it has a place of its own."""
        folder, _, name = self.home.rpartition("/")
        return folder if name == ".synaptic" else ""


NO_PLACES = EnginePlaces()
