"""`synaptic registry`: made, chosen, shared, served."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGES = Path(__file__).parents[2] / "packages"


@pytest.fixture
def author(user, tmp_path, monkeypatch):
    monkeypatch.delenv("SYNAPTIC_REGISTRY", raising=False)
    monkeypatch.chdir(tmp_path)
    assert user.types("registry", "init").code == 0
    assert user.types("package", "import", str(PACKAGES / "audit-logger")).code == 0
    return user


def counts(shown):
    return {row["channel"]: row["packages"] for row in shown.json["channels"]}


def test_a_registry_is_made_once(author):
    again = author.types("registry", "init")
    assert (again.code, "there is a file already" in again.err) == (1, True)
    assert author.types("registry", "init", "--if-missing", "--json").json["created"] is False
    assert counts(author.types("registry", "channels", "--json")) == {"beta": 0, "develop": 1, "main": 0}


def test_others_read_what_was_pushed(author, tmp_path):
    url = f"file://{tmp_path}/team.db"
    assert author.types("registry", "push", url).code == 0
    assert author.types("registry", "use", url).code == 0
    assert counts(author.types("registry", "channels", "--json")) == {"beta": 0, "develop": 1, "main": 0}
    assert "is no database file of your own" in author.types("registry", "push", url).err
    own = f"dolt://{author.home.root}/registry/registry.db"
    author.types("package", "publish", "audit-logger", "--registry", own)
    author.types("registry", "push", url, "--channel", "main", "--registry", own)
    assert counts(author.types("registry", "channels", "--json"))["main"] == 1


def test_a_second_author_starts_from_a_remote_and_pulls(author, tmp_path):
    url, second = f"file://{tmp_path}/team.db", f"dolt://{tmp_path}/second.db"
    author.types("registry", "push", url)
    assert author.types("registry", "init", "--from", url, "--registry", second).code == 0
    author.types("package", "publish", "audit-logger")
    author.types("registry", "push", url)
    assert author.types("registry", "pull", url, "--registry", second).code == 0
    assert counts(author.types("registry", "channels", "--registry", second, "--json"))["main"] == 1


def test_the_last_commit_is_taken_back(author):
    """S0-144"""
    assert "is at" in author.types("registry", "rollback", "develop").out
    assert counts(author.types("registry", "channels", "--json"))["develop"] == 0
    assert author.types("registry", "rollback", "develop").code == 1


def test_a_registry_that_cannot_be_opened_is_not_chosen(author):
    assert author.types("registry", "use", "file:///nowhere/x.db").code == 1
    assert author.types("registry", "channels").code == 0


def test_a_served_registry_is_read_over_http_until_the_server_is_stopped(author):
    command = [sys.executable, "-m", "synaptic.cli.main", "registry", "serve"]
    env = {**os.environ, "HOME": str(author.folder)}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
    try:
        url = process.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:")
        assert counts(author.types("registry", "channels", "--registry", url, "--json"))["develop"] == 1
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=90)
    assert author.types("registry", "channels", "--registry", url).code == 1


def test_a_remote_cannot_be_made_in_place(author):
    assert "is a remote" in author.types("registry", "init", "--registry", "file:///x/y.db").err


def test_files_are_recognised_by_the_catalog_without_the_registry(author, tmp_path):
    """S0-179"""
    assert author.types("registry", "scan", "--channel", "develop").code == 1
    assert "1 versions" in author.types("registry", "catalog", "--channel", "develop").out
    (author.home.root / "registry" / "registry.db").unlink()
    found = author.types("registry", "scan", str(PACKAGES), "--channel", "develop", "--json").json
    assert [file["package"] for file in found["files"]] == ["audit-logger", "audit-logger"]
