"""`inbox --hub`, `person` and `hub login` as they are typed, before a hub that answers what a test wants."""

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import msgspec
import pytest

from synaptic.cli.main import FOR_PEOPLE_EXIT
from synaptic.hub.keys import SecretKey
from synaptic.hub.questions.seal import sign_question
from synaptic.hub.wire import HostQuestion
from tests.cli.conftest import User

TOKEN = "synhub_right"


class Hub:
    """What persons may ask, and what they have sent."""

    def __init__(self) -> None:
        self.rows: list[dict[str, object]] = []
        self.sent: list[dict[str, str]] = []
        self.key = SecretKey.make()
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: object) -> None:
                pass

            def do_GET(self) -> None:
                if self.headers["authorization"] != f"Bearer {TOKEN}":
                    return self._say(401, {"error": "a token is needed\x1b[2J"})
                return self._say(200, {"questions": hub.rows, "hosts": []})

            def do_POST(self) -> None:
                hub.sent.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
                self._say(409, {"error": "too late"})

            def _say(self, status: int, value: object) -> None:
                body = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def ask(self, host: str = "build-7", **changes: object) -> HostQuestion:
        usual = {"mark": "m1", "code": "k7qmd", "at": time.time(), "policies": ("git.clean",), "acts": "a",
                 "shown": "git clean -xfd", "agent": "codex", "project": "~/p", "session": "s1"}  # fmt: skip
        asked = sign_question(host, HostQuestion(**{**usual, **changes}), self.key)
        self.rows.append({"host": host, "question": msgspec.to_builtins(asked)})
        return asked

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def hub() -> Iterator[Hub]:
    made = Hub()
    yield made
    made.close()


@pytest.fixture
def known(user: User, hub: Hub) -> User:
    assert user.types("person", "key", "ada").code == 0
    assert user.runs("hub", "login", hub.url, stdin=TOKEN).code == 0
    return user


def test_a_person_has_to_be_known_first(user: User, hub: Hub) -> None:
    told = user.types("inbox", "--hub")
    assert told.code != 0 and "synaptic hub login" in told.err
    told = user.runs("hub", "login", hub.url, stdin="wrong")
    assert told.code != 0 and "does not know your token" in told.err and "\x1b" not in told.err
    told = user.types("inbox", "allow", "k7qmd", "--hub", "--yes")
    assert told.code != 0 and "synaptic person key" in told.err
    told = user.runs("hub", "login", "http://hub.example.org", stdin=TOKEN)
    assert told.code != 0 and "http:// is for this machine alone" in told.err


def test_the_lines_for_the_bundle(user: User) -> None:
    made = user.types("person", "key", "ada")
    assert made.out.startswith('[people."ada"]\nkey = "RW')
    assert user.types("person", "show").out == made.out
    assert user.types("person", "show", "--json").json["name"] == "ada"


def test_held_ones_come_first_and_doubt_is_shown(known: User, hub: Hub) -> None:
    hub.ask(code="aaaaa", mark="m0")
    hub.ask(code="bbbbb", mark="m1", is_held=True, at=1.0, shown="rm\x1b[2J x")
    hub.ask(code="ccccc", mark="m2")
    hub.rows[2]["question"]["shown"] = "ls"
    told = known.types("inbox", "--hub").out
    assert told.index("bbbbb") < told.index("aaaaa")
    assert "waits now" in told and "\x1b" not in told
    assert "never seen from here" in told
    assert "not its machine's words" in told and "ls" not in told.partition("ccccc")[2].partition("\n")[0]
    found = known.types("inbox", "--hub", "--json").json
    assert [one["question"]["code"] for one in found["questions"]] == ["bbbbb", "ccccc", "aaaaa"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("zzzzz", "--yes"), "no machine asks"),
        (("k7qmd",), "nobody can be asked here"),
        (("k7qmd", "--once", "--here", "--yes"), "give one of"),
        (("k7qmd", "--for", "soon", "--yes"), "is no time"),
        (("twice", "--yes"), "--host"),
        (("shut1", "--yes"), "lets nobody at the hub lift"),
        (("roots", "--here", "--yes"), "no project"),
        (("forge", "--yes"), "signature is wrong"),
    ],
)
def test_what_is_not_signed(known: User, hub: Hub, words: tuple[str, ...], told: str) -> None:
    hub.ask()
    hub.ask(code="twice", mark="m3")
    hub.ask("build-8", code="twice", mark="m3")
    hub.ask(code="shut1", mark="m4", is_grantable=False)
    hub.ask(code="roots", mark="m5", project="")
    hub.ask(code="forge", mark="m6")
    hub.rows[-1]["question"]["shown"] = "ls"
    shown = known.types("inbox", "allow", *words, "--hub")
    assert shown.code != 0
    assert told in shown.err
    assert hub.sent == []


def test_where_nobody_can_tell_who_asks_nothing_is_signed(known: User, hub: Hub) -> None:
    hub.ask()
    shown = known.types("inbox", "allow", "k7qmd", "--hub", "--yes")
    assert shown.code != 0 and "PIN" in shown.err
    assert hub.sent == []


def test_an_agent_neither_reads_nor_answers(known: User, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.ask()
    monkeypatch.setenv("CLAUDECODE", "1")
    for words in (
        ("inbox", "--hub"),
        ("inbox", "--hub", "--json"),
        ("inbox", "allow", "k7qmd", "--hub", "--yes"),
        ("inbox", "uphold", "k7qmd", "--hub", "--yes"),
        ("person", "key", "eve"),
        ("hub", "login", hub.url),
    ):
        assert known.types(*words).code == FOR_PEOPLE_EXIT, words
    assert hub.sent == []


def test_without_the_option_the_other_verb_is_named(user: User) -> None:
    assert "synaptic allow k7qmd" in user.types("inbox", "allow", "k7qmd").err
