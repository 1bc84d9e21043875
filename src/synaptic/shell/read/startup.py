"""Files that a shell runs whenever it starts: what is put into one of them runs later, unseen."""

import re
from typing import TYPE_CHECKING

from synaptic.model.startup import STARTUP_FILES

if TYPE_CHECKING:
    from synaptic.shell.read.evaluate import Evaluation

__all__ = ["STARTUP_FILES", "STARTUP_LABEL", "read_startup_file"]

STARTUP_LABEL = "start-up file"
"""Through what the commands run that such a file holds."""
HOME_FOLDERS = re.compile(r"/root|/(?:home|Users)/[^/]+")
FISH_FOLDER = "/.config/fish"


def read_startup_file(shell: "Evaluation", path: str, text: str) -> None:
    """Read the text of a shell's start-up file: commands that run later, from the home folder and without input."""
    folder, _, name = path.rpartition("/")
    if not _is_home(folder.removesuffix(FISH_FOLDER) if name == "config.fish" else folder, shell.home):
        return
    # They run in a later shell, so they are no part of the pipeline that writes the file.
    stages, shell.stages = shell.stages, ()
    try:
        # A start-up file that writes itself again is read only once.
        with shell.guard_recursion(text) as first, shell.isolate(), shell.feed_input(None):
            shell.cwd = shell.home
            if first:
                shell.run_code(text, STARTUP_LABEL)
    finally:
        shell.stages = stages


def _is_home(folder: str, home: str) -> bool:
    return folder == home or HOME_FOLDERS.fullmatch(folder) is not None
