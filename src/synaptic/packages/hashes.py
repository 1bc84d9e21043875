"""Hashes that identify a package: one text, all files together."""

import hashlib
from collections.abc import Iterable

from synaptic.model.refusal import Refusal
from synaptic.packages.rows import Bundle, PackageFile


def hash_text(text: str) -> str:
    """sha256 of a text's UTF-8 bytes, in hex."""
    return hash_bytes(text.encode())


def hash_bytes(data: bytes) -> str:
    """sha256 of bytes, in hex."""
    return hashlib.sha256(data).hexdigest()


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
