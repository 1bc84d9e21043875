"""Files of tasks and efforts."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synaptic.model.errors import LayerError
from synaptic.model.layers import Effort
from synaptic.work import task_files
from synaptic.work.task_files import separate_entry, stamp_entry

WHEN = "2024-01-02 03:04:05"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def effort(root: Path, **changes) -> Effort:
    return msgspec.structs.replace(
        Effort(id=1, task=f"{root}/.tasks/t", project=1, skill="implement", ordinal=2), **changes
    )


@pytest.mark.parametrize(
    ("given", "name"),
    [("Login Page", "login-page"), ("FIX #12: ütf", "fix-12-ütf"), ("a.b_c-d", "a.b_c-d"), ("..x..", "x")],
)
def test_a_name_becomes_a_folder_below_the_tasks(root: Path, given: str, name: str):
    """S3-205"""
    assert task_files.find_task_folder(str(root), str(root), given) == f"{root}/.tasks/{name}"


def test_a_path_is_itself(root: Path):
    assert task_files.find_task_folder(str(root), f"{root}/sub", "./jobs/x/") == f"{root}/sub/jobs/x"
    assert task_files.find_task_folder(str(root), "/", f"{root}/jobs") == f"{root}/jobs"


@pytest.mark.parametrize(
    "given", ["", "  ", "...", "/etc/cron.d", "../other", "~/x", "./", "./.git/hooks", ".claude/commands"]
)
def test_no_task_is_outside_the_project_or_where_it_is_governed(root: Path, given: str):
    with pytest.raises(LayerError) as caught:
        task_files.find_task_folder(str(root), str(root), given)
    assert caught.value.code == "VALIDATION_ERROR"


def test_a_link_leads_nobody_out(root: Path, tmp_path: Path):
    (tmp_path / "outside").mkdir()
    (root / ".tasks").symlink_to(tmp_path / "outside")
    with pytest.raises(LayerError):
        task_files.find_task_folder(str(root), str(root), "t")
    with pytest.raises(LayerError):
        task_files.append_log_entry(str(root), effort(root), "x")
    assert not list((tmp_path / "outside").iterdir())


def test_a_project_behind_a_link_is_one(root: Path, tmp_path: Path):
    (tmp_path / "link").symlink_to(root)
    assert task_files.find_task_folder(f"{tmp_path}/link", f"{tmp_path}/link", "t") == f"{tmp_path}/link/.tasks/t"


def test_a_path_through_a_link_is_the_folder_that_it_leads_to(root: Path, tmp_path: Path):
    """S3-012: an absolute path was refused, and a log behind a link in the project failed later."""
    (tmp_path / "link").symlink_to(root)
    assert task_files.find_task_folder(str(root), "/", f"{tmp_path}/link/jobs/x") == f"{root}/jobs/x"
    assert task_files.find_task_folder(f"{tmp_path}/link", "/", f"{root}/jobs/x") == f"{tmp_path}/link/jobs/x"
    (root / "jobs").mkdir()
    (root / "short").symlink_to(root / "jobs")
    assert task_files.find_task_folder(str(root), str(root), "short/x") == f"{root}/jobs/x"


@pytest.mark.parametrize("leads", ["outside", "project/.git", "project"])
def test_a_path_through_a_link_is_refused_where_it_leads_outside_or_to_what_governs(
    root: Path, tmp_path: Path, leads: str
):
    target = {"outside": tmp_path / "outside", "project/.git": root / ".git", "project": root}[leads]
    target.mkdir(exist_ok=True)
    (tmp_path / "link").symlink_to(target)
    with pytest.raises(LayerError) as caught:
        task_files.find_task_folder(str(root), str(root), f"{tmp_path}/link" + ("/x" if leads != "project" else ""))
    assert caught.value.code == "VALIDATION_ERROR"


def test_a_log_is_made_with_its_folder_and_grows_by_entries(root: Path):
    """S3-012, S3-195, S3-196"""
    path = task_files.append_log_entry(str(root), effort(root), "one")
    assert path == f"{root}/.tasks/t/2_IMPLEMENT_LOG.md"
    task_files.append_log_entry(str(root), effort(root), "two\n")
    assert Path(path).read_text() == "one\n\ntwo\n"


def test_a_log_that_is_a_link_is_not_written_through(root: Path, tmp_path: Path):
    target = tmp_path / "target"
    target.write_text("mine")
    (root / ".tasks/t").mkdir(parents=True)
    (root / ".tasks/t/2_IMPLEMENT_LOG.md").symlink_to(target)
    with pytest.raises(LayerError) as caught:
        task_files.append_log_entry(str(root), effort(root), "x")
    assert "cannot be written" in caught.value.message
    assert target.read_text() == "mine"


def test_half_an_entry_is_none(root: Path, monkeypatch: pytest.MonkeyPatch):
    path = task_files.append_log_entry(str(root), effort(root), "one")
    whole = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: whole(descriptor, data[:3]))
    with pytest.raises(LayerError, match="disk is full"):
        task_files.append_log_entry(str(root), effort(root), "two")
    assert Path(path).read_text() == "one\n"


def test_many_writers_lose_nothing(root: Path):
    entries = [f"entry {number} " + "x" * 500 for number in range(60)]
    with ThreadPoolExecutor(8) as pool:
        (path,) = set(pool.map(lambda entry: task_files.append_log_entry(str(root), effort(root), entry), entries))
    assert sorted(Path(path).read_text().rstrip("\n").split("\n\n")) == sorted(entries)


def test_documents_and_debriefs_are_those_that_exist(root: Path):
    """S3-195, S3-206"""
    folder = root / ".tasks/t"
    folder.mkdir(parents=True)
    for name in ("2_B_LOG.md", "1_A.md", ".hidden.md", "notes.txt"):
        (folder / name).write_text("x")
    assert task_files.list_documents(str(folder)) == (f"{folder}/1_A.md", f"{folder}/2_B_LOG.md")
    assert task_files.list_documents(str(root / "nowhere")) == ()
    done = effort(root, skill="a", ordinal=1, finished=True)
    assert task_files.list_debriefs([done, effort(root, skill="c", finished=True)]) == (f"{folder}/1_A.md",)
    assert task_files.list_debriefs([effort(root, skill="a", ordinal=1)]) == ()


def test_the_time_goes_behind_the_first_heading_only():
    """S3-196"""
    assert stamp_entry("## One\ntext\n## Two", WHEN) == f"## [{WHEN}] One\ntext\n## Two"


def test_without_a_heading_or_with_a_bracket_the_text_stays():
    """S3-196"""
    for text in ("plain", "# title", "### deeper", "say ## not a heading", "## [2020-01-01] Own"):
        assert stamp_entry(text, WHEN) == text


def test_a_heading_further_down_is_the_first_one_too():
    assert stamp_entry("intro\n\n## One", WHEN) == f"intro\n\n## [{WHEN}] One"


def test_entries_stand_apart_by_one_blank_line_whatever_the_file_ends_with():
    """S3-196"""
    for before in (b"old", b"old\n", b"old\n\n"):
        assert (before + separate_entry(before, "\nnew\n\n")) == b"old\n\nnew\n"
    assert separate_entry(b"", "new") == b"new\n"


@given(st.lists(st.text(st.characters(exclude_characters="\r"), min_size=1).filter(lambda text: text.strip("\n"))))
def test_a_log_is_its_entries_with_blank_lines_between(entries: list[str]):
    written = b""
    for entry in entries:
        written += separate_entry(written[-2:], entry)
    assert written == b"\n".join(entry.strip("\n").encode("utf-8", "replace") + b"\n" for entry in entries)
