"""Write and delete files that people edit: in a project no link is followed, among the user's own files links stay.

A link in the user's home is theirs: many keep their settings in a repository of dotfiles. A link in a project came
with somebody's repository, and leads wherever they liked.
"""

import os
from pathlib import Path

from synaptic.files.inside import delete_inside, name_inside, replace_inside
from synaptic.files.replace import delete_file, explain_os_error, make_folders, replace_file


def place_file(project: Path | None, path: Path, data: bytes, mode: int = 0o644) -> None:
    """Write a file of a project, or without one a file of the user's own; folders that are missing are made."""
    if project is None:
        make_folders(Path(os.path.realpath(path)).parent)  # a link may lead into a folder that is not there yet
        replace_file(path, data, mode)
        return
    with explain_os_error(path, "written"):
        replace_inside(project, name_inside(project, path), data, mode)


def drop_file(project: Path | None, path: Path) -> None:
    """Delete a file of a project, or one of the user's own with what it links to."""
    if project is None:
        delete_file(path)
        return
    with explain_os_error(path, "deleted"):
        delete_inside(project, name_inside(project, path))
