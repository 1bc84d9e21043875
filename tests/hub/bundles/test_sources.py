"""Bundles from a git repository, a Dolt registry and a hub, and what is put there."""

import base64
import os
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import msgspec
import pytest

from synaptic.hub.bundles import from_git
from synaptic.hub.bundles.from_git import GitPlace
from synaptic.hub.bundles.from_hub import publish_to_hub
from synaptic.hub.bundles.install import BundleResult
from synaptic.hub.bundles.pin import BundleSource, write_source
from synaptic.hub.bundles.publish import publish_to_git
from synaptic.hub.bundles.pull import find_version, pull_bundle
from synaptic.hub.keys import SecretKey, make_request_text
from synaptic.hub.place import HubPlace
from synaptic.hub.wire import SignedBundle
from synaptic.model.errors import SynapticError
from synaptic.packages.create import create_registry_file
from synaptic.packages.database import RegistryChange
from synaptic.packages.dolt import DoltDatabase
from synaptic.packages.remote import serve_registry
from tests.hub.bundles.conftest import Host, Organisation


def git(folder: Path, *words: str) -> str:
    env = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    return subprocess.run(["git", *who, *words], cwd=folder, env=env, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    path = tmp_path / "policy.git"
    path.mkdir()
    git(path, "init", "-q", "--bare", "-b", "main", ".")
    return path


def follow(host: Host, organisation: Organisation, url: str) -> None:
    write_source(host.home, BundleSource(url=url, organisation_key=organisation.public))


def version_of(host: Host) -> int:
    return find_version(host.home)


def test_from_a_repository_that_was_published_to(host: Host, organisation: Organisation, remote: Path):
    follow(host, organisation, f"git+{remote}#policy")
    assert "there is no" in pull_bundle(host.home).why or "failed" in pull_bundle(host.home).why
    assert publish_to_git(f"git+{remote}#policy", organisation.make(1), "acme 1")
    assert not publish_to_git(f"git+{remote}#policy", organisation.make(1), "acme 1"), "it is there already"
    assert pull_bundle(host.home) == BundleResult(state="installed", name="acme", version=1)
    assert pull_bundle(host.home).state == "unchanged"
    assert publish_to_git(f"git+{remote}#policy", organisation.make(2), "acme 2")
    assert pull_bundle(host.home).label == "acme 2"
    assert git(remote, "log", "--format=%s", "main").split("\n")[:2] == ["acme 2", "acme 1"]
    assert git(remote, "ls-tree", "-r", "--name-only", "main").split() == [
        "policy/bundle.toml",
        "policy/bundle.toml.minisig",
    ]


def test_publishing_keeps_what_else_is_in_the_repository(organisation: Organisation, remote: Path, tmp_path: Path):
    work = tmp_path / "work"
    git(tmp_path, "clone", "-q", str(remote), str(work))
    (work / "README").write_text("hello\n")
    git(work, "add", "."), git(work, "commit", "-qm", "first"), git(work, "push", "-q", "origin", "HEAD:main")
    assert publish_to_git(f"git+file://{remote}@main", organisation.make(1), "acme 1")
    assert git(remote, "show", "main:README") == "hello\n"
    assert git(remote, "show", "main:bundle.toml") == organisation.make(1).text


def test_nothing_of_the_repository_is_run(host: Host, organisation: Organisation, remote: Path, tmp_path: Path):
    publish_to_git(f"git+{remote}", organisation.make(1), "acme 1")
    mark = tmp_path / "ran"
    script = f"#!/bin/sh\ntouch {mark}\n"
    for name in ("post-checkout", "reference-transaction", "post-merge", "pre-receive", "fsmonitor"):
        (remote / "hooks").mkdir(exist_ok=True)
        (remote / "hooks" / name).write_text(script)
        (remote / "hooks" / name).chmod(0o755)
    for key in (
        "core.fsmonitor",
        "core.sshCommand",
        "uploadpack.packObjectsHook",
        "core.gitProxy",
        "credential.helper",
    ):
        git(remote, "config", key, f"touch {mark};")
    git(remote, "config", "core.hooksPath", str(remote / "hooks"))
    follow(host, organisation, f"git+{remote}")
    assert pull_bundle(host.home).state == "installed"
    assert not mark.exists()


def test_a_variable_sends_git_nowhere_else(
    host: Host, organisation: Organisation, remote: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    publish_to_git(f"git+{remote}", organisation.make(1), "acme 1")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "protocol.file.allow")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "never")
    follow(host, organisation, f"git+{remote}")
    assert pull_bundle(host.home).state == "installed"


@pytest.mark.parametrize("what", ["older", "flipped", "10 MB", "link", "folder", "gone"])
def test_what_is_wrong_at_the_tip_is_refused(
    host: Host, organisation: Organisation, remote: Path, tmp_path: Path, what: str
):
    publish_to_git(f"git+{remote}", organisation.make(2), "acme 2")
    follow(host, organisation, f"git+{remote}")
    assert pull_bundle(host.home).label == "acme 2"
    work = tmp_path / "work"
    git(tmp_path, "clone", "-q", str(remote), str(work))
    file = work / "bundle.toml"
    match what:
        case "older":
            file.write_text(organisation.make(1).text)
            (work / "bundle.toml.minisig").write_text(organisation.make(1).signature)
        case "flipped":
            file.write_text(file.read_text().replace("deny", "deni"))
        case "10 MB":
            file.write_bytes(b"x" * (10 << 20))
        case "link":
            file.unlink(), file.symlink_to("/etc/passwd")
        case "folder":
            file.unlink(), file.mkdir(), (file / "a").write_text("a")
        case "gone":
            file.unlink()
    git(work, "add", "-A"), git(work, "commit", "-qm", "next"), git(work, "push", "-q", "origin", "HEAD:main")
    assert pull_bundle(host.home).state == "refused"
    assert version_of(host) == 2


