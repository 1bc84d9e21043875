"""The shell libraries in a project's `.synaptic/lib`: what hook scripts source, as this version brings it."""

from pathlib import Path

import synaptic
from synaptic.files.replace import delete, drop_folders, make_folders, read, replace

SHIPPED = Path(synaptic.__file__).parent / "lib"
IGNORED = b"*\n"
"""In a .gitignore beside them: they belong to the installed version, not to the repository."""


def install(folder: Path) -> None:
    """Write what is missing or different."""
    make_folders(folder)
    for name, text in contents().items():
        if read(folder / name) != text:
            replace(folder / name, text, 0o644)


def remove(folder: Path) -> None:
    """Take them away; a file that somebody changed stays."""
    for name, text in contents().items():
        if read(folder / name) == text:
            delete(folder / name)
    drop_folders((str(folder),))


def contents() -> dict[str, bytes]:
    """Every file of the folder."""
    return {".gitignore": IGNORED, **{file.name: file.read_bytes() for file in sorted(SHIPPED.glob("*.sh"))}}
