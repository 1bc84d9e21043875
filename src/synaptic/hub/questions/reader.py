"""The hub as a person asks it: with a token to read, and a signature to answer."""

import base64
from pathlib import Path
from typing import Any

import msgspec

from synaptic.files.bounded import UnreadableFile, read_content
from synaptic.files.replace import make_folders, replace_file
from synaptic.hub.bundles.from_hub import HubAccess
from synaptic.hub.extra import require_extra
from synaptic.hub.place import HubPlace
from synaptic.hub.shipping.hub_client import check_url, make_trust
from synaptic.hub.wire import API, HostQuestion
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home
from synaptic.work.event_words import show_line

with require_extra("hub"):
    import httpx

SECONDS = 30.0
MOST_ANSWER = 32 << 20
MOST_QUESTIONS = 500
MOST_WORDS = 300
LOGIN_HINT = "type: synaptic hub login URL"


class AskedQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """One question of one host, as the hub says it, and what was answered that is on its way."""

    host: str
    question: HostQuestion
    says: str = ""
    person: str = ""


class _Questions(msgspec.Struct, frozen=True):
    questions: tuple[AskedQuestion, ...] = ()


class HubReader:
    """One person's connection. Raises SynapticError for an address that must not be used."""

    def __init__(self, access: HubAccess) -> None:
        self.url = check_url(access.url)
        self._http = httpx.Client(
            trust_env=False,  # a proxy that a repository's variables name would read the token
            verify=make_trust(access.certificate),
            follow_redirects=False,
            timeout=SECONDS,
            headers={"authorization": f"Bearer {access.token}", "accept-encoding": "identity"},
        )

    def __enter__(self) -> "HubReader":
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def list_questions(self) -> tuple[AskedQuestion, ...]:
        """Those whose call waits first, then the newest. Raises SynapticError."""
        body = self._ask("GET", f"/questions?limit={MOST_QUESTIONS}")
        try:
            found = msgspec.json.decode(body, type=_Questions).questions
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise SynapticError("the answer is not that of a hub", where=self.url) from error
        return tuple(sorted(found, key=lambda one: (not one.question.is_held, -one.question.at)))

    def post_answer(self, text: bytes, signature: str) -> None:
        """Raises SynapticError."""
        given = {"text": base64.b64encode(text).decode(), "signature": signature}
        self._ask("POST", "/answers", msgspec.json.encode(given))

    def _ask(self, method: str, path: str, content: bytes = b"") -> bytes:
        headers = {"content-type": "application/json"} if content else {}
        try:
            with self._http.stream(method, f"{self.url}{API}{path}", content=content, headers=headers) as answer:
                body = bytearray()
                for piece in answer.iter_raw():
                    body += piece
                    if len(body) > MOST_ANSWER:
                        raise SynapticError("the hub answers without end", where=self.url)
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            what = show_line(str(error) or type(error).__name__)[:MOST_WORDS]
            raise SynapticError(f"the hub cannot be reached: {what}", where=self.url) from error
        if answer.status_code in (200, 204):
            return bytes(body)
        raise _describe_refusal(answer.status_code, bytes(body), self.url)


def read_access(home: Home) -> HubAccess:
    """The hub where this person reads. Raises SynapticError where there is none."""
    path = HubPlace.of(home).access
    content = read_content(str(path), 64 << 10)
    if content is None:
        raise SynapticError("you are known at no hub", hint=LOGIN_HINT)
    if isinstance(content, UnreadableFile):
        raise SynapticError(content.why, where=str(path))
    try:
        return msgspec.json.decode(content, type=HubAccess)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise SynapticError("cannot be understood", where=str(path), hint=LOGIN_HINT) from error


def write_access(home: Home, access: HubAccess) -> None:
    """Keep it, for its user alone. Raises SynapticError for an address that must not be used."""
    place = HubPlace.of(home)
    kept = msgspec.structs.replace(access, url=check_url(access.url))
    make_folders(place.root, 0o700)
    replace_file(place.access, msgspec.json.encode(kept) + b"\n", 0o600)
    Path(place.access).chmod(0o600)  # one that was there keeps its mode


def _describe_refusal(status: int, body: bytes, where: str) -> SynapticError:
    """What the hub says about it; it is somebody else's text."""
    try:
        said: Any = msgspec.json.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        said = {}
    words = {key: value for key, value in said.items() if isinstance(value, str)} if isinstance(said, dict) else {}
    told, hint = (show_line(words.get(key, "")[:MOST_WORDS]) for key in ("error", "hint"))
    return SynapticError(f"the hub says {status}" + (f": {told}" if told else ""), where=where, hint=hint)
