import os
import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from synaptic.model.errors import SettingsError
from synaptic.model.home import Home
from synaptic.setup.profile import PATH_MARKER, LoginShell, add_path, format_path_line, remove_path


@pytest.fixture
def home(tmp_path):
    root = tmp_path / ".synaptic"
    root.mkdir()
    return Home(root)


def shell(tmp_path, path="/bin/zsh", **more):
    return LoginShell(path, tmp_path, **more)


@pytest.mark.parametrize(
    ("path", "file"),
    [
        ("/bin/zsh", ".zshrc"),
        ("/usr/bin/bash", ".bashrc"),
        ("/usr/local/bin/fish", ".config/fish/config.fish"),
        ("/bin/sh", ".profile"),
        ("", ".profile"),
    ],
)
def test_the_line_goes_into_the_file_of_the_active_shell(path, file, tmp_path, home):
    """S0-011"""
    assert add_path(shell(tmp_path, path), home)
    text = (tmp_path / file).read_text()
    want = f"fish_add_path --path '{home.bin}'" if "fish" in path else f'export PATH="{home.bin}:$PATH"'
    assert text == f"{PATH_MARKER}\n{want}\n"


def test_zdotdir_is_where_zsh_looks(tmp_path, home):
    add_path(shell(tmp_path, zdotdir=tmp_path / "z"), home)
    assert (tmp_path / "z" / ".zshrc").exists()
    assert not (tmp_path / ".zshrc").exists()


def test_three_times_is_one_line(tmp_path, home):
    """S0-007"""
    assert [add_path(shell(tmp_path), home) for _ in range(3)] == [True, False, False]
    assert (tmp_path / ".zshrc").read_text().count(str(home.bin)) == 1


@pytest.mark.parametrize(
    "line",
    [
        'export PATH="$HOME/.synaptic/bin:$PATH"',
        "PATH=$PATH:${HOME}/.synaptic/bin",
        "path+=(~/.synaptic/bin)",
        'export PATH="$HOME"/.synaptic/bin:$PATH',
        "  export PATH=/usr/bin:{bin}",
        "fish_add_path {bin}",
    ],
)
def test_a_line_of_the_users_own_is_enough(line, tmp_path, home):
    """S0-007"""
    rc = tmp_path / ".zshrc"
    rc.write_text(line.replace("{bin}", str(home.bin)))
    before = rc.read_bytes()
    assert not add_path(shell(tmp_path), home)
    assert rc.read_bytes() == before


@pytest.mark.parametrize(
    "line", ["# export PATH={bin}:$PATH", "export PATH={bin}2:$PATH", "ls {bin}", "export PATH={bin}/x:$PATH"]
)
def test_a_line_that_does_something_else_is_not(line, tmp_path, home):
    (tmp_path / ".zshrc").write_text(line.replace("{bin}", str(home.bin)) + "\n")
    assert add_path(shell(tmp_path), home)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=40) | st.sampled_from([b"", b"a=1", b"a=1\n", b"a=1\n\n", b"\xff\xfe no newline"]))
def test_adding_and_removing_is_identity(tmp_path, home, before):
    rc = tmp_path / ".zshrc"
    rc.write_bytes(before)
    add_path(shell(tmp_path), home)
    assert rc.read_bytes().startswith(before)
    assert remove_path(home, rc)
    assert rc.read_bytes() == before


def test_a_file_made_for_the_line_goes_with_it(tmp_path, home):
    add_path(shell(tmp_path, "/bin/fish"), home)
    assert remove_path(home, tmp_path / ".config" / "fish" / "config.fish")
    assert not (tmp_path / ".config").exists()


def test_a_file_made_for_the_line_stays_when_something_was_added(tmp_path, home):
    add_path(shell(tmp_path), home)
    rc = tmp_path / ".zshrc"
    rc.write_text(rc.read_text() + "alias x=y\n")
    remove_path(home, rc)
    assert rc.read_text() == "alias x=y\n"


def test_lines_before_and_after_are_never_joined(tmp_path, home):
    rc = tmp_path / ".zshrc"
    rc.write_text("a=1")
    add_path(shell(tmp_path), home)
    rc.write_text(rc.read_text() + "b=2\n")
    remove_path(home, rc)
    assert rc.read_text() == "a=1\nb=2\n"


def test_without_a_memory_the_marker_tells_what_is_ours(tmp_path, home):
    rc = tmp_path / ".zshrc"
    rc.write_text(f'a=1\n{PATH_MARKER}\nexport PATH="/old:$PATH"\nb=2\n')
    assert remove_path(home, rc)
    assert rc.read_text() == "a=1\nb=2\n"
    assert not remove_path(home, rc)


def test_a_linked_profile_stays_a_link(tmp_path, home):
    real = tmp_path / "dotfiles"
    real.write_text("a=1\n")
    real.chmod(0o600)
    (tmp_path / ".zshrc").symlink_to(real)
    add_path(shell(tmp_path), home)
    assert (tmp_path / ".zshrc").is_symlink()
    assert PATH_MARKER in real.read_text()
    assert real.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["a b", 'q"q', "d$HOME", "b`id`", "s'q", "back\\slash", "ü"])
def test_the_shell_sees_the_folder_whatever_it_is_called(name, tmp_path):
    """S0-011"""
    strange = Home(tmp_path / name / ".synaptic")
    line = format_path_line(LoginShell("/bin/bash", tmp_path), strange)
    for program in ("bash", "dash"):
        done = subprocess.run(
            [program, "-c", f'{line}\nprintf %s "$PATH"'],
            capture_output=True,
            check=True,
            env={"PATH": os.environ["PATH"]},
        )
        assert done.stdout.decode() == f"{strange.bin}:{os.environ['PATH']}"


def test_a_folder_that_path_cannot_hold_is_refused(tmp_path):
    with pytest.raises(SettingsError, match="colon"):
        format_path_line(LoginShell("/bin/bash", tmp_path), Home(tmp_path / "a:b"))
