"""The files that pages name, compressed once, under names that change with their contents."""

import gzip
import hashlib
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

import msgspec
from starlette.responses import Response

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
    return {**read_folder(FOLDER, ""), **read_folder(FOLDER / "vendor", "vendor/")}


def read_folder(folder: Traversable, prefix: str) -> dict[str, Asset]:
    """The files of one folder that pages may name."""
    found = {}
    for file in folder.iterdir():
        kind = KINDS.get(file.name[file.name.rfind(".") :])
        if kind:
            content = file.read_bytes()
            digest = hashlib.sha256(content).hexdigest()
            found[f"{prefix}{file.name}"] = Asset(content, gzip.compress(content, 9, mtime=0), kind, digest)
    return found


def make_address(name: str) -> str:
    """Where a page finds a file, as it is now."""
    return address_asset(name, load_assets()[name])


def address_asset(name: str, asset: Asset) -> str:
    """Under its name, and a part of what it holds."""
    return f"/static/{name}?{asset.digest[:12]}"


def send_asset(asset: Asset | None, encodings: str) -> Response:
    """A file, packed where the browser takes that."""
    if asset is None:
        return Response(status_code=404)
    headers = {"cache-control": FOR_EVER, "vary": "accept-encoding"}
    if "gzip" in encodings:
        return Response(asset.packed, headers={**headers, "content-encoding": "gzip"}, media_type=asset.kind)
    return Response(asset.content, headers=headers, media_type=asset.kind)
