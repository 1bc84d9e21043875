"""Agents' http hooks on loopback: a token, this machine's own name, and no web page."""

import http.client
import json
import stat

import pytest

from synaptic.daemon import http as listener
from tests.daemon.setting import BLOCK, Setting


@pytest.fixture
def listening(setting: Setting) -> Setting:
    setting.config('trust = "all"\n[http]\nenabled = true\nport = 0\n')
    setting.install()
    setting.start()
    assert setting.wait_for(listener.locate_port(setting.home).exists)
    return setting


def post(setting: Setting, path: str, body: bytes, **headers: str) -> tuple[int, bytes]:
    port = int(listener.locate_port(setting.home).read_text())
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", path, body, headers)
    answer = connection.getresponse()
    return answer.status, answer.read()


def bearer(setting: Setting) -> str:
    return f"Bearer {listener.read_loopback_token(setting.home)}"


def test_an_http_hook_gets_the_answer_that_dispatch_would_print(listening: Setting) -> None:
    listening.register("guard", BLOCK)
    payload = json.dumps(listening.payload()).encode()
    status, body = post(listening, "/hook/claude/PreToolUse", payload, Authorization=bearer(listening))
    assert status == 200
    assert body == listening.answer(listening.elsewhere()).stdout
    assert json.loads(body)["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_nothing_to_say_is_an_empty_object(listening: Setting) -> None:
    payload = json.dumps(listening.payload("PreCompact", trigger="auto")).encode()
    assert post(listening, "/hook/claude/PreCompact", payload, Authorization=bearer(listening)) == (200, b"{}")


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": "right", "Origin": "http://evil.example"},
        {"Host": "evil.example"},
    ],
)
def test_who_does_not_belong_here_is_refused(listening: Setting, headers: dict[str, str]) -> None:
    if headers.get("Authorization") == "right":
        headers = {**headers, "Authorization": bearer(listening)}
    status, _ = post(listening, "/hook/claude/PreToolUse", b"{}", **headers)
    assert status == 403
    assert listening.entries() == ()


def test_the_token_is_private_and_stays(listening: Setting) -> None:
    path = listening.home.root / "token"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert listener.read_loopback_token(listening.home) == path.read_text()


@pytest.mark.parametrize("left", ["", " \n", "short"])
def test_a_token_that_was_never_written_to_its_end_lets_nobody_in(setting: Setting, left: str) -> None:
    path = setting.home.root / "token"
    path.write_text(left)
    token = listener.read_loopback_token(setting.home)
    assert len(token) >= 40
    assert path.read_text() == token
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_token_opens_hooks_only(listening: Setting) -> None:
    body = b'{"jsonrpc":"2.0","id":7,"method":"rpc.methods"}'
    status, _ = post(listening, "/rpc", body, Authorization=bearer(listening))
    assert status == 404
