import os
import subprocess
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synaptic.model.environment import build_project_variables
from synaptic.model.errors import SettingsError
from synaptic.setup.env import LIBRARY, format_assignment, format_env, locate_env, read_env, remove_env, write_env

KEYS = [
    "SYNAPTIC_PROJECT_ROOT", "SYNAPTIC_ROOT", "SYNAPTIC_SHARED", "SYNAPTIC_SKILLS",
    "SYNAPTIC_CHANNEL", "SYNAPTIC_AGENTS",
]  # fmt: skip
HOSTILE = [
    "plain",
    "my $x \"p\"",
    "it's",
    "back\\slash",
    "`id`",
    "$(id)",
    "it's $HOME",
    "it's `x` \"q\" \\",
    "two\nlines",
    "ends in newline\n",
    "'$`\"\\\n\t#;%s%.",
    "ünïcödé 日本 🙂",
    "tab\there",
    "trailing\\",
    "~",
    "!!",
    "a#b",
    "\x01\x7f",
    "-\x1f",
    "--\n'$x",
]  # fmt: skip
SHELLS = [
    ["bash", "--norc", "-euc", 'source "$1"; printf "%s\\0" "$V"', "-"],
    ["dash", "-euc", '. "$1"; printf "%s\\0" "$V"', "-"],
]


def sourced(shell, path):
    done = subprocess.run([*shell, str(path)], capture_output=True, check=True, env={"PATH": os.environ["PATH"]})
    assert done.stderr == b""
    return done.stdout.removesuffix(b"\0").decode()


@pytest.mark.parametrize("shell", SHELLS, ids=["bash", "dash"])
@pytest.mark.parametrize("value", HOSTILE)
def test_both_readers_see_the_same_value(value, shell, tmp_path):
    """S0-111, S0-112"""
    path = tmp_path / "v.toml"
    path.write_bytes(format_env({"V": value}))
    assert tomllib.loads(path.read_bytes().decode())["V"] == value
    assert sourced(shell, path) == value


@settings(max_examples=40, deadline=None)
@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30) | st.text("'\"$`\\\n a#%!", max_size=12)
)
def test_any_value_that_a_path_can_have_reads_equally(tmp_path_factory, value):
    """S0-112"""
    path = tmp_path_factory.mktemp("env") / "v.toml"
    path.write_bytes(format_env({"V": value}))
    assert tomllib.loads(path.read_bytes().decode())["V"] == value
    assert [sourced(shell, path) for shell in SHELLS] == [value, value]


def test_an_ordinary_value_is_written_as_people_expect():
    """S0-111: no spaces round `=`, no table."""
    assert format_assignment("K", "/a b/c") == 'K="/a b/c"'
    assert format_assignment("K", 'a "b" $c') == "K='a \"b\" $c'"


def test_nothing_in_a_value_is_executed(tmp_path):
    marker = tmp_path / "ran"
    for number, value in enumerate(
        (f"$(touch {marker})", f"it's `touch {marker}`", f"'; touch {marker}; '$", f"\n'$(touch {marker})")
    ):
        path = tmp_path / f"{number}.toml"
        path.write_bytes(format_env({"V": value}))
        assert [sourced(shell, path) for shell in SHELLS] == [value, value]
    assert not marker.exists()


def test_six_keys_with_the_root_burned_in(tmp_path):
    """S0-110"""
    path = write_env(tmp_path)
    assert path == tmp_path / ".synaptic" / "env.toml"
    values = tomllib.loads(path.read_text())
    assert list(values) == KEYS
    assert values == build_project_variables(str(tmp_path), "main", "claude")
    assert all(value.startswith("/") for value in list(values.values())[:4])
    assert len(path.read_text().splitlines()) == 6


@pytest.mark.parametrize("name", ['my $x "p"', "it's $x", "new\nline"])
def test_a_script_sources_the_file_and_sees_its_own_project(name, tmp_path):
    """S0-111, S0-112, S0-113: two projects, each its own root."""
    for root in (tmp_path / name, tmp_path / "other"):
        root.mkdir()
        write_env(root)
        script = 'set -e; source "$1"; printf %s "$SYNAPTIC_PROJECT_ROOT"'
        done = subprocess.run(["bash", "-c", script, "-", str(locate_env(root))], capture_output=True, check=True)
        assert done.stdout.decode() == str(root) == read_env(root)["SYNAPTIC_PROJECT_ROOT"]


def test_a_deleted_file_is_written_anew(tmp_path):
    """S0-114"""
    write_env(tmp_path).unlink()
    assert read_env(tmp_path)["SYNAPTIC_PROJECT_ROOT"] == str(tmp_path)
    assert locate_env(tmp_path).exists()


