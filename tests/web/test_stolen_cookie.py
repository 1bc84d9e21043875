"""A browser's cookie and its form token in other hands: below an agent they open nothing and do nothing."""

import json
import re
import shutil
import subprocess
import sys

import pytest

from synaptic.store import refused
from synaptic.store.db import Store
from tests.daemon.setting import Setting
from tests.security.agent.processes import Machine
from tests.web.asking import ask, enter
from tests.web.console import WebConsole, record

TOKEN = re.compile(r'X-Synaptic-Form": "([\w-]+)"')
PYTHON_POST = """
import sys, urllib.request
request = urllib.request.Request(sys.argv[1], sys.argv[2].encode(), dict(one.split(": ", 1) for one in sys.argv[3:]))
try:
    print(urllib.request.urlopen(request).read().decode())
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode())
"""


def find_refusal(setting: Setting) -> refused.RefusedCall:
    store = Store.open(setting.home)
    try:
        return refused.list_refused(store)[0]
    finally:
        store.close()


@pytest.mark.parametrize("client", ["python", "curl"])
def test_a_request_with_a_stolen_cookie_from_below_an_agent_does_not_act(
    console: WebConsole, running: Setting, client: str
) -> None:
    if client == "curl" and not shutil.which("curl"):
        pytest.skip("curl is not here")
    running.install()
    running.config('presets = ["essentials"]\n')
    record(running, tool_use_id="t2", tool_input={"command": "git reset --hard"})
    cookie = enter(console)
    (token,) = TOKEN.findall(ask(console, "/", Cookie=cookie).text.replace("&#34;", '"'))
    one = find_refusal(running)
    headers = {"Cookie": cookie, "Origin": console.address, "X-Synaptic-Form": token}
    body = f"mark={one.mark}&act=uphold"
    given = [f"{name}: {value}" for name, value in headers.items()]
    (running.project / "post.py").write_text(PYTHON_POST)
    curl = ["curl", "-sS", "-X", "POST", "-d", body, *(word for one in given for word in ("-H", one))]
    words = curl if client == "curl" else [sys.executable, "post.py", f"{console.address}/inbox/answer", body, *given]
    if client == "curl":
        words.append(f"{console.address}/inbox/answer")
    done = Machine(running).try_tool(" ".join(f"'{word}'" for word in words))
    assert "the console is for people" in done.out, (json.dumps(words), done)
    assert find_refusal(running).answer == ""
    # The same request of no agent's reaches the daemon, which asks who it is.
    reply = ask(
        console, "/inbox/answer", "POST", body, **{name.replace("-", "_"): text for name, text in headers.items()}
    )
    assert reply.status == 200 and "pin set" in reply.text
    assert find_refusal(running).answer == ""


def test_another_program_that_no_agent_stands_above_needs_the_pin(console: WebConsole, running: Setting) -> None:
    """It has shed its parents, perhaps: the daemon would see only the console, whose window is a person's."""
    running.config('presets = ["essentials"]\n')
    record(running, tool_use_id="t2", tool_input={"command": "git reset --hard"})
    cookie = enter(console)
    (token,) = TOKEN.findall(ask(console, "/", Cookie=cookie).text.replace("&#34;", '"'))
    one = find_refusal(running)
    headers = {"Cookie": cookie, "Origin": console.address, "X-Synaptic-Form": token}
    given = [f"{name}: {value}" for name, value in headers.items()]
    for wanted in ("uphold", "once"):
        words = [f"{console.address}/inbox/answer", f"mark={one.mark}&act={wanted}", *given]
        said = running.user / f"said-{wanted}"
        # With no parent of ours: a child that runs the same program as its parent counts as that program.
        shed = ["setsid", "-f", "sh", "-c", '"$@" > "$0.new"; mv "$0.new" "$0"', str(said)]
        subprocess.run([*shed, sys.executable, "-c", PYTHON_POST, *words], check=True)
        assert running.wait_for(said.exists)
        assert "not the browser that opened the console" in said.read_text(), wanted
    assert find_refusal(running).answer == ""
