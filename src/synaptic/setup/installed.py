"""The list of the engine's files as they were installed, and the file that starts the engine by it."""

import os
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import synaptic
from synaptic.files.replace import replace_own
from synaptic.model.home import Home
from synaptic.model.places import PACKAGE_FOLDERS
from synaptic.setup import start


def record_installed(home: Home) -> None:
    """Write down the engine's files, and put the file that starts it beside the dispatcher; what is right stays."""
    # The list first: without one, the file that starts the engine starts nothing.
    for path, content in ((home.engine_files, _format_list()), (home.start, Path(start.__file__).read_bytes())):
        if not path.is_file() or path.read_bytes() != content:
            replace_own(str(path), content, 0o600)


def find_changes(home: Home) -> str:
    """What is not as it was installed, in one line; empty when everything is, or when nothing was written down."""
    installed = start.read_installed(str(home.root))
    if installed is None or installed.package != str(Path(synaptic.__file__).parent):
        return ""
    changed = start.find_changed(installed)
    return start.describe_changed(installed, changed) if changed else ""


def has_foreign_changes(home: Home) -> bool:
    """Whether files are not as a package manager has put them there, in this version or another one."""
    installed = start.read_installed(str(home.root))
    if installed is None or installed.editable or installed.package != str(Path(synaptic.__file__).parent):
        return False
    return bool(start.find_changed(installed)) and not start.is_upgrade(installed)


def is_editable() -> bool:
    """Whether this engine runs from a checkout, where files are meant to change."""
    return Path(synaptic.__file__).parent.parent.name not in PACKAGE_FOLDERS


def build_start(home: Home, module: str) -> tuple[str, ...]:
    """The command that starts a part of the engine: by the file in its folder, as soon as there is one."""
    if home.start.is_file() and home.engine_files.is_file():
        return (sys.executable, "-I", "-S", str(home.start), module)
    return (sys.executable, "-I", "-m", module)


def _format_list() -> bytes:
    package = str(Path(synaptic.__file__).parent)
    lines = [f"version={synaptic.__version__}", f"package={package}", *(f"path={path}" for path in _iter_paths())]
    if is_editable():
        lines.append("editable=true")
    for name, now in sorted(start.iter_files(package)):
        digest = start.read_digest(f"{package}/{name}")
        lines.append(f"file={now.st_size} {now.st_mtime_ns} {digest} {name}")
    return os.fsencode("\n".join(lines) + "\n")


def _iter_paths() -> Iterator[str]:
    """Where the engine and what it needs is imported from: this Python's own library is known to it anyway."""
    own = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib")}
    parent = str(Path(synaptic.__file__).parent.parent)
    yield parent
    for path in dict.fromkeys(sys.path):
        known = path in own or path == parent or path.endswith((".zip", "/lib-dynload"))
        if path and not known and Path(path).is_dir():
            yield path
