"""The hub over HTTP: what is refused before anything is sent, and what a hub may not do to a host."""

import asyncio
import socket
import threading
import time

import pytest

from synaptic.hub.keys import SecretKey
from synaptic.hub.place import Membership
from synaptic.hub.shipping.destination import DestinationError
from synaptic.hub.shipping.hub_client import MOST_ANSWER, HubClient, HubRequest, check_url
from synaptic.model.errors import SynapticError
from tests.hub.shipping.fake_hub import FakeHub


@pytest.mark.parametrize(
    "url",
    ["http://hub.example", "ftp://x", "hub.example", "https://", "https://u:p@h", "https://h/?a=b", "http://10.0.0.1",
     "https://h:99999", "http://127.0.0.1.evil.example", "http://localhost.evil.example", "https://h/#x", "", "http://["],
)  # fmt: skip
def test_an_address_that_is_none_or_that_others_could_read_is_refused(url: str):
    with pytest.raises(SynapticError):
        check_url(url)


@pytest.mark.parametrize("url", ["https://hub.example/", "http://127.0.0.1:8", "http://localhost:8", "http://[::1]:8"])
def test_others_are_not(url: str):
    assert check_url(url) == url.rstrip("/")


def ask(hub_url: str, request: HubRequest | None = None):
    async def run():
        client = HubClient(Membership(url=hub_url, host="laptop"), SecretKey.make())
        try:
            return await client.ask(request or HubRequest("GET", "/health"))
        finally:
            await client.close()

    return asyncio.run(run())


def test_a_redirect_is_not_followed(hub: FakeHub):
    hub.refusal = (302, {"location": "http://127.0.0.1:1/"}, b"")
    assert ask(hub.url).status == 302


def test_an_answer_without_end_is_cut_off(hub: FakeHub):
    hub.refusal = (200, {}, b"x" * (MOST_ANSWER + 1))
    with pytest.raises(DestinationError, match="without end"):
        ask(hub.url)


def test_an_answer_that_trickles_is_cut_off():
    listener = socket.create_server(("127.0.0.1", 0))

    def trickle() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n")
            for _ in range(50):
                try:
                    connection.sendall(b"x")
                except OSError:
                    return
                time.sleep(0.1)

    threading.Thread(target=trickle, daemon=True).start()
    started = time.monotonic()
    with pytest.raises(DestinationError):
        ask(f"http://127.0.0.1:{listener.getsockname()[1]}", HubRequest("GET", "/health", seconds=0.5))
    assert time.monotonic() - started < 4
    listener.close()


def test_a_hub_that_is_not_there_is_an_error_of_ours():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(DestinationError, match="cannot be reached"):
        ask(f"http://127.0.0.1:{port}")


@pytest.mark.parametrize("words", [b"\xff\xfe", b"[" * 100_000, b'{"error": 5}', b'{"error": "\\u0000\\ud800"}', b""])
def test_whatever_a_hub_says_is_told_in_one_line(hub: FakeHub, words: bytes):
    hub.refusal = (429, {"retry-after": "7"}, words)

    async def run() -> None:
        client = HubClient(Membership(url=hub.url, host="laptop"), SecretKey.make())
        try:
            await client.fetch_bundle()
        finally:
            await client.close()

    with pytest.raises(DestinationError) as told:
        asyncio.run(run())
    assert told.value.seconds == 7 and not told.value.is_lasting
    assert str(told.value).isprintable()


def test_a_certificate_that_is_none_is_told(tmp_path):
    path = tmp_path / "ca.pem"
    path.write_text("nothing")
    for file in (path, tmp_path / "missing"):
        with pytest.raises(SynapticError):
            HubClient(Membership(url="https://h", host="x", certificate=str(file)))
