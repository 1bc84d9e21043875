"""Start a part of the engine: as it was installed, and with nothing of other packages before it.

A copy of this file stands in the engine's folder beside the dispatcher, with a list of the engine's files. It runs as
`python -I -S start.py MODULE ...` and imports nothing of ours before it has looked: who changes the installed package
does not change what looks at it. Without `site`, no `.pth` file and no `sitecustomize` of the environment is run.
"""

import base64
import gc
import importlib
import os
import sys
import traceback

NOT_FOUND_EXIT = 113
"""The engine is not there."""
FAILED_EXIT = 1
"""It is there and cannot be loaded, perhaps for want of descriptors or memory: it has not been heard."""
CHANGED_EXIT = 114
"""Its files are not as they were installed. The dispatcher knows these numbers."""
COMMAND_LINE = "synaptic.cli.main"
CODE_MODULE = "synaptic.setup.code"
"""Where a part of the engine that compares its files has them noted."""
LIST_NAME = "engine-files"
"""The list of files, in the engine's folder."""
CACHE_FOLDER = "__pycache__"
MAX_NAMED = 3
"""Changed files that are named in a message."""

FileList = dict[str, tuple[int, int, str]]
"""Name below the package to size, time of change and digest."""


class InstalledEngine:
    """What was installed: where the package is, where others are imported from, and every file of it."""

    def __init__(self, text: str) -> None:
        self.paths: list[str] = []
        self.files: FileList = {}
        self.package = self.version = ""
        self.editable = False
        for line in text.split("\n"):
            key, _, value = line.partition("=")
            if key == "file":
                size, time, digest, name = value.split(" ", 3)
                self.files[name] = (int(size), int(time), digest)
            elif key == "path":
                self.paths.append(value)
            elif key in ("package", "version"):
                setattr(self, key, value)
            elif key == "editable":
                self.editable = True


def read_installed(home: str) -> InstalledEngine | None:
    """The list in the engine's folder; None when there is none that can be read."""
    try:
        with open(f"{home}/{LIST_NAME}", encoding="utf-8", errors="surrogateescape") as file:  # noqa: PTH123 - fast
            return InstalledEngine(file.read())
    except (OSError, ValueError):
        return None


def find_changed(installed: InstalledEngine, files: "list[tuple[str, os.stat_result]] | None" = None) -> list[str]:
    """Files that were changed, added or taken away. What has kept its size and time is taken for the same."""
    seen = dict(iter_files(installed.package) if files is None else files)
    changed = [name for name in installed.files if name not in seen]
    for name, now in seen.items():
        known = installed.files.get(name)
        if known is None or (
            (now.st_size, now.st_mtime_ns) != known[:2] and read_digest(f"{installed.package}/{name}") != known[2]
        ):
            changed.append(name)
    return sorted(changed)


def iter_files(folder: str, below: str = "") -> "list[tuple[str, os.stat_result]]":
    """Every file of the package with what the system says about it; compiled copies are left out."""
    found: list[tuple[str, os.stat_result]] = []
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return found
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            if entry.name != CACHE_FOLDER:
                found += iter_files(entry.path, f"{below}{entry.name}/")
        else:
            found.append((f"{below}{entry.name}", entry.stat()))
    return found


def read_digest(path: str) -> str:
    """The SHA-256 of a file as package managers write it down; empty when it cannot be read."""
    import hashlib  # noqa: PLC0415 - takes longer to import than everything else here, and is rarely needed

    try:
        with open(path, "rb") as file:  # noqa: PTH123 - fast
            return base64.urlsafe_b64encode(hashlib.sha256(file.read()).digest()).rstrip(b"=").decode()
    except OSError:
        return ""


def is_upgrade(installed: InstalledEngine) -> bool:
    """Whether a package manager has put another version there: its own list of another version fits every file."""
    parent = installed.package.rpartition("/")[0]
    notes = [name for name in _list_names(parent) if name.startswith("synaptic_hooks-") and name.endswith(".dist-info")]
    if len(notes) != 1 or notes[0] == f"synaptic_hooks-{installed.version}.dist-info":
        return False
    try:
        with open(f"{parent}/{notes[0]}/RECORD", encoding="utf-8") as file:  # noqa: PTH123 - fast
            rows = (line.rstrip("\n").rsplit(",", 2) for line in file)
            written = {row[0]: row[1].removeprefix("sha256=") for row in rows if len(row) == 3}
    except OSError:
        return False
    return all(
        written.get(f"synaptic/{name}") == read_digest(f"{installed.package}/{name}")
        for name, _ in iter_files(installed.package)
    )


def _list_names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - fast
    except OSError:
        return []


def describe_changed(installed: InstalledEngine, changed: list[str]) -> str:
    """What has changed, in one line."""
    named = ", ".join(changed[:MAX_NAMED]) + (f" and {len(changed) - MAX_NAMED} more" if changed[MAX_NAMED:] else "")
    return f"files of the engine are not as they were installed: {named} in {installed.package}"


def main(home: str, words: list[str]) -> int:
    """Look at the engine's files, then run the module."""
    module = words[0]
    installed = read_installed(home)
    if installed is None:
        print(f"synaptic: {home}/{LIST_NAME} cannot be read; type: synaptic bootstrap", file=sys.stderr)  # noqa: T201
        return CHANGED_EXIT
    # Before anything is imported: the engine compares, and does not judge with files that were changed meanwhile.
    files = iter_files(installed.package) if module != COMMAND_LINE or not installed.editable else []
    if not installed.editable:
        # Compiled copies are kept where nobody else writes: one beside a file could say something else than the file.
        sys.pycache_prefix = f"{home}/run/compiled"
        if (changed := find_changed(installed, files)) and not is_upgrade(installed):
            print(f"synaptic: {describe_changed(installed, changed)}; type: synaptic up", file=sys.stderr)  # noqa: T201
            if module != COMMAND_LINE:
                return CHANGED_EXIT
    sys.path += [path for path in installed.paths if path not in sys.path]
    # What a start loads stays: looking through it for garbage, again and again, is 7 % of the start.
    gc.set_threshold(50_000, 20, 100)
    try:
        part = importlib.import_module(module)
    except ImportError as error:
        traceback.print_exc()
        # A library that cannot be opened for a moment, a module that is being replaced: only where the whole package is
        # missing was there nothing to start.
        is_missing = isinstance(error, ModuleNotFoundError) and not os.path.isdir(installed.package)  # noqa: PTH112 - fast
        return NOT_FOUND_EXIT if is_missing else FAILED_EXIT
    if files and (code := sys.modules.get(CODE_MODULE)):
        code.note_loaded(installed.package, files)
    sys.argv = [part.__file__ or module, *words[1:]]
    return (part.main() if module == COMMAND_LINE else part.main(words[1:])) or 0


if __name__ == "__main__":
    sys.exit(main(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), sys.argv[1:]))  # noqa: PTH100, PTH120