def test_a_remote_that_hangs_is_given_up(
    host: Host, organisation: Organisation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    import socket

    monkeypatch.setattr(from_git, "GIT_SECONDS", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as server:
        follow(host, organisation, f"git+https://127.0.0.1:{server.getsockname()[1]}/x.git")
        assert "took longer than 1 s" in pull_bundle(host.home).why
    follow(host, organisation, f"git+{tmp_path}/nowhere")
    assert "git fetch failed" in pull_bundle(host.home).why


@pytest.mark.parametrize("url", ["git+ext::sh -c touch% /tmp/x", "git+http://host/x", "git+-x", "git+git://host/x"])
def test_other_protocols_are_not_spoken(url: str):
    with pytest.raises(SynapticError, match="no git repository that is read"):
        GitPlace.parse(url)


def test_addresses_are_read():
    assert GitPlace.parse("git+https://h/p.git@main#a/b") == GitPlace("https://h/p.git", "main", "a/b/bundle.toml")
    assert GitPlace.parse("git+ssh://git@h/p.git") == GitPlace("ssh://git@h/p.git", "", "bundle.toml")
    assert GitPlace.parse("git+ssh://git@h/p.git@x#y.toml") == GitPlace("ssh://git@h/p.git", "x", "y.toml")
    assert GitPlace.parse("git+/srv/p.git") == GitPlace("/srv/p.git", "", "bundle.toml")


def test_from_a_dolt_registry(host: Host, organisation: Organisation, tmp_path: Path):
    path = tmp_path / "registry.db"
    create_registry_file(path)
    database = DoltDatabase(path)
    table = "CREATE TABLE bundles (version BIGINT NOT NULL PRIMARY KEY, text TEXT, signature TEXT)"
    rows = [organisation.make(1), organisation.make(2)]
    added = [
        ("INSERT INTO bundles VALUES (?, ?, ?)", (number, one.text, one.signature))
        for number, one in enumerate(rows, 1)
    ]
    database.write(RegistryChange("main", [(table, ()), *added], "bundles"))
    database.close()
    follow(host, organisation, f"dolt://{path}")
    assert pull_bundle(host.home).label == "acme 2"
    with serve_registry(path) as url:
        follow(host, organisation, f"dolt+{url}#main")
        assert pull_bundle(host.home).state == "unchanged"
    database = DoltDatabase(path)
    long = ("INSERT INTO bundles VALUES (3, ?, 'x')", ("x" * (3 << 20),))
    database.write(RegistryChange("main", [long], "too long"))
    database.close()
    follow(host, organisation, f"dolt://{path}#main")
    assert "is longer than" in pull_bundle(host.home).why
    follow(host, organisation, f"dolt://{tmp_path}/none.db")
    assert pull_bundle(host.home).state == "refused"
    assert version_of(host) == 2


class Hub:
    """A hub as it answers here: real HTTP, and it checks what a real one does."""

    def __init__(self, host_key: SecretKey) -> None:
        hub = self
        self.bundle: bytes | None = None
        self.seen: list[tuple[str, str]] = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                text = make_request_text("GET", self.path, self.headers["x-synaptic-at"], b"")
                host_key.public.check(text, base64.b64decode(self.headers["x-synaptic-signature"]))
                hub.seen.append(("GET", self.headers["x-synaptic-host"]))
                self.answer(200 if hub.bundle else 404, hub.bundle or b'{"error":"none"}')

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                if self.headers["authorization"] != "Bearer secret":
                    self.answer(401, b'{"error":"who are you","hint":"a token"}')
                    return
                msgspec.json.decode(body, type=SignedBundle)
                hub.bundle = body
                self.answer(204, b"")

            def answer(self, status: int, body: bytes) -> None:
                self.send_response(status)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def test_from_a_hub_and_to_it(host: Host, organisation: Organisation):
    key = SecretKey.make()
    key.write(HubPlace.of(host.home).host_key)
    hub = Hub(key)
    host.joins(hub.url)
    assert "the hub has no bundle" in pull_bundle(host.home).why
    with pytest.raises(SynapticError, match="who are you"):
        publish_to_hub(host.home, hub.url, organisation.make(1), "wrong")
    access = HubPlace.of(host.home).access
    access.write_text(msgspec.json.encode({"url": "http://other", "token": "secret"}).decode())
    with pytest.raises(SynapticError, match="the token in it is for http://other"):
        publish_to_hub(host.home, hub.url, organisation.make(1))
    access.write_text(msgspec.json.encode({"url": hub.url, "token": "secret"}).decode())
    publish_to_hub(host.home, hub.url, organisation.make(1))
    assert pull_bundle(host.home).label == "acme 1"
    assert hub.seen[-1] == ("GET", "h1")
    hub.bundle = b"x" * (9 << 20)
    assert "too long" in pull_bundle(host.home).why
    hub.bundle = b"[" * 100_000
    assert "is no bundle" in pull_bundle(host.home).why
    hub.server.shutdown(), hub.server.server_close()
    assert "does not answer" in pull_bundle(host.home).why
    assert version_of(host) == 1
