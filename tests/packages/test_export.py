import msgspec
import pytest

from synaptic.model.refusal import Refusal
from synaptic.packages.export import export_package
from synaptic.packages.folder import read_folder
from tests.packages.authoring import HOOK, SCRIPT, read_package

EVERYTHING = """\
author = "A <a@example.org>"
license = "Apache-2.0"
install_scope = "local-only"
agent_variant = "codex"
variant_of = "logical"
min_claude_version = "2.0"
requires = ["python3 >= 3.11"]
[package.variables]
a = [1, 2]
[package.options.deep]
b = true
[[deps]]
name = "rg"
type = "cli"
install = "apt install 'rip\\"grep'"
[[questions]]
id = "q"
prompt = "Which?"
choices = ["x", "y"]
default = "y"
order = 3
[[questions]]
id = "sure"
prompt = "Sure?"
type = "confirm"
default = true
"""


def test_an_exported_package_imports_to_the_same_rows(tmp_path):
    """S0-184"""
    files = {"hooks/pre.sh": SCRIPT, "a/b.md.j2": "---\nname: x\n---\n{{ answers.q }}", "x.txt": "a\\'b\r\n"}
    first = read_package(tmp_path / "a", files=files, more=EVERYTHING + HOOK)
    export_package(first.bundle, tmp_path / "b")
    again = read_folder(tmp_path / "b")
    assert again.bundle == first.bundle
    assert again.warnings == ()
    assert (tmp_path / "b" / "hooks" / "pre.sh").stat().st_mode & 0o111


def test_what_has_its_default_is_not_written(tmp_path):
    """S0-184"""
    export_package(read_package(tmp_path / "a").bundle, tmp_path / "b")
    assert "install_scope" not in (tmp_path / "b" / "package.toml").read_text()


@pytest.mark.parametrize("broken", ["file", "aggregate", "missing"])
def test_a_package_that_does_not_match_its_hashes_is_not_exported(tmp_path, broken):
    """S0-184"""
    bundle = read_package(tmp_path / "a").bundle
    if broken == "file":
        files = (msgspec.structs.replace(bundle.files[0], content="evil"),)
        bundle = msgspec.structs.replace(bundle, files=files)
    else:
        sha = "" if broken == "missing" else "0" * 64
        bundle = msgspec.structs.replace(bundle, package=msgspec.structs.replace(bundle.package, sha256=sha))
    with pytest.raises(Refusal, match="does not match its hashes"):
        export_package(bundle, tmp_path / "b")
    assert not (tmp_path / "b").exists()


def test_a_path_that_leads_out_is_refused_before_anything_is_written(tmp_path):
    """S0-139"""
    from synaptic.packages.hashes import hash_files

    bundle = read_package(tmp_path / "a").bundle
    files = (msgspec.structs.replace(bundle.files[0], dest_path="../evil"),)
    package = msgspec.structs.replace(bundle.package, sha256=hash_files(files))
    with pytest.raises(Refusal, match="leads out"):
        export_package(msgspec.structs.replace(bundle, files=files, package=package), tmp_path / "b")
    assert not (tmp_path / "b").exists()


def test_a_folder_with_something_in_it_is_left_alone(tmp_path):
    bundle = read_package(tmp_path / "a").bundle
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "mine").write_text("mine")
    with pytest.raises(Refusal, match="not empty"):
        export_package(bundle, tmp_path / "b")
    assert [path.name for path in (tmp_path / "b").iterdir()] == ["mine"]
