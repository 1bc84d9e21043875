"""Who gets in, and who does not, whatever is sent."""

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest
import uvicorn
from uvicorn.server import ServerState

from synaptic.web.connections import MESSAGE_SECONDS, MOST_STRANGERS, ConsoleProtocol
from synaptic.web.door import LINK_SECONDS, MOST_BROWSERS, MOST_LINKS, ConsoleDoor, is_form_token
from tests.daemon.setting import Setting
from tests.web.asking import ask, enter
from tests.web.console import PATIENCE, WebConsole

AGENT = """
import os, subprocess, sys
said, *command = sys.argv[1:]
call = b'{"session_id": "s1", "cwd": "/", "hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": {}}'
subprocess.run([os.environ["HOME"] + "/.synaptic/bin/dispatch", "PreToolUse"], input=call, stdout=subprocess.DEVNULL)
done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
open(said + ".new", "wb").write(done.stdout)
os.rename(said + ".new", said)
"""
ASK = """
import http.client, sys
connection = http.client.HTTPConnection(*sys.argv[1].removeprefix("http://").split(":"))
connection.request("GET", sys.argv[2], headers=dict(one.split(": ", 1) for one in sys.argv[3:]))
answer = connection.getresponse()
print(answer.status, answer.read().decode())
"""
PLACES = (
    "/",
    "/timeline",
    "/timeline/stream",
    "/static/console.css",
    "/link",
    "/nowhere",
    "/enter",
    "/static/../door.py",
)


def test_without_the_cookie_the_port_answers_nothing(console: WebConsole) -> None:
    for path in PLACES:
        for method in ("GET", "POST", "HEAD", "PUT", "OPTIONS"):
            reply = ask(console, path, method)
            assert reply.status == 403, (path, method)
            assert "synaptic web" in reply.text or "Refused" in reply.text or method == "HEAD"
            assert "set-cookie" not in reply.headers


def test_a_link_opens_once(console: WebConsole) -> None:
    link = console.link.removeprefix(console.address)
    cookie = enter(console)
    again = ask(console, link)
    assert again.status == 403
    assert "somebody else" in again.text
    assert ask(console, "/timeline", Cookie=cookie).status == 200
    assert "too old" in ask(console, "/enter?token=guessed").text


def test_the_cookie_is_for_this_host_and_no_script(console: WebConsole) -> None:
    reply = ask(console, console.take_link().removeprefix(console.address))
    words = {word.strip().lower() for word in reply.headers["set-cookie"].split(";")[1:]}
    assert {"httponly", "samesite=strict", "path=/"} <= words
    assert not any(word.startswith("domain") for word in words)
    assert reply.headers["location"] == "/"
    assert reply.headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1"},
        {"Host": "127.0.0.1:1"},
        {"Host": ""},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ],
)
def test_a_forged_host_or_another_page_gets_nothing(console: WebConsole, headers: dict[str, str]) -> None:
    cookie = enter(console)
    for path in ("/timeline", "/static/console.css"):
        assert ask(console, path, Cookie=cookie, **headers).status == 403


def test_an_act_needs_the_origin_and_what_only_our_pages_know(console: WebConsole) -> None:
    cookie = enter(console)
    page = ask(console, "/timeline", Cookie=cookie).text
    token = re.search(r'"X-Synaptic-Form": "([^"]+)"', page)
    assert token
    right = {"Cookie": cookie, "Origin": console.address, "X_Synaptic_Form": token[1], "Content_Length": "0"}
    assert ask(console, "/link", "POST", **right).status == 200
    for wrong in (
        {"Origin": ""},
        {"X_Synaptic_Form": "x"},
        {"X_Synaptic_Form": ""},
        {"Cookie": ""},
        {"Origin": "null"},
    ):
        assert ask(console, "/link", "POST", **{**right, **wrong}).status == 403, wrong
    assert ask(console, "/link", "POST", **{**right, "Content_Length": "99999999"}).status == 413


def test_a_second_browser_comes_in_by_a_link_of_the_first(console: WebConsole) -> None:
    cookie = enter(console)
    token = re.search(r'"X-Synaptic-Form": "([^"]+)"', ask(console, "/timeline", Cookie=cookie).text)
    assert token
    reply = ask(
        console, "/link", "POST", Cookie=cookie, Origin=console.address, X_Synaptic_Form=token[1], Content_Length="0"
    )
    link = re.search(r"/enter\?token=[\w-]+", reply.text)
    assert link
    assert ask(console, link[0]).status == 303


