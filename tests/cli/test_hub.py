"""`synaptic hub`: its verbs on a real database, and the server as a process."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.cli.conftest import User
from tests.hub.conftest import database, postgres  # noqa: F401 - the same server, for this file too

SYNAPTIC = str(Path(sys.executable).with_name("synaptic"))


def test_the_verbs_of_an_administrator(user: User, database: str):  # noqa: F811
    def types(*words: str, code: int = 0) -> dict:
        shown = user.types("hub", *words, "--database", database, "--json")
        assert shown.code == code, shown
        return json.loads(shown.out)

    assert types("hosts", code=1)["error"]["hint"] == "synaptic hub migrate"
    assert types("migrate")["applied"][0] == "0001_hub.sql"
    assert types("migrate")["applied"] == []
    assert len(types("invite", "--hours", "2")["code"]) == 22
    types("invite", "--hours", "99999", code=1)
    assert types("token", "add", "ada", "--role", "admin")["token"].startswith("synhub_")
    types("token", "add", "ada", code=1)
    types("token", "add", "bob", "--role", "king", code=1)
    assert [one["name"] for one in types("token", "list")["tokens"]] == ["ada"]
    types("token", "revoke", "ada")
    types("token", "revoke", "ada", code=1)
    types("token", "steal", "ada", code=1)
    assert types("hosts")["hosts"] == []
    types("revoke", "nobody", code=1)


def test_a_database_that_is_not_there_is_said_in_one_line(user: User):
    for url in ("postgresql://nobody@127.0.0.1:1/x", "nonsense"):
        shown = user.types("hub", "hosts", "--database", url)
        assert shown.code == 1
        assert "Traceback" not in shown.err


@pytest.mark.parametrize(
    "words",
    [
        ("--listen", "0.0.0.0:0"), ("--listen", "localhost:0"), ("--listen", "[::]:0"), ("--listen", "x"),
        ("--certificate", "nowhere.pem"), ("--certificate", "nowhere.pem", "--key", "nowhere.key"),
    ],
)  # fmt: skip
def test_it_does_not_serve_in_the_clear_beyond_this_machine(user: User, words: tuple[str, ...]):
    shown = user.types("hub", "serve", "--database", "postgresql://nobody@127.0.0.1:1/x", *words)
    assert shown.code == 1
    assert shown.err


def test_two_hubs_start_at_once_on_an_empty_database_and_end_when_they_are_told(tmp_path, database: str):  # noqa: F811
    env = {**os.environ, "HOME": str(tmp_path), "SYNAPTIC_HUB_DATABASE": database}
    line = [SYNAPTIC, "hub", "serve", "--listen", "127.0.0.1:0"]
    hubs = [subprocess.Popen(line, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) for _ in "12"]
    try:
        for hub in hubs:
            url = hub.stdout.readline().split()[-1]
            assert httpx.get(f"{url}/api/v1/health").json() == {"ok": True}
    finally:
        for hub in hubs:
            hub.send_signal(signal.SIGTERM)
        assert all(hub.wait(15) in (0, -signal.SIGTERM) for hub in hubs)
