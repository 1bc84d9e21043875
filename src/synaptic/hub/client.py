"""A person's way to the hub from a terminal: over TLS, with time limits, and with no trust in what it answers."""

import ssl
import time
from collections.abc import Mapping
from typing import Any, Self, TypeVar

import msgspec

from synaptic.files.bounded import read_content
from synaptic.files.replace import replace_own
from synaptic.hub.address import check_url, make_trust
from synaptic.hub.extra import require_extra
from synaptic.hub.place import HubPlace
from synaptic.hub.wire import API
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home
from synaptic.work.event_words import show_line

with require_extra("hub"):
    import httpx

Rows = TypeVar("Rows")
CONNECT_SECONDS, ANSWER_SECONDS, WHOLE_SECONDS = 5.0, 20.0, 30.0
MOST_ANSWER = 16 << 20
MOST_ACCESS = 64 << 10
MOST_WORDS = 300
TOKEN_VARIABLE, URL_VARIABLE = "SYNAPTIC_HUB_TOKEN", "SYNAPTIC_HUB_URL"
LOGIN_HINT = f"type: synaptic hub login URL (in a job: {URL_VARIABLE} and {TOKEN_VARIABLE})"


class HubAccess(msgspec.Struct, frozen=True, kw_only=True):
    """The hub at which a person reads, and with what."""

    url: str
    token: str
    certificate: str = ""
    """File with the certificates to believe, where the hub has one of its own."""


def read_access(home: Home, environ: Mapping[str, str]) -> HubAccess:
    """What was set by `synaptic hub login`; variables count before it. Raises SynapticError."""
    url, token = environ.get(URL_VARIABLE, ""), environ.get(TOKEN_VARIABLE, "")
    kept = None if url and token else _read_kept(HubPlace.of(home))
    # A token goes only to the hub that it is of: another address needs one of its own.
    if url and not token and kept and kept.url != check_url(url):
        raise SynapticError(f"{URL_VARIABLE} names another hub than your token's", hint=f"{TOKEN_VARIABLE}, too")
    if not (url or kept) or not (token or kept):
        raise SynapticError("no hub is set up for you here", hint=LOGIN_HINT)
    found = kept or HubAccess(url="", token="")
    return HubAccess(url=check_url(url or found.url), token=token or found.token, certificate=found.certificate)


def keep_access(home: Home, access: HubAccess) -> None:
    """Readable by its user only. Raises OSError, and SynapticError for an address that must not be used."""
    place = HubPlace.of(home)
    place.root.mkdir(mode=0o700, parents=True, exist_ok=True)
    kept = msgspec.structs.replace(access, url=check_url(access.url))
    replace_own(str(place.access), msgspec.json.encode(kept), 0o600)


def forget_access(home: Home) -> bool:
    """Whether there was any. Raises OSError."""
    try:
        HubPlace.of(home).access.unlink()
    except FileNotFoundError:
        return False
    return True


class PersonClient:
    """Questions to the hub, and what a person sends it. Every failure is a SynapticError that says what to do."""

    def __init__(self, access: HubAccess) -> None:
        self.url = check_url(access.url)
        self._http = httpx.Client(
            trust_env=False,  # a proxy that a repository's variables name would read the token
            verify=make_trust(access.certificate),
            follow_redirects=False,
            timeout=httpx.Timeout(ANSWER_SECONDS, connect=CONNECT_SECONDS),
            headers={"authorization": f"Bearer {_check_token(access.token)}", "accept-encoding": "identity"},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def ask(self, what: str, rows: type[Rows], **wanted: object) -> Rows:
        """The rows that one question has. Raises SynapticError."""
        given = {name: f"{value}" for name, value in wanted.items() if value not in ("", 0, 0.0, None)}
        body = self._fetch("GET", f"/{what}", params=given)
        try:
            found = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
            return msgspec.json.decode(found[what], type=rows)
        except (msgspec.MsgspecError, UnicodeDecodeError, KeyError, RecursionError) as error:
            raise SynapticError("this does not answer as a hub does", where=self.url) from error

    def send(self, what: str, content: bytes) -> None:
        """Hand something over. Raises SynapticError."""
        self._fetch("POST", f"/{what}", content=content, headers={"content-type": "application/json"})

    def _fetch(self, method: str, path: str, **given: Any) -> bytes:
        address, until = f"{self.url}{API}{path}", time.monotonic() + WHOLE_SECONDS
        parts, size = [], 0
        try:
            with self._http.stream(method, address, **given) as answer:
                for part in answer.iter_raw():
                    parts.append(part)
                    size += len(part)
                    if size > MOST_ANSWER or time.monotonic() > until:
                        raise SynapticError("the hub's answer has no end", where=self.url)
        except (httpx.HTTPError, httpx.InvalidURL, ssl.SSLError, OSError, UnicodeError) as error:
            raise SynapticError(
                f"the hub cannot be reached: {_describe(error)}", where=self.url, hint=_hint_of(error)
            ) from error
        if answer.status_code not in (200, 201, 204):
            raise _make_error(answer.status_code, b"".join(parts), self.url)
        return b"".join(parts)


def _read_kept(place: HubPlace) -> HubAccess | None:
    content = read_content(str(place.access), MOST_ACCESS)
    if content is None:
        return None
    try:
        if isinstance(content, bytes):
            return msgspec.json.decode(content, type=HubAccess)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        pass
    raise SynapticError("this file is of no use", where=str(place.access), hint=LOGIN_HINT)


def _make_error(status: int, body: bytes, url: str) -> SynapticError:
    """In the hub's own words where it has some, without what a terminal would take for more than text."""
    told: dict[str, Any] = {}
    try:
        told = msgspec.json.decode(body, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        told = {}
    said, hint = (show_line(str(told.get(name, "")))[:MOST_WORDS] for name in ("error", "hint"))
    if status == 401:
        return SynapticError("the hub does not know your token, or it was revoked", where=url, hint=LOGIN_HINT)
    if 300 <= status < 400:
        return SynapticError("this address leads to another one", where=url, hint="log in at that one")
    return SynapticError(said or f"the hub answered with status {status}", where=url, hint=hint)


def _check_token(token: str) -> str:
    if not token.isascii() or not token.isprintable() or not token or len(token) > 200 or " " in token:
        raise SynapticError("this is no token", hint=LOGIN_HINT)
    return token


def _describe(error: Exception) -> str:
    return show_line(str(error) or type(error).__name__)[:MOST_WORDS]


def _hint_of(error: Exception) -> str:
    return "synaptic hub login URL --certificate FILE" if "CERTIFICATE" in str(error).upper() else ""
