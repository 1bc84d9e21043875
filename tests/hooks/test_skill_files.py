"""Skills' files, found."""

from pathlib import Path

import pytest

from synaptic.hooks import skill_files as skills
from synaptic.model.errors import LayerError


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "project"


def describe(base: Path, folder: str, text: str) -> Path:
    file = base / folder / "SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    return file


def test_the_projects_own_comes_before_the_users(root: Path, tmp_path: Path):
    """S3-210"""
    describe(tmp_path / "home", ".claude/skills/a", "---\nversion: home\n---\n")
    describe(tmp_path / "home", ".claude/skills/only", "---\nversion: home\n---\n")
    describe(root, ".synaptic/skills/a", "---\nversion: later\n---\n")
    describe(root, ".claude/skills/a", "---\nversion: mine\n---\n")
    assert skills.find_skill(str(root), "a").version == "mine"
    assert [(one.name, one.version) for one in skills.list_skills(str(root)).skills] == [
        ("a", "mine"),
        ("only", "home"),
    ]


def test_a_name_is_the_folders_or_the_one_in_the_file(root: Path):
    describe(root, ".claude/skills/folder", "---\nname: Build\nversion: 1\n---\n")
    assert skills.find_skill(str(root), "folder").name == "folder"
    assert skills.find_skill(str(root), "build").name == "Build"
    assert skills.find_skill(str(root), "other") is None


def test_what_cannot_be_read_keeps_nobody_out(root: Path, tmp_path: Path):
    """S3-210"""
    good = describe(root, ".claude/skills/good", "---\nversion: 1\n---\n")
    describe(root, ".claude/skills/bad", "```json\n{\n```\n")
    found = skills.list_skills(str(root))
    assert [one.name for one in found.skills] == ["good"]
    assert len(found.problems) == 1
    found = skills.read_skills(iter((good, tmp_path / "missing/SKILL.md")))
    assert (len(found.skills), len(found.problems)) == (1, 1)
    with pytest.raises(LayerError) as caught:
        skills.find_skill(str(root), "bad")
    assert caught.value.code == "PARSE_ERROR"


def test_nothing_is_no_trouble(root: Path):
    assert skills.list_skills(str(root)).skills == ()
    assert skills.list_skills("").skills == ()
