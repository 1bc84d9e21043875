"""The files that pages name, compressed once, under names that change with their contents."""

import gzip
import hashlib
from functools import cache
from importlib.resources import files

import msgspec

KINDS = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
FOLDER = files("synaptic.web") / "static"
FOR_EVER = "private, max-age=31536000, immutable"


class Asset(msgspec.Struct, frozen=True):
    """One file as it is sent."""

    content: bytes
    packed: bytes
    kind: str
    digest: str


@cache
def load_assets() -> dict[str, Asset]:
    """All files, by their path below `static`."""
    found = {}
    for folder, prefix in ((FOLDER, ""), (FOLDER / "vendor", "vendor/")):
        for file in folder.iterdir():
            kind = KINDS.get(file.name[file.name.rfind(".") :])
            if kind:
                content = file.read_bytes()
                digest = hashlib.sha256(content).hexdigest()
                found[f"{prefix}{file.name}"] = Asset(content, gzip.compress(content, 9, mtime=0), kind, digest)
    return found


def make_address(name: str) -> str:
    """Where a page finds a file, as it is now."""
    return f"/static/{name}?{load_assets()[name].digest[:12]}"
