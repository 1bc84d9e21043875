"""`synaptic bundle`, from a folder of an author to what is in force on a host."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import User
from tests.cli.test_replay import FORCE, send

HEAD = 'name = "acme"\nversion = {}\npresets = ["practice"]\nlocked = ["presets", "fail"]\nfail = "closed"\n'
RULES = """
[[rule]]
id = "acme.ls"
then = "deny"
run = "ls"
say = "Look elsewhere."
stops = ["ls"]
passes = ["cat x"]
"""


@pytest.fixture
def author(user: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> User:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    write(user, 1)
    return user


def write(user: User, version: int, rules: str = RULES) -> Path:
    folder = user.folder / "policy"
    folder.mkdir(exist_ok=True)
    (folder / "bundle.toml").write_text(HEAD.format(version))
    (folder / "rules.toml").write_bytes(rules.replace("\n", "\r\n").encode())
    return folder


def build(user: User, version: int = 1) -> Path:
    out = user.folder / "bundle.toml"
    assert user.types("bundle", "build", str(write(user, version)), "--out", str(out)).code == 0
    return out


def test_a_folder_becomes_one_file(author: User):
    shown = author.types("bundle", "build", str(author.folder / "policy"))
    assert shown.code == 0
    assert "bundle acme 1: settings: presets, fail; rules: 1; people: 0" in shown.out
    assert "nothing was written" in shown.out
    assert "`presets` is locked and `modes` is not" in shown.err
    text = build(author).read_bytes()
    assert b"\r" not in text and text.endswith(b"\n")
    assert author.types("bundle", "build", str(author.folder / "bundle.toml"), "--json").json["rules"] == 1


@pytest.mark.parametrize(
    ("rules", "why"),
    [
        (RULES.replace('stops = ["ls"]', 'stops = ["rm x"]'), "is not stopped by this rule"),
        ("fail = 'open'\n" + RULES, "only rules stand here"),
        ("[[rule]\n", "is no valid TOML"),
        (RULES.replace("say", "sey"), "unknown key `sey`"),
    ],
)
def test_what_is_wrong_is_told_and_nothing_is_written(author: User, rules: str, why: str):
    out = author.folder / "bundle.toml"
    shown = author.types("bundle", "build", str(write(author, 1, rules)), "--out", str(out))
    assert shown.code == 1
    assert why in shown.err
    assert not out.exists()


def test_signed_followed_pulled_and_in_force(author: User, tmp_path: Path):
    file, secret = build(author), author.folder / "acme.key"
    public = author.types("bundle", "key", "new", str(secret), "--json").json["public"]
    assert secret.stat().st_mode & 0o777 == 0o600
    assert "a key is never replaced" in author.types("bundle", "key", "new", str(secret)).err
    assert author.types("bundle", "sign", str(file), "--key", str(secret)).code == 0
    assert "bundle acme 1: signed by this key" in author.types("bundle", "verify", str(file), "--key", public).out
    remote = tmp_path / "policy.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(remote)], check=True)
    assert author.types("bundle", "publish", str(file), "--git", str(remote)).code == 0
    assert "is there already" in author.types("bundle", "publish", str(file), "--git", str(remote)).out
    assert "no bundle is in force" in author.types("bundle", "status").out
    author.configures('fail = "open"\n')
    assert author.types("bundle", "follow", str(remote), "--key", public, "--managed").code == 0
    assert "this machine is managed" in author.types("bundle", "status").out
    assert "acme 1: installed" in author.types("bundle", "pull").out
    assert "acme 1: unchanged" in author.types("bundle", "pull").out
    shown = author.types("bundle", "status")
    assert "acme 1 is in force since" in shown.out and "locked: fail, presets" in shown.out and public in shown.out
    assert_told_everywhere(author)
    file.write_text(file.read_text().replace("deny", "deni"))
    assert "the signature is wrong" in author.types("bundle", "verify", str(file), "--key", public).err
    author.types("bundle", "publish", str(file), "--git", str(remote))
    changed = author.types("bundle", "pull")
    assert changed.code == 0, "what cannot be used is not published either"
    assert author.types("bundle", "drop").code == 0
    assert "acme" not in author.types("bundle", "status").out


def assert_told_everywhere(user: User) -> None:
    assert "bundle acme 1: rule 1" in user.types("list").out
    shown = user.types("config", "get", "fail", "--json").json
    assert shown["value"] == "closed" and shown["source"].endswith("config.toml and bundle acme 1")
    told = user.types("config", "validate")
    assert told.code == 1 and "fail: the bundle acme 1 locks it here: `open` is looser than `closed`" in told.err
    rows = {row["id"]: row for row in user.types("policy", "list", "--json").json["policies"]}
    assert rows["practice.branch-guard"]["by"] == "bundle acme 1"
    assert "acme 1 is in force, managed" in user.types("doctor").out
    denied = user.types("check", "ls")
    assert "Look elsewhere." in denied.out


def test_a_refused_one_is_told_by_pull_status_and_doctor(author: User, tmp_path: Path):
    assert author.types("bundle", "pull").code == 1
    file, secret = build(author), author.folder / "acme.key"
    public = author.types("bundle", "key", "new", str(secret), "--json").json["public"]
    author.types("bundle", "sign", str(file), "--key", str(secret))
    author.types("bundle", "follow", f"git+{tmp_path}/nowhere.git", "--key", public)
    shown = author.types("bundle", "pull")
    assert shown.code == 1 and "refused, and nothing has changed: git fetch failed" in shown.err
    assert "git fetch failed" in author.types("bundle", "status").out
    assert "git fetch failed" in author.types("doctor").out
    assert author.types("bundle", "follow", "git+ext::sh", "--key", public).code != 0
    assert author.types("bundle", "follow", "git+/x", "--key", "RWx").code != 0


@pytest.mark.skipif(not shutil.which("minisign"), reason="minisign is not installed")
def test_the_real_minisign_signs_and_verifies(author: User):
    file = build(author)
    folder = author.folder
    made = ["minisign", "-G", "-W", "-p", str(folder / "m.pub"), "-s", str(folder / "m.key")]
    subprocess.run(made, check=True, capture_output=True)
    subprocess.run(["minisign", "-Sm", str(file), "-s", str(folder / "m.key")], check=True, capture_output=True)
    assert author.types("bundle", "verify", str(file), "--key", str(folder / "m.pub")).code == 0
    secret = folder / "acme.key"
    public = author.types("bundle", "key", "new", str(secret), "--json").json["public"]
    assert "signed with another key" in author.types("bundle", "verify", str(file), "--key", public).err
    author.types("bundle", "sign", str(file), "--key", str(secret))
    asked = ["minisign", "-Vm", str(file), "-P", public]
    done = subprocess.run(asked, check=False, capture_output=True, text=True)
    assert done.returncode == 0 and "bundle acme 1" in done.stdout
    file.write_text(file.read_text() + "\n")
    assert subprocess.run(asked, check=False, capture_output=True).returncode != 0


def test_what_would_change_is_counted_by_rule(author: User, tmp_path: Path):
    file = build(author)
    send(author, "ls", FORCE, "cat x")
    shown = author.types("bundle", "test", str(file))
    assert shown.code == 0
    assert "1 would be denied that was not" in shown.out and "acme.ls: 1" in shown.out
    assert author.types("bundle", "test", str(file), "--max-new-denials", "0").code == 1
    other = tmp_path / "other"
    shutil.copytree(author.home.root, other)
    found = author.types(
        "bundle", "test", str(file), "--json", "--home", str(other), "--home", str(author.home.root)
    ).json
    assert (found["events"], found["new_denials"]) == (6, 2)
    assert found["by_policy"][0]["policy"] == "acme.ls"


def test_a_bundle_in_force_is_replayed_as_it_was(author: User, tmp_path: Path):
    from tests.hooks.bundles import seal_into

    seal_into(author.home, HEAD.format(1) + RULES, is_managed=True)
    send(author, "ls", "cat x")
    shown = author.types("replay")
    assert "2 events: 2 exact" in shown.out and "Every one is decided as it was" in shown.out
    seal_into(author.home, HEAD.format(2), is_managed=True)
    assert "Every one is decided as it was" in author.types("replay").out
    without = author.folder / "empty.toml"
    without.write_text('name = "acme"\nversion = 3\n')
    assert "acme.ls: 1 denied, now" in author.types("bundle", "test", str(without)).out


@pytest.mark.parametrize("words", [("build",), ("verify", "--key", "RWx"), ("test",)])
def test_a_pipe_or_a_huge_file_is_no_bundle(author: User, words: tuple[str, ...], tmp_path: Path):
    pipe, huge = tmp_path / "pipe", tmp_path / "huge"
    os.mkfifo(pipe)
    huge.write_bytes(b"x" * (10 << 20))
    for file in (pipe, huge, tmp_path / "none"):
        assert author.types("bundle", words[0], str(file), *words[1:]).code != 0


def test_people_and_texts_that_look_like_secrets_do_not_spoil_a_replay(author: User):
    from synaptic.hub.keys import SecretKey
    from tests.hooks.bundles import seal_into

    key = SecretKey.make().public.text
    token = "ghp_" + "a1B2" * 9
    people = f'[people]\nann = {{ key = "{key}", grants = ["git.*"] }}\n"bob b" = {{ key = "{key}" }}\n'
    seal_into(author.home, HEAD.format(1) + RULES.replace("Look elsewhere.", f"password = {token} elsewhere") + people)
    send(author, "ls", "cat x")
    shown = author.types("replay")
    assert "0 not replayable" in shown.out, shown.out
    assert "acme.ls" not in shown.out, shown.out
