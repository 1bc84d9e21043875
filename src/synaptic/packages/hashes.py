"""Hashes that identify a package (one text, all files together), and the check of its paths."""

import hashlib
from collections.abc import Iterable
from pathlib import PurePosixPath

from synaptic.model.refusal import Refusal
from synaptic.packages.rows import Bundle, PackageFile

RUNTIME_FOLDERS = (".synaptic", ".claude")
"""Folders of the place a package is installed to; a package names none of them."""
PATH_LIMIT = 512
PATH_HINT = "write it relative to package.toml"


def hash_text(text: str) -> str:
    """sha256 of a text's UTF-8 bytes, in hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def hash_pairs(pairs: Iterable[tuple[str, str]]) -> str:
    """Hash (path, sha256) pairs together, whatever their order."""
    return hash_text("\n".join(f"{path}:{sha}" for path, sha in sorted(pairs)))


def hash_files(files: Iterable[PackageFile]) -> str:
    """Hash all files together by their recorded hashes."""
    return hash_pairs((file.dest_path, file.sha256) for file in files)


def find_corrupt(bundle: Bundle) -> tuple[str, ...]:
    """Find what does not match its hash: paths, and `(aggregate)` for the package's own hash."""
    bad = [file.dest_path for file in bundle.files if hash_text(file.content) != file.sha256]
    whole = () if bundle.package.sha256 == hash_files(bundle.files) else ("(aggregate)",)
    return (*bad, *whole)


def refuse_corrupt(bundle: Bundle) -> None:
    """Raise Refusal for a package that is not what was published."""
    if bad := find_corrupt(bundle):
        problem = f"`{bundle.package.name}` does not match its hashes: {', '.join(bad)}"
        raise Refusal("blocked", problem, hint="import it again")


def check_package_path(path: str) -> str:
    """Return the path if it stays inside the package's folder; raises Refusal before anything is read or written."""
    pure = PurePosixPath(path)
    problem = (
        (not path.strip() and "is empty")
        or ((pure.is_absolute() or "\\" in path or path[1:2] == ":") and "is absolute or written with backslashes")
        or (".." in pure.parts and "leads out of the package")
        or ((str(pure) != path or path == ".") and f"must be written `{pure}`")
        or (not path.isprintable() and "holds characters that cannot be printed")
        or (len(path) > PATH_LIMIT and f"is longer than {PATH_LIMIT} characters")
        # A package that writes `.claude/settings.json` would register hooks past the plan that the user sees.
        or (pure.parts[0] in RUNTIME_FOLDERS and f"names the runtime folder {pure.parts[0]}")
    )
    if problem:
        raise Refusal("validation_failed", f"the path `{path[:200]}` {problem}", hint=PATH_HINT)
    return path
