"""Bootstrap at the keyboard: what is chosen, what is remembered."""

import json
import subprocess
from pathlib import Path

import msgspec
import pytest

from synaptic.cli import bootstrap
from synaptic.setup import dispatcher
from tests.cli.conftest import User


def entry(user: User, event: str = "PreToolUse") -> dict:
    return json.loads(user.settings.read_text())["hooks"][event][0]["hooks"][0]


def test_bootstrap_writes_entries_and_the_dispatcher(user: User):
    """S0-001, S0-005, S0-006"""
    shown = user.types("bootstrap")
    assert shown.code == 0, shown.err
    hooks = json.loads(user.settings.read_text())["hooks"]
    for event in ("PreToolUse", "PostToolUse"):
        assert hooks[event][0]["matcher"] == ".*"
        assert entry(user, event)["command"] == str(user.home.dispatch)
        assert entry(user, event)["args"][0] == event
    assert user.home.dispatch.stat().st_mode & 0o111


def test_twice_is_the_same_bytes(user: User):
    """S0-002, S0-007"""
    user.types("bootstrap")
    before = user.settings.read_bytes()
    assert "  changed" not in user.types("bootstrap").out
    assert user.settings.read_bytes() == before


def test_fail_closed_is_remembered(user: User):
    user.types("bootstrap", "--fail", "closed")
    assert dispatcher.read_engine(user.home).fail == "closed"
    assert entry(user)["onFailure"] == "block"
    user.types("bootstrap")
    assert entry(user)["onFailure"] == "block"
    user.types("bootstrap", "--fail", "open")
    assert "onFailure" not in entry(user)


@pytest.mark.parametrize("lost", ["engine", "bootstrap.json"])
def test_what_was_closed_is_not_opened_by_installing_again_after_a_file_was_lost(user: User, lost: str):
    user.types("bootstrap", "--fail", "closed")
    (user.home.root / lost).write_text("")
    user.types("bootstrap")
    assert dispatcher.read_engine(user.home).fail == "closed"
    assert entry(user)["onFailure"] == "block"


@pytest.mark.parametrize("mode", ["open", "closed"])
def test_what_the_engine_cannot_read_is_refused_before_a_tool_runs_whatever_the_mode(user: User, mode: str):
    user.types("bootstrap", "--fail", mode)
    user.types("daemon", "start")
    command = [user.home.dispatch, "PreToolUse"]
    refused = subprocess.run(command, input=b"garbage", capture_output=True, timeout=60, check=False)
    assert refused.returncode == 2 or b'"deny"' in refused.stdout


def test_the_profile_can_be_left_alone(user: User):
    user.types("bootstrap", "--no-profile")
    assert not (user.folder / ".bashrc").exists()


def test_invalid_settings_are_refused_untouched(user: User):
    """S0-014"""
    user.settings.parent.mkdir()
    user.settings.write_text("{ broken")
    shown = user.types("bootstrap")
    assert shown.code == 1
    assert str(user.settings) in shown.err
    assert user.settings.read_text() == "{ broken"


def test_http_needs_a_listener(user: User):
    shown = user.types("bootstrap", "--http")
    assert shown.code == 1
    assert "synaptic config set http.enabled true" in shown.err
    assert not user.settings.exists()


def test_http_entries_post_to_the_daemon_and_the_token_is_not_shown(user: User):
    user.configures("[http]\nenabled = true\nport = 8399\n")
    shown = user.types("bootstrap", "--http", "--json")
    assert shown.code == 0, shown.err
    assert entry(user)["url"].startswith("http://127.0.0.1:8399/hook/claude/PreToolUse")
    token = (user.home.root / "token").read_text().strip()
    assert token in user.settings.read_text()
    assert token not in shown.out
    user.types("bootstrap", "--no-http")
    assert entry(user)["type"] == "command"


def test_managed_goes_where_no_repository_reaches(user: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    plain = bootstrap.read_setup_options

    def elsewhere(environ, home):
        return msgspec.structs.replace(plain(environ, home), managed_root=tmp_path / "etc")

    monkeypatch.setattr(bootstrap, "read_setup_options", elsewhere)
    shown = user.types("bootstrap", "--managed")
    assert shown.code == 0, shown.err
    managed = tmp_path / "etc" / "managed-settings.d" / "synaptic.json"
    assert "PreToolUse" in json.loads(managed.read_text())["hooks"]
    assert not user.settings.exists()
