"""Who works where, at the command line."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from synaptic.model.layers import SetStatus, Status
from synaptic.store import layers
from synaptic.store.db import Store
from tests.cli.conftest import User


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TMUX", "TMUX_PANE", "AGENT_ID", "DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)


def says(user: User, agent: str, status: Status, at: float = 0.0, **fields) -> None:
    store = Store.open(user.home)
    layers.write_layer_effects(store, (SetStatus(agent=agent, status=status, named=True, **fields),), at or time.time())
    store.close()


def test_nobody_is_at_work_and_nothing_is_made_for_it(user: User):
    shown = user.types("fleet")
    assert (shown.code, shown.err) == (0, "")
    assert "no agent is at work" in shown.out
    assert user.types("fleet", "--json").json == {"ok": True, "status": "done", "agents": [], "witness": {}}
    assert not user.home.database.exists()


def test_the_table_has_whoever_needs_somebody_first(user: User):
    """S3-230"""
    says(user, "b", "working", label="Builder", project="/p/shop")
    says(user, "a", "done")
    says(user, "c", "error", note="ended with exit code 3")
    lines = user.types("fleet").out.splitlines()
    assert lines[0].split() == ["AGENT", "LABEL", "STATUS", "PROJECT", "SINCE", "NOTE"]
    assert [line.split()[0] for line in lines[1:]] == ["c", "b", "a"]
    assert "ended with exit code 3" in lines[1]
    assert "\x1b" not in "".join(lines)
    shown = user.types("fleet", "--json").json
    assert shown["status"] == "error"
    assert [(one["agent"], one["status"]) for one in shown["agents"]] == [
        ("c", "error"),
        ("b", "working"),
        ("a", "done"),
    ]
    assert shown["agents"][1]["project"] == "/p/shop"


def test_agents_that_are_gone_for_long_are_shown_on_request(user: User):
    says(user, "old", "working", at=1000.0)
    assert user.types("fleet", "--json").json["agents"] == []
    assert [one["agent"] for one in user.types("fleet", "--json", "--all").json["agents"]] == ["old"]


@pytest.mark.parametrize(
    ("before", "after"), [("attention", "checked"), ("working", "working"), ("error", "error"), ("done", "done")]
)
def test_focus_checks_attention_and_nothing_else(user: User, before: Status, after: Status):
    """S3-232"""
    says(user, "a", before)
    assert user.types("fleet", "focus", "a").out == f"a: {after}\n"
    assert user.types("fleet", "focus", "a", "--json").json == {"ok": True, "agent": "a", "status": after}


def test_focus_on_nobody_is_an_error(user: User):
    shown = user.types("fleet", "focus", "nobody")
    assert shown.code == 1
    assert "there is no agent 'nobody'" in shown.err
    assert user.types("fleet", "focus", "nobody", "--json").json["error"]["code"] == "NOT_FOUND"


def test_without_tmux_the_display_says_so_and_that_is_no_failure(user: User):
    """S3-234"""
    shown = user.types("fleet", "tmux")
    assert (shown.code, shown.err) == (0, "")
    assert "not inside tmux" in shown.out


def test_a_tmux_server_that_is_asked_for_and_not_there_is_an_error(user: User, monkeypatch: pytest.MonkeyPatch):
    assert user.types("fleet", "tmux", "--socket", "synaptic-nobody").code == 1
    monkeypatch.setenv("PATH", str(user.folder))
    shown = user.types("fleet", "tmux", "--socket", "synaptic-nobody")
    assert shown.code == 1
    assert "tmux cannot be run (is it installed and on PATH?)" in shown.err


def test_the_desktop_is_told_while_watching_only(user: User):
    shown = user.types("fleet", "--notify")
    assert shown.code == 2
    assert "works with --watch only" in shown.err


@contextmanager
def watching(*words: str, **env: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "synaptic.cli.main", "fleet", "--watch", *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **env})
    try:
        yield process
    finally:
        process.terminate()
        process.wait()
        assert process.stdout
        process.stdout.close()


def read(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline()


def test_every_change_is_a_line_of_json(user: User):
    says(user, "a", "working")
    with watching("--json") as process:
        assert json.loads(read(process))["status"] == "working"
        says(user, "b", "attention")
        assert json.loads(read(process))["agent"] == "b"
        says(user, "a", "error", note="why")
        changed = json.loads(read(process))
        assert (changed["agent"], changed["status"], changed["note"]) == ("a", "error", "why")
        store = Store.open(user.home)
        store.write(lambda connection: connection.execute("DELETE FROM agents WHERE id = 'b'"))
        store.close()
        assert json.loads(read(process)) == {"agent": "b", "gone": True}


def test_the_table_is_written_again_with_every_change(user: User):
    with watching() as process:
        assert "no agent is at work" in read(process)
        assert "synaptic top" in read(process)
        assert read(process) == "\n"
        says(user, "a", "attention")
        assert read(process).split()[0] == "AGENT"
        assert read(process).split()[:2] == ["a", "attention"]
        assert read(process) == "\n"


def test_the_desktop_is_told_of_whoever_comes_to_need_somebody(user: User):
    program = user.folder / "bin" / "notify-send"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$3" >> {user.folder}/told\n')
    program.chmod(0o755)
    says(user, "a", "error")
    with watching("--notify", "--json", DISPLAY=":0", PATH=f"{program.parent}:{os.environ['PATH']}") as process:
        read(process)
        says(user, "b", "working")
        read(process)
        says(user, "b", "attention")
        read(process)
        end = time.monotonic() + 10
        while not (user.folder / "told").exists() and time.monotonic() < end:
            time.sleep(0.05)
    if sys.platform != "darwin":
        assert (user.folder / "told").read_text() == "b waits for you\n"
