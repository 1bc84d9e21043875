import os

import pytest

from synaptic.model.refusal import Refusal
from synaptic.packages.folder import SOURCE_FILE_LIMIT, make_file_row, parse_frontmatter, read_folder
from synaptic.packages.hashes import find_corrupt, hash_text
from tests.packages.authoring import HOOK, SCRIPT, read_package, write_package


def refusal(folder):
    with pytest.raises(Refusal) as refused:
        read_folder(folder)
    assert refused.value.code == "validation_failed"
    return str(refused.value)


def test_a_folder_becomes_rows_that_match_their_hashes(tmp_path):
    files = {"hooks/pre.sh": SCRIPT, "skills/x/SKILL.md": "---\nname: x\nmodel: opus\n---\ntext\n", "README.md": "r"}
    bundle = read_package(tmp_path, files=files).bundle
    assert [file.dest_path for file in bundle.files] == ["README.md", "hooks/pre.sh", "skills/x/SKILL.md"]
    assert find_corrupt(bundle) == ()
    assert bundle.files[2].fm_model == "opus"
    assert bundle.package.labels == ("one", "two")
    [hook] = bundle.hooks
    assert (hook.event, hook.matcher, hook.priority, hook.blocking) == ("PreToolUse", "Bash", 20, True)


@pytest.mark.parametrize(
    ("path", "kind", "content", "template"),
    [
        ("skills/x/SKILL.md.j2", "skill", "markdown", True),
        ("agents/a.md", "agent", "markdown", False),
        ("commands/c.md", "command", "markdown", False),
        ("scripts/s.py", "script", "python", False),
        ("hooks/h.sh", "hook", "text", False),
        ("data/x.yaml", "config", "yaml", False),
        ("data/x.yml.j2", "config", "yaml", True),
        ("x.json", "config", "json", False),
        ("hooks", "config", "text", False),
    ],
)
def test_a_file_is_classified_by_its_first_folder_and_its_extensions(path, kind, content, template):
    """S0-142"""
    row = make_file_row("p", path, "x")
    assert (row.file_type, row.content_type, row.is_template) == (kind, content, template)


def test_frontmatter_is_copied_out_and_the_content_stays():
    """S0-141"""
    text = "---\nname: x\ndescription: y\nversion: 1.5\nmodel: opus\nwhen: 2026-01-01\n---\nbody"
    row = make_file_row("p", "skills/a.md", text)
    assert (row.fm_name, row.fm_description, row.fm_version, row.fm_model) == ("x", "y", "1.5", "opus")
    assert row.frontmatter["when"] == "2026-01-01"
    assert (row.content, row.sha256) == (text, hash_text(text))


@pytest.mark.parametrize(
    "head", ["---\n: : [\n---\n", "---\n- a\n---\n", "---\nname: x\n", "name: x\n", "", "---\n---\n"]
)
def test_frontmatter_that_is_no_table_is_none_and_the_content_stays(head):
    """S0-141"""
    row = make_file_row("p", "skills/a.md", head + "body")
    assert (row.frontmatter, row.fm_name) == (None, None)
    assert row.content == head + "body"
    assert parse_frontmatter(head) is None


def test_a_link_is_refused_wherever_it_leads(tmp_path):
    folder = write_package(tmp_path)
    (folder / "hooks" / "link.sh").symlink_to("pre.sh")
    assert "symbolic link" in refusal(folder)


def test_a_linked_folder_is_refused(tmp_path):
    folder = write_package(tmp_path)
    (folder / "etc").symlink_to("/etc")
    assert "symbolic link" in refusal(folder)


def test_a_pipe_is_refused_and_not_read(tmp_path):
    folder = write_package(tmp_path)
    os.mkfifo(folder / "pipe")
    assert "no regular file" in refusal(folder)


def test_a_huge_file_is_refused(tmp_path):
    folder = write_package(tmp_path)
    (folder / "big.txt").write_text("x" * (SOURCE_FILE_LIMIT + 1))
    assert "larger than 1 MiB" in refusal(folder)


@pytest.mark.parametrize("data", [b"\xff\xfe", b"a\0b"])
def test_a_file_that_is_no_text_is_refused(tmp_path, data):
    folder = write_package(tmp_path)
    (folder / "x.bin").write_bytes(data)
    assert "no UTF-8 text" in refusal(folder)


def test_a_folder_of_the_runtime_is_no_part_of_a_package(tmp_path):
    """S0-139: hidden folders are not read at all"""
    folder = write_package(tmp_path)
    (folder / ".synaptic").mkdir()
    (folder / ".synaptic" / "x").touch()
    assert [file.dest_path for file in read_folder(folder).bundle.files] == ["hooks/pre.sh"]


def test_a_hook_without_its_script_is_refused(tmp_path):
    """S0-134"""
    folder = write_package(tmp_path, files={"scripts/pre.sh": SCRIPT})
    assert "`hooks/pre.sh` is no file below hooks/" in refusal(folder)


def test_a_script_outside_of_hooks_is_no_hook(tmp_path):
    """S0-134"""
    folder = write_package(tmp_path, more=HOOK.replace("hooks/pre.sh", "scripts/a.sh"), files={"scripts/a.sh": SCRIPT})
    assert "no file below hooks/" in refusal(folder)


def test_a_hook_may_be_a_template(tmp_path):
    assert read_package(tmp_path, files={"hooks/pre.sh.j2": SCRIPT}).bundle.hooks


def test_a_folder_without_manifest_says_how_to_make_one(tmp_path):
    with pytest.raises(Refusal) as refused:
        read_folder(tmp_path)
    assert (refused.value.code, refused.value.hint) == ("not_found", "synaptic package init")
