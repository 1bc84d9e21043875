"""What is said to a refusal over HTTP: forms that no page of ours sends, and what the daemon has to say."""

import re
from collections.abc import Iterator

import pytest

from synaptic.store import refused
from synaptic.store.db import Store
from tests.daemon.setting import Setting
from tests.web.asking import Reply, ask, enter
from tests.web.console import WebConsole, record

TOKEN = re.compile(r'X-Synaptic-Form": "([\w-]+)"')


class Visitor:
    """A browser that sends what it likes."""

    def __init__(self, console: WebConsole) -> None:
        self.console = console
        self.cookie = enter(console)
        (self.token,) = TOKEN.findall(self.look("/").text.replace("&#34;", '"'))

    def look(self, path: str) -> Reply:
        return ask(self.console, path, Cookie=self.cookie)

    def say(self, body: str) -> Reply:
        given = {"Cookie": self.cookie, "Origin": self.console.address, "X_Synaptic_Form": self.token}
        return ask(self.console, "/inbox/answer", "POST", body, **given)


@pytest.fixture
def visitor(console: WebConsole) -> Iterator[Visitor]:
    yield Visitor(console)


def refuse(setting: Setting, command: str = "git reset --hard") -> refused.RefusedCall:
    setting.config('presets = ["essentials"]\n')
    record(setting, tool_use_id="t2", tool_input={"command": command})
    return find_refusal(setting)


def find_refusal(setting: Setting) -> refused.RefusedCall:
    store = Store.open(setting.home)
    try:
        return refused.list_refused(store)[0]
    finally:
        store.close()


def test_forms_that_no_page_sends_do_nothing(visitor: Visitor, setting: Setting) -> None:
    one = refuse(setting)
    for body in ("mark=", "mark=%00&act=once", f"mark={'a' * 50_000}&act=once", "mark=%ff%fe&act=%ff", "&&&==&", "x"):
        reply = visitor.say(body)
        assert (reply.status, "not kept any more" in reply.text) == (200, True), body
    for act in ("", "wrong", "session", "once%00", "until", "__class__"):
        reply = visitor.say(f"mark={one.mark}&act={act}&sure=1")
        assert reply.status == 200 and 'value="once"' in reply.text, act
    assert find_refusal(setting).answer == ""
    assert visitor.look("/inbox/answer").status == 405


def test_what_no_exception_can_be_made_to_is_said(visitor: Visitor, setting: Setting) -> None:
    one = refuse(setting)
    setting.config('presets = ["essentials"]\n[grants]\nnever = ["git.reset-hard"]\n')
    try:
        for act in ("once", "always", "here&sure=1"):
            assert "nobody can make an exception to git.reset-hard" in visitor.say(f"mark={one.mark}&act={act}").text
    finally:
        setting.stop()
    assert find_refusal(setting).answer == ""


def test_where_no_daemon_may_run_the_page_says_so(visitor: Visitor, setting: Setting) -> None:
    one = refuse(setting)
    setting.without_daemon()
    reply = visitor.say(f"mark={one.mark}&act=once")
    assert "no daemon runs here" in reply.text
    assert 'value="once"' in reply.text


def test_a_daemon_is_started_where_none_runs(visitor: Visitor, setting: Setting) -> None:
    one = refuse(setting)
    try:
        reply = visitor.say(f"mark={one.mark}&act=uphold")
        assert "synaptic pin set" in reply.text
    finally:
        setting.stop()
    assert find_refusal(setting).answer == ""


def test_a_pin_is_in_no_answer_and_in_no_address(visitor: Visitor, setting: Setting, running: Setting) -> None:
    one = refuse(setting)
    reply = visitor.say(f"mark={one.mark}&act=once&pin=97531&sure=1")
    assert "97531" not in reply.text
    page = visitor.look("/inbox").text
    assert all('method="post"' in form for form in re.findall(r"<form class=\"acts\"[^>]*>", page))
