"""Who gets in, and who does not, whatever is sent."""

import os
import re
import subprocess
import sys
import time

import pytest

from synaptic.web.door import LINK_SECONDS, MOST_BROWSERS, MOST_LINKS, ConsoleDoor, is_form_token
from tests.daemon.setting import Setting
from tests.web.asking import ask, enter
from tests.web.console import WebConsole

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
connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
connection.request("GET", sys.argv[2])
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
    code = _run_below_an_agent(running, [sys.executable, "-c", ASK, str(console.port), path])
    assert code.startswith("403 Refused: the console is for people"), code
    assert ask(console, path).status == 303  # and the link is not used up


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
