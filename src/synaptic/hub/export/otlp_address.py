"""Where a collector is, and the headers that its user has written down for it."""

import os
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import msgspec

from synaptic.files.bounded import FOREIGN_FLAGS, read_handle
from synaptic.hub.place import HubPlace
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home

MOST_HEADERS = 16_384
HINT = "write http://HOST:4318 or https://HOST"


class CollectorAddress(msgspec.Struct, frozen=True):
    """Where a collector is, and what it is told about who asks."""

    url: str
    headers: dict[str, str]
    certificate: str = ""
    """File with the certificates to believe, where the collector has one of its own."""


def read_address(text: str, home: Home) -> CollectorAddress:
    """The address, with the user's own headers. Raises SynapticError."""
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise SynapticError(f"this is no address ({error})", hint=HINT) from error
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise SynapticError("this is no address of a collector", hint=HINT)
    if any(letter <= " " for letter in text):
        raise SynapticError("an address has no spaces", hint=HINT)
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    url = f"{parts.scheme}://{host}{f':{port}' if port else ''}{parts.path.rstrip('/')}"
    place = HubPlace.of(home).root
    certificate = place / "otlp.pem"
    headers = read_headers(place / "otlp-headers") | _make_basic(parts.username, parts.password)
    return CollectorAddress(url, headers, str(certificate) if certificate.exists() else "")


def read_headers(path: Path) -> dict[str, str]:
    """The lines `name: value` of the user's file; nobody else may read it. Raises SynapticError."""
    try:
        handle = os.open(path, FOREIGN_FLAGS)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise SynapticError(f"cannot be read ({error.strerror})", where=str(path)) from error
    try:
        found = os.fstat(handle)
        if found.st_uid != os.geteuid() or found.st_mode & 0o077:
            raise SynapticError("others can read these headers", where=str(path), hint=f"chmod 600 {path}")
        text = read_handle(handle, path, MOST_HEADERS).decode()
    except (OSError, ValueError) as error:
        raise SynapticError("cannot be read", where=str(path)) from error
    finally:
        os.close(handle)
    return dict(_iter_headers(text, str(path)))


def _iter_headers(text: str, where: str) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, colon, value = line.partition(":")
        if not colon or not name.strip() or not f"{name}{value}".isascii() or not f"{name}{value}".isprintable():
            raise SynapticError(f"line {number} is no header", where=where, hint="write NAME: VALUE")
        yield name.strip().lower(), value.strip()


def _make_basic(user: str | None, password: str | None) -> dict[str, str]:
    if not user:
        return {}
    raw = f"{unquote(user)}:{unquote(password or '')}".encode()
    return {"authorization": f"Basic {b64encode(raw).decode()}"}