def test_channel_and_agents_stay_and_a_moved_root_is_corrected(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    write_env(old, channel="beta", agents="claude,codex")
    old.rename(new)
    write_env(new)
    values = read_env(new)
    assert (values["SYNAPTIC_CHANNEL"], values["SYNAPTIC_AGENTS"]) == ("beta", "claude,codex")
    assert values["SYNAPTIC_PROJECT_ROOT"] == str(new)
    write_env(new, channel="main")
    assert read_env(new)["SYNAPTIC_CHANNEL"] == "main"


def test_writing_twice_touches_nothing(tmp_path):
    path = write_env(tmp_path)
    before = (path.stat().st_ino, path.with_name(".gitignore").stat().st_ino)
    write_env(tmp_path)
    assert (path.stat().st_ino, path.with_name(".gitignore").stat().st_ino) == before


def test_a_damaged_file_is_told_by_reading_and_replaced_by_writing(tmp_path):
    path = write_env(tmp_path)
    path.write_text("KEY = = 1")
    with pytest.raises(SettingsError, match=r"env\.toml.*invalid TOML"):
        read_env(tmp_path)
    write_env(tmp_path)
    assert list(read_env(tmp_path)) == KEYS


def test_machine_local_things_are_ignored_by_git_and_other_lines_stay(tmp_path):
    """S0-114"""
    ignored = tmp_path / ".synaptic" / ".gitignore"
    write_env(tmp_path)
    assert ignored.read_text() == "env.toml\nlogs/\nrun/\n.install/\nhooks/.registry.lock\n"
    ignored.write_text("/logs\nmine")
    write_env(tmp_path)
    assert ignored.read_text() == "/logs\nmine\nenv.toml\nrun/\n.install/\nhooks/.registry.lock\n"


def test_the_logs_folder_is_there_for_a_strict_script(tmp_path):
    """S0-051"""
    path = write_env(tmp_path)
    script = 'set -euo pipefail; source "$1"; echo line >> "$SYNAPTIC_ROOT/logs/audit.log"'
    subprocess.run(["bash", "-c", script, "-", str(path)], check=True)
    assert (tmp_path / ".synaptic" / "logs" / "audit.log").read_text() == "line\n"


def test_removal_takes_what_came_and_leaves_what_is_used(tmp_path):
    write_env(tmp_path)
    assert remove_env(tmp_path)
    assert not (tmp_path / ".synaptic").exists()
    assert not remove_env(tmp_path)
    write_env(tmp_path)
    (tmp_path / ".synaptic" / "logs" / "audit.log").write_text("line\n")
    (tmp_path / ".synaptic" / ".gitignore").write_text("env.toml\nlogs/\nrun/\n.install/\nhooks/.registry.lock\nmine\n")
    remove_env(tmp_path)
    assert sorted(file.name for file in (tmp_path / ".synaptic").rglob("*")) == [".gitignore", "audit.log", "logs"]


def test_a_path_that_is_not_utf8_is_refused_with_its_name(tmp_path):
    with pytest.raises(SettingsError, match="not UTF-8"):
        write_env(tmp_path / "\udcff")
    assert not list(tmp_path.iterdir())


def test_a_project_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / ".synaptic").write_text("a file")
    with pytest.raises(SettingsError, match=r"\.synaptic"):
        write_env(tmp_path)


def test_the_shell_libraries_are_where_a_hook_script_sources_them(tmp_path: Path):
    """S4-020, S4-030"""
    write_env(tmp_path)
    folder = tmp_path / ".synaptic" / "lib"
    assert {file.name for file in folder.iterdir()} == {".gitignore", "context-lib.sh", "log.sh"}
    assert (folder / "log.sh").read_bytes() == (LIBRARY / "log.sh").read_bytes()


def test_an_old_library_is_replaced_and_an_equal_one_is_left_alone(tmp_path: Path):
    write_env(tmp_path)
    kept = (tmp_path / ".synaptic" / "lib" / "log.sh").stat().st_ino
    (tmp_path / ".synaptic" / "lib" / "context-lib.sh").write_text("old")
    write_env(tmp_path)
    assert (tmp_path / ".synaptic" / "lib" / "log.sh").stat().st_ino == kept
    assert "SOURCE_EXTENSIONS" in (tmp_path / ".synaptic" / "lib" / "context-lib.sh").read_text()


def test_removal_takes_the_libraries_away_and_keeps_what_somebody_changed(tmp_path: Path):
    write_env(tmp_path)
    (tmp_path / ".synaptic" / "lib" / "log.sh").write_text("mine")
    remove_env(tmp_path)
    assert [file.name for file in (tmp_path / ".synaptic").rglob("*")] == ["lib", "log.sh"]
    (tmp_path / ".synaptic" / "lib" / "log.sh").unlink()
    write_env(tmp_path)
    remove_env(tmp_path)
    assert not (tmp_path / ".synaptic").exists()
