"""A person's client: where a token goes, and what an answer may do to whoever asked."""

import http.server
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from synaptic.hub import client
from synaptic.hub.address import check_url
from synaptic.hub.answers import HostAnswer
from synaptic.hub.client import HubAccess, PersonClient, forget_access, keep_access, read_access
from synaptic.hub.place import HubPlace
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home


class WrongHub:
    """Answers with whatever it was told, and keeps what it was asked."""

    def __init__(self) -> None:
        self.status, self.headers, self.body = 200, {}, b"{}"
        self.asked: list[tuple[str, str]] = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append((self.path, self.headers.get("authorization", "")))
                self.send_response(outer.status)
                for name, value in outer.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(outer.body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def wrong() -> Iterator[WrongHub]:
    made = WrongHub()
    yield made
    made.server.shutdown()
    made.server.server_close()


def ask(url: str) -> list[HostAnswer]:
    with PersonClient(HubAccess(url=url, token="synhub_x")) as found:
        return found.ask("hosts", list[HostAnswer], limit=1)


@pytest.mark.parametrize(
    "body",
    [b"", b"null", b"[]", b"{}", b'{"hosts": 1}', b'{"hosts": [{}]}', b'{"hosts": [{"id": 5}]}', b"\xff\xfe", b"<html>",
     b"[" * 100_000, b'{"hosts": [{"id": "a", "seq": 1e999}]}'],
)  # fmt: skip
def test_what_is_no_answer_is_said_to_be_none(wrong: WrongHub, body: bytes) -> None:
    wrong.body = body
    with pytest.raises(SynapticError, match="does not answer as a hub"):
        ask(wrong.url)


def test_what_a_newer_hub_adds_is_passed_over(wrong: WrongHub) -> None:
    wrong.body = b'{"hosts": [{"id": "a", "more": [1], "status": {"version": "9", "new": {}}}], "also": 1}'
    assert [(one.id, one.status.version if one.status else "") for one in ask(wrong.url)] == [("a", "9")]
    assert wrong.asked == [("/api/v1/hosts?limit=1", "Bearer synhub_x")]


def test_a_redirect_takes_no_token_along(wrong: WrongHub) -> None:
    other = WrongHub()
    wrong.status, wrong.headers = 302, {"location": other.url}
    with pytest.raises(SynapticError, match="leads to another"):
        ask(wrong.url)
    assert not other.asked
    other.server.shutdown()
    other.server.server_close()


def test_words_of_a_hub_cannot_drive_a_terminal(wrong: WrongHub) -> None:
    wrong.status, wrong.body = 503, b'{"error": "away \x1b]0;x\\u001b[31m\\u202e", "hint": ["\\u0007"]}'
    with pytest.raises(SynapticError) as found:
        ask(wrong.url)
    assert not any(sign in str(found.value) for sign in "\x1b\u202e\x07")
    wrong.body = b'{"error": "' + b"x" * 5000 + b'"}'
    with pytest.raises(SynapticError) as found:
        ask(wrong.url)
    assert len(str(found.value)) < 500


def test_an_answer_without_end_is_left(wrong: WrongHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "MOST_ANSWER", 1000)
    wrong.body = b'{"hosts": ["' + b"x" * 5000 + b'"]}'
    with pytest.raises(SynapticError, match="has no end"):
        ask(wrong.url)


def test_nobody_there_and_unknown_tokens_are_told(wrong: WrongHub) -> None:
    wrong.status = 401
    with pytest.raises(SynapticError, match="does not know your token"):
        ask(wrong.url)
    with pytest.raises(SynapticError, match="cannot be reached"):
        ask("http://127.0.0.1:9")


@pytest.mark.parametrize(
    "url",
    ["", "hub.example", "ftp://hub.example", "http://hub.example", "https://", "https://a@b", "https://a:b@c", "https://a?x=1",
     "https://a#x", "https://a:99999", "https://[::1", "file:///etc/passwd", "https://a\x1b[31m", "http://127.0.0.1.evil.example"],
)  # fmt: skip
def test_a_token_goes_only_where_it_is_safe(url: str) -> None:
    with pytest.raises(SynapticError):
        check_url(url)


def test_addresses_that_are_taken() -> None:
    assert check_url("https://hub.example/") == "https://hub.example"
    assert check_url(" https://hub.example:7480/team/ ") == "https://hub.example:7480/team"
    assert check_url("http://127.0.0.1:7480") == "http://127.0.0.1:7480"


def test_what_is_kept_is_its_users_alone_and_variables_count_before_it(tmp_path: Path) -> None:
    home = Home(tmp_path / ".synaptic")
    with pytest.raises(SynapticError, match="no hub is set up") as found:
        read_access(home, {})
    assert "synaptic hub login URL" in str(found.value)
    keep_access(home, HubAccess(url="https://hub.example", token="synhub_a"))
    assert stat.S_IMODE(HubPlace.of(home).access.stat().st_mode) == 0o600
    assert read_access(home, {}).token == "synhub_a"
    assert read_access(home, {"SYNAPTIC_HUB_TOKEN": "synhub_b"}).token == "synhub_b"
    with pytest.raises(SynapticError, match="another hub"):
        read_access(home, {"SYNAPTIC_HUB_URL": "https://evil.example"})
    both = {"SYNAPTIC_HUB_URL": "https://other.example", "SYNAPTIC_HUB_TOKEN": "synhub_c"}
    assert read_access(home, both).url == "https://other.example"
    HubPlace.of(home).access.write_bytes(b"{")
    with pytest.raises(SynapticError, match="of no use"):
        read_access(home, {})
    assert forget_access(home)
    assert not forget_access(home)
