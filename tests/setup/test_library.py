"""The shell libraries in a project."""

from pathlib import Path

from synaptic.setup import library
from synaptic.setup.env import remove_env, write_env


def test_they_are_where_a_hook_script_sources_them(tmp_path: Path):
    """S4-020, S4-030"""
    write_env(tmp_path)
    folder = tmp_path / ".synaptic" / "lib"
    assert {file.name for file in folder.iterdir()} == {".gitignore", "context-lib.sh", "log.sh"}
    assert (folder / "log.sh").read_bytes() == (library.SHIPPED / "log.sh").read_bytes()


def test_an_old_one_is_replaced_and_an_equal_one_is_left_alone(tmp_path: Path):
    library.install(tmp_path / "lib")
    kept = (tmp_path / "lib" / "log.sh").stat().st_ino
    (tmp_path / "lib" / "context-lib.sh").write_text("old")
    library.install(tmp_path / "lib")
    assert (tmp_path / "lib" / "log.sh").stat().st_ino == kept
    assert "SOURCE_EXTENSIONS" in (tmp_path / "lib" / "context-lib.sh").read_text()


def test_removal_takes_them_away_and_keeps_what_somebody_changed(tmp_path: Path):
    write_env(tmp_path)
    (tmp_path / ".synaptic" / "lib" / "log.sh").write_text("mine")
    remove_env(tmp_path)
    assert [file.name for file in (tmp_path / ".synaptic").rglob("*")] == ["lib", "log.sh"]
    (tmp_path / ".synaptic" / "lib" / "log.sh").unlink()
    write_env(tmp_path)
    remove_env(tmp_path)
    assert not (tmp_path / ".synaptic").exists()