def test_a_program_below_an_agent_is_refused_whatever_it_knows(console: WebConsole, running: Setting) -> None:
    """It has read the terminal, or the browser's cookies."""
    link = console.link
    path = link.removeprefix(console.address)
    code = _run_below_an_agent(running, [sys.executable, "-c", ASK, console.address, path])
    assert code.startswith("403 Refused: the console is for people"), code
    assert ask(console, path).status == 303  # and the link is not used up


def test_no_header_says_who_asks(console: WebConsole, running: Setting) -> None:
    """A proxy would name its client so, and there is none: a person's connection is open, and an agent names it."""
    path = console.link.removeprefix(console.address)
    with socket.create_connection((console.host, console.port)) as person:
        host, port = person.getsockname()
        named = [f"{name}: {host}:{port}" for name in ("X-Forwarded-For", "Forwarded", "X-Real-IP")]
        code = _run_below_an_agent(running, [sys.executable, "-c", ASK, console.address, path, *named])
    assert code.startswith("403 Refused: the console is for people"), code


@pytest.mark.parametrize("path", ["/timeline", "/now/stream"])
def test_a_page_is_not_read_below_an_agent_either(console: WebConsole, running: Setting, path: str) -> None:
    """A browser sends a cookie to every port of a host: who serves a page there has it."""
    cookie = enter(console)
    assert ask(console, "/timeline", Cookie=cookie).status == 200
    words = [sys.executable, "-c", ASK, console.address, path, f"Cookie: {cookie}"]
    assert _run_below_an_agent(running, words).startswith("403 Refused: the console is for people")


def test_who_only_asks_for_the_head_of_a_link_does_not_use_it_up(console: WebConsole) -> None:
    path = console.take_link().removeprefix(console.address)
    assert ask(console, path, "HEAD").status == 403
    assert ask(console, path).status == 303


def test_the_browser_that_came_in_may_go_back_to_its_link(console: WebConsole) -> None:
    path = console.link.removeprefix(console.address)
    cookie = enter(console)
    again = ask(console, path, Cookie=cookie)
    assert (again.status, again.headers["location"]) == (303, "/")
    assert "set-cookie" not in again.headers
    assert "somebody else" in ask(console, path, Cookie=cookie[:-1]).text


def test_who_has_come_in_is_told_where_it_was_started(console: WebConsole) -> None:
    enter(console)
    console.process.terminate()
    assert f"process {os.getpid()}" in console.process.communicate(timeout=PATIENCE)[1]


def test_each_start_has_an_address_of_its_own(console: WebConsole, setting: Setting) -> None:
    """What browsers keep for an address, scripts and service workers too, may be from whoever had its port before."""
    other = WebConsole(setting)
    try:
        assert other.host != console.host
        assert ask(other, "/", Host=f"127.0.0.1:{other.port}").text.startswith("Refused: this address")
        assert ask(other, "/", Host=f"localhost:{other.port}").text.startswith("Refused: this address")
    finally:
        other.stop()


