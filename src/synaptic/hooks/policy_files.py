"""Files with policies from outside: which names count, and what each of them says, by digest."""

import hashlib
from collections.abc import Iterator, Mapping

from synaptic.files.bounded import UnreadableFile
from synaptic.hooks.pins import Pins
from synaptic.model.outside import POLICY_FOLDER, Origin, PolicySource

FILE_LIMIT = 256 << 10
"""Bytes of one file."""
MAX_FILES = 50
"""Python files of one folder."""
TEST_NAMES = ("test_", "conftest.")


def is_code(name: str) -> bool:
    """Whether a file of a folder of policies is read: as one with policies, or as one that those import."""
    return name.endswith(".py") and not name.startswith((".", *TEST_NAMES))


def holds_policies(name: str) -> bool:
    """Whether it is asked for policies. What begins with `_` is only imported by others."""
    return is_code(name) and not name.startswith("_")


def make_sources(texts: Mapping[str, bytes | UnreadableFile], origin: Origin) -> tuple[PolicySource, ...]:
    """The files of one folder, by path. A change of one is a change of all: they may import each other.

    One that cannot be read is still a file with policies: else whoever breaks it would be rid of them.
    """
    parts = (hashlib.sha256(f"{path}\0".encode("utf-8", "replace") + _as_bytes(text)) for path, text in texts.items())
    whole = hashlib.sha256(b"".join(part.digest() for part in parts)).hexdigest()
    return tuple(
        PolicySource(
            file=path, origin=origin, digest=whole, trouble=text.why if isinstance(text, UnreadableFile) else ""
        )
        for path, text in texts.items()
        if holds_policies(path.rpartition("/")[2])
    )


def _as_bytes(text: bytes | UnreadableFile) -> bytes:
    return f"unreadable: {text.why}".encode() if isinstance(text, UnreadableFile) else text


def list_pinned_policies(project: Pins, user: Pins) -> tuple[PolicySource, ...]:
    """The files that packages have installed: of the project, and for all projects of the user."""
    return tuple(source for pins in (user, project) for source in _iter_pinned(pins))


def _iter_pinned(pins: Pins) -> Iterator[PolicySource]:
    for name, package in sorted(pins.packages.items()):
        for path, sums in sorted(package.scripts.items()):
            if is_policy_path(path) and holds_policies(path.rpartition("/")[2]):
                yield PolicySource(file=path, origin="package", digest=" ".join(sums), skill=name, site=pins.root)


def is_policy_path(path: str) -> bool:
    """Whether a file of a package is one with policies, or one that they may import: its folder has that name."""
    folder, _, name = path.rpartition("/")
    return folder.rpartition("/")[2] == POLICY_FOLDER and is_code(name)
