"""Files that a window should know first, read within bounds."""

import os
from pathlib import Path

import pytest

from synaptic.facts.preloads import MAX_ALL_CHARS, MAX_FILE_CHARS, read_preloads
from synaptic.model.call import Call
from synaptic.model.event import SessionStart


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "true" / "project"
    folder.mkdir(parents=True)
    return folder


def call(root: Path) -> Call:
    event = SessionStart(hook_event_name="SessionStart", session_id="w1", cwd=str(root))
    return Call("1", "claude", event, {}, root=str(root), env={"HOME": str(root.parent)})


def put(path: Path, text: str = "text") -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path)


def test_texts_of_the_project_are_read_also_through_a_link_to_it(root: Path, tmp_path: Path):
    """S3-105, S3-168"""
    path = put(root / "docs/a.md", "# A")
    assert read_preloads([path], call(root)) == {path: "# A"}
    (tmp_path / "link").symlink_to(tmp_path / "true")
    linked = f"{tmp_path}/link/project/docs/a.md"
    assert read_preloads([linked], call(tmp_path / "link/project")) == {linked: "# A"}
    assert read_preloads([path], call(tmp_path / "link/project")) == {path: "# A"}


def test_what_a_repository_must_not_have_read_for_it_is_left_out(root: Path, tmp_path: Path):
    secret = put(tmp_path / "true/id_rsa", "key")
    (root / "link.md").symlink_to(secret)
    (root / "folder").symlink_to(tmp_path / "true")
    os.mkfifo(root / "pipe.md")
    (root / "binary.md").write_bytes(b"a\0b")
    (root / "sub").mkdir()
    put(root / ".env", "KEY=1")
    names = ["link.md", "folder/id_rsa", "pipe.md", "binary.md", "sub", ".env", "missing.md", "../id_rsa", "a\0b"]
    paths = [f"{root}/{name}" for name in names]
    assert read_preloads([*paths, secret, "/etc/hostname", "relative.md", "/proc/self/environ"], call(root)) == {}


def test_a_large_file_is_left_out_and_all_have_room_together(root: Path):
    big = put(root / "big.md", "x" * (MAX_FILE_CHARS + 1))
    huge = put(root / "huge.md", "x" * (1 << 20))
    fit = [put(root / f"{number}.md", str(number) * MAX_FILE_CHARS) for number in range(6)]
    small = put(root / "small.md", "small")
    found = read_preloads([big, huge, *fit, small], call(root))
    assert list(found) == fit[: MAX_ALL_CHARS // MAX_FILE_CHARS]
    assert list(read_preloads([*fit[:3], small], call(root))) == [*fit[:3], small]


def test_the_same_file_under_two_names_is_told_once(root: Path):
    """S3-168"""
    path = put(root / "a.md", "# A")
    os.link(path, root / "b.md")
    assert list(read_preloads([path, f"{root}/b.md"], call(root))) == [path]


def test_secrets_in_a_text_are_not_told(root: Path):
    token = "ghp_" + "a1B2" * 9
    path = put(root / "a.md", f"use {token}")
    assert token not in read_preloads([path], call(root))[path]
