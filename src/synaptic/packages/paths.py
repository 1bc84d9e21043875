"""Which names and paths packages may have: the one check for registries, lockfiles, manifests and authors' folders.

A path that comes from somebody else is used only after it was here. What is allowed is what an author's folder can
hold: plain relative paths without hidden parts, written the same way on every file system.
"""

import re
import unicodedata
from collections.abc import Iterable
from pathlib import PurePosixPath

from synaptic.model.refusal import Refusal

PACKAGE_NAME = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,126}[a-z0-9_-])?")
VERSION_TEXT = re.compile(r"[0-9][0-9A-Za-z.+-]{0,63}")
SHARED_FOLDERS = {"agent": "agents", "command": "commands"}
"""File types that go to a shared folder by their base name, because agents look for them there."""
PATH_LIMIT = 512
PART_LIMIT = 200
"""Bytes of one name: file systems end at 255, and a temporary name beside it is longer."""
MAX_DEPTH = 16
RESERVED_NAMES = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))}
)
"""Names of devices on Windows, with whatever extension: a repository that holds one cannot be checked out there."""
PATH_HINT = "write it relative to package.toml"


def check_package_name(name: str) -> str:
    """Return the name if it can be a folder's; raises Refusal otherwise."""
    if not PACKAGE_NAME.fullmatch(name) or name.partition(".")[0] in RESERVED_NAMES:
        hint = "lower case letters, digits, `.`, `_` and `-`"
        raise Refusal("validation_failed", f"`{name[:80]!a}` is no name of a package", hint=hint)
    return name


def check_version(version: str) -> str:
    """Return the version if it is a short text that begins with a digit; raises Refusal otherwise."""
    if not VERSION_TEXT.fullmatch(version):
        raise Refusal("validation_failed", f"`{version[:80]!a}` is no version", hint="such as 1.2.0")
    return version


def check_package_path(path: str) -> str:
    """Return the path if it stays inside the package's folder; raises Refusal before anything is read or written."""
    if problem := _find_path_problem(path):
        raise Refusal("validation_failed", f"the path `{_show_path(path)}` {problem}", hint=PATH_HINT)
    return path


def check_installed_path(path: str, package: str) -> str:
    """Return the path, below a site, of a file that this package may have there; raises Refusal for any other."""
    first, _, rest = path.partition("/")
    owner, _, own = rest.partition("/")
    if first == "skills" and owner == package:
        check_package_path(own)
    elif first in SHARED_FOLDERS.values() and "/" not in rest:
        check_package_path(rest)
    else:
        problem = f"`{_show_path(path)}` is no place for a file of {package}"
        raise Refusal("validation_failed", problem, hint=f"its files are below skills/{package}")
    return path


def locate_installed(package: str, file_type: str, path: str) -> str:
    """The path below a site that a package's file is installed at, without the ending of a template."""
    shared = SHARED_FOLDERS.get(file_type)
    return f"{shared}/{PurePosixPath(path).name}" if shared else f"skills/{package}/{path}"


def refuse_collisions(paths: Iterable[str], where: str) -> None:
    """Raise Refusal for two paths that some file system takes for one, or of which one is the other's folder."""
    files: dict[str, str] = {}
    for path in paths:
        key = _fold_path(path)
        if key in files:
            raise Refusal("validation_failed", f"two of its files become {path}", where=where, hint=files[key])
        files[key] = path
    for key, path in files.items():
        for folder in PurePosixPath(key).parents:
            if str(folder) in files:
                problem = f"{files[str(folder)]} is a file and the folder of {path}"
                raise Refusal("validation_failed", problem, where=where)


def _fold_path(path: str) -> str:
    """The path as the least careful file systems compare it: without case, in one normal form."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", path).casefold())


def _find_path_problem(path: str) -> str:
    pure = PurePosixPath(path)
    return (
        (not path.strip() and "is empty")
        or (len(path) > PATH_LIMIT and f"is longer than {PATH_LIMIT} characters")
        or (not path.isprintable() and "holds characters that cannot be printed")
        or ((pure.is_absolute() or "\\" in path or path[1:2] == ":") and "is absolute or written with backslashes")
        or (".." in pure.parts and "leads out of the package")
        or ((str(pure) != path or path == ".") and f"must be written `{pure}`")
        or (len(pure.parts) > MAX_DEPTH and f"is more than {MAX_DEPTH} folders deep")
        or (unicodedata.normalize("NFC", path) != path and "is not written in Unicode's normal form (NFC)")
        or next(filter(None, map(_find_part_problem, pure.parts)), "")
        or ""
    )


def _find_part_problem(part: str) -> str:
    # Hidden parts decide what programs do: `.git/config`, `.claude/settings.json`, `.synaptic/config.toml`, `.envrc`.
    if _fold_path(part).startswith("."):
        return f"names the hidden `{part}`, and hidden files belong to no package"
    if part.endswith((".", " ")) or part.startswith(" "):
        return f"has a blank or a dot at the end of `{part}`"
    if part.partition(".")[0].casefold() in RESERVED_NAMES:
        return f"names `{part}`, which is a device on some systems"
    return f"has a name of more than {PART_LIMIT} bytes" if len(part.encode()) > PART_LIMIT else ""


def _show_path(path: str) -> str:
    shown = path[:200]
    return shown if shown.isprintable() else ascii(shown)[1:-1]
