"""A bundle of the hub that this host has joined, and one that is put there."""

import base64
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from synaptic.files.bounded import UnreadableFile, read_content
from synaptic.hub.bundles.pin import read_membership
from synaptic.hub.extra import require_extra
from synaptic.hub.keys import SecretKey, make_request_text
from synaptic.hub.place import HubPlace, Membership
from synaptic.hub.wire import API, MOST_BATCH_BYTES, SignedBundle
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home

HUB_SECONDS = 30.0
TARGET = f"{API}/bundle"
HEADERS = "x-synaptic-host", "x-synaptic-at", "x-synaptic-signature"


class HubAccess(msgspec.Struct, frozen=True):
    """A person's token, and the hub that it is for."""

    url: str = ""
    token: str = ""
    certificate: str = ""


class HubAnswer(msgspec.Struct, frozen=True):
    """What a hub has said, within bounds."""

    status: int
    body: bytes


def fetch_from_hub(home: Home) -> SignedBundle:
    """The hub's bundle, asked for as this host. Raises SynapticError."""
    joined = read_membership(home)
    if joined is None:
        raise SynapticError("this machine has joined no hub", hint="synaptic join URL")
    answer = _ask(joined.url, "GET", sign_request(home, joined, "GET", TARGET), certificate=joined.certificate)
    if answer.status == 404:
        raise SynapticError("the hub has no bundle", where=joined.url)
    _require_ok(answer, joined.url)
    try:
        return msgspec.json.decode(answer.body, type=SignedBundle)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise SynapticError("the hub's answer is no bundle", where=joined.url) from error


def publish_to_hub(home: Home, url: str, signed: SignedBundle, token: str = "") -> None:
    """Put a bundle there as an administrator. Raises SynapticError."""
    access = HubAccess(url, token) if token else _read_access(home, url)
    headers = {"authorization": f"Bearer {access.token}", "content-type": "application/json"}
    joined = read_membership(home)
    known = joined.certificate if joined and joined.url.rstrip("/") == url.rstrip("/") else ""
    answer = _ask(url, "POST", headers, msgspec.json.encode(signed), access.certificate or known)
    _require_ok(answer, url)


def sign_request(home: Home, joined: Membership, method: str, target: str, body: bytes = b"") -> dict[str, str]:
    """The headers by which a hub knows who asks. Raises SynapticError."""
    path = HubPlace.of(home).host_key
    try:
        key = SecretKey.read(path)
    except OSError as error:
        raise SynapticError(f"the host's key cannot be read: {error.strerror}", where=str(path)) from error
    at = f"{time.time():.0f}"
    signature = key.sign_plain(make_request_text(method, target, at, body))
    return dict(zip(HEADERS, (joined.host, at, base64.b64encode(signature).decode()), strict=True))


def _read_access(home: Home, url: str) -> HubAccess:
    path = HubPlace.of(home).access
    content = read_content(str(path), 64 << 10)
    if content is None or isinstance(content, UnreadableFile):
        raise SynapticError("there is no token for a hub", where=str(path), hint="set SYNAPTIC_HUB_TOKEN")
    try:
        access = msgspec.json.decode(content, type=HubAccess)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise SynapticError("cannot be understood", where=str(path), hint="set SYNAPTIC_HUB_TOKEN") from error
    # A token goes to the hub that it is for, and to nobody else who is named.
    if access.url.rstrip("/") != url.rstrip("/") or not access.token:
        raise SynapticError(f"the token in it is for {access.url or 'no hub'}", where=str(path))
    return access


def _ask(url: str, method: str, headers: dict[str, str], body: bytes = b"", certificate: str = "") -> HubAnswer:
    with require_extra("hub"):
        import httpx  # noqa: PLC0415 - only who talks to a hub needs it

    if urlsplit(url).scheme not in ("http", "https"):
        raise SynapticError(f"`{url[:200]}` is no address of a hub", hint="https://hub.example")
    try:
        # No redirect: a token is for one address.
        with (
            httpx.Client(timeout=HUB_SECONDS, verify=_choose_certificates(certificate), follow_redirects=False) as hub,
            hub.stream(method, url.rstrip("/") + TARGET, headers=headers, content=body) as answer,
        ):
            read = bytearray()
            for part in answer.iter_bytes(1 << 16):
                read += part
                if len(read) > MOST_BATCH_BYTES:
                    raise SynapticError("the hub's answer is too long", where=url)
            return HubAnswer(answer.status_code, bytes(read))
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        raise SynapticError(f"the hub does not answer: {error}"[:300], where=url) from error


def _choose_certificates(file: str) -> Any:
    if not file:
        return True
    import ssl  # noqa: PLC0415 - as above

    try:
        return ssl.create_default_context(cafile=str(Path(file)))
    except (OSError, ssl.SSLError) as error:
        raise SynapticError(f"the hub's certificate cannot be read: {error}", where=file) from error


def _require_ok(answer: HubAnswer, url: str) -> None:
    if answer.status in (200, 201, 204):
        return
    try:
        said = msgspec.json.decode(answer.body, type=dict[str, str])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        said = {}
    why = said.get("error") or f"status {answer.status}"
    raise SynapticError(f"the hub has refused it: {why[:300]}", where=url, hint=said.get("hint", "")[:300])