@pytest.mark.parametrize(
    "begin", [b"GET /", b"GET / HTTP/1.1\r\nA: ", b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"]
)
def test_a_request_without_an_end_does_not_fill_the_memory(console: WebConsole, begin: bytes) -> None:
    with socket.create_connection((console.host, console.port), timeout=PATIENCE) as way:
        way.sendall(begin)
        with pytest.raises(OSError):
            for _ in range(400):
                way.sendall(b"8000\r\n" + b"a" * 0x8000 + b"\r\n" if b"chunked" in begin else b"a" * 0x8000)
    assert ask(console, "/").status == 403


def test_connections_that_say_nothing_keep_nobody_out(console: WebConsole) -> None:
    cookie = enter(console)
    silent = []
    try:
        for _ in range(MOST_STRANGERS + 40):
            silent.append(socket.create_connection((console.host, console.port), timeout=PATIENCE))
            silent[-1].sendall(b"GET / HT")
        assert ask(console, "/timeline", Cookie=cookie).status == 200
        assert silent[0].recv(1) == b""
    except ConnectionResetError:
        pass  # said in another way
    finally:
        for one in silent:
            one.close()


def test_a_request_that_does_not_end_is_given_up() -> None:
    """By the clock of the loop, so that nobody waits for it."""
    now, dropped = [0.0], []
    protocol = make_protocol(lambda: now[0], lambda: dropped.append(now[0]))
    protocol.data_received(b"GET / HTTP/1.1\r\n")
    now[0] = MESSAGE_SECONDS - 1
    protocol.data_received(b"A: b\r\n")
    protocol._drop_slow()
    assert not dropped
    now[0] = MESSAGE_SECONDS
    protocol._drop_slow()
    assert dropped == [MESSAGE_SECONDS]


def test_nonsense_is_no_news_for_a_terminal(console: WebConsole) -> None:
    for text in (b"\x00\x1b[31m\r\n\r\n", b"GET / HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n"):
        with socket.create_connection((console.host, console.port), timeout=PATIENCE) as way:
            way.sendall(text)
            assert way.recv(100).startswith((b"HTTP/1.1 400", b"HTTP/1.1 403"))
    console.process.terminate()
    said = console.process.communicate(timeout=PATIENCE)[1]
    assert "nvalid" not in said and "pip" not in said and "pgrade" not in said, said


def test_an_agent_opens_no_console(running: Setting) -> None:
    said = _run_below_an_agent(running, [sys.executable, "-m", "synaptic.cli.main", "web", "--port", "0"])
    assert "an agent may not open the console" in said


def test_nothing_of_the_door_is_on_disk(console: WebConsole, setting: Setting) -> None:
    token = console.link.partition("token=")[2]
    cookie = enter(console).partition("=")[2]
    for path in setting.user.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert token.encode() not in content, path
            assert cookie.encode() not in content, path


def test_every_answer_carries_the_policy(console: WebConsole) -> None:
    cookie = enter(console)
    for path in ("/timeline", "/static/console.js", "/nowhere"):
        headers = ask(console, path, Cookie=cookie).headers
        assert headers["content-security-policy"].startswith("default-src 'self';"), path
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
    assert ask(console, "/timeline", Cookie=cookie).headers["cache-control"] == "no-store"


def test_links_and_browsers_are_bounded_and_links_age(monkeypatch: pytest.MonkeyPatch) -> None:
    door = ConsoleDoor(1)
    links = [door.make_link() for _ in range(MOST_LINKS + 2)]
    tokens = [link.partition("token=")[2] for link in links]
    assert [bool(door.enter(token)) for token in tokens] == [False, False, *[True] * MOST_LINKS]
    first = door.enter(door.make_link().partition("token=")[2])
    assert first
    for _ in range(MOST_BROWSERS):
        assert door.enter(door.make_link().partition("token=")[2])
    assert door.find_browser(first.cookie) is None
    late = door.make_link().partition("token=")[2]
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + LINK_SECONDS + 1)
    assert door.enter(late) is None


def test_a_token_of_one_browser_is_none_of_another() -> None:
    door = ConsoleDoor(1)
    one, other = (door.enter(door.make_link().partition("token=")[2]) for _ in range(2))
    assert one and other
    assert is_form_token(one, one.form_token)
    assert not is_form_token(one, other.form_token)
    assert not is_form_token(one, one.cookie)
    assert door.find_browser("") is None
    assert door.find_browser("é\udc80") is None


def _run_below_an_agent(setting: Setting, command: list[str]) -> str:
    """What a program prints that a caller of the dispatcher has started."""
    said = setting.user / "said"
    words = [sys.executable, "-c", AGENT, str(said), *command]
    env = {"HOME": str(setting.user), "PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path)}
    # Its own parent goes at once: what calls the dispatcher is an agent, and the tests are not to be one.
    subprocess.run(["setsid", "-f", *words], env=env, check=True)
    assert setting.wait_for(said.exists)
    return said.read_text()


def make_protocol(clock: Callable[[], float], abort: Callable[[], None]) -> ConsoleProtocol:
    """One connection, with a loop and a transport that only say what they are asked."""
    loop = SimpleNamespace(time=clock, call_later=lambda seconds, work: SimpleNamespace(cancel=lambda: None))
    transport = SimpleNamespace(abort=abort, get_extra_info=lambda name: None)
    config = uvicorn.Config(lambda: None, log_config=None, lifespan="off", ws="none")
    protocol = ConsoleProtocol(config, ServerState(), {}, cast(Any, loop))
    protocol.connection_made(cast(Any, transport))
    return protocol
