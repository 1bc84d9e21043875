"""Each way of installing is recognised by what it leaves behind, and has its own command for an upgrade."""

import json
from pathlib import Path

import pytest

from synaptic.model.home import Home
from synaptic.setup import origin
from synaptic.setup.origin import find_origin, format_command


def install(folder: Path, installer: str = "pip\n", **direct: object) -> tuple[str, str]:
    """An environment with the package and the installer's notes; its package and its prefix."""
    packages = folder / "lib" / "python3.12" / "site-packages"
    notes = packages / "synaptic_hooks-0.1.0.dist-info"
    notes.mkdir(parents=True)
    (packages / "synaptic").mkdir()
    (notes / "METADATA").write_text("Metadata-Version: 2.1\nName: synaptic-hooks\nVersion: 0.1.0\n")
    (notes / "INSTALLER").write_text(installer)
    if direct:
        (notes / "direct_url.json").write_text(json.dumps(direct))
    return str(packages / "synaptic"), str(folder)


def show(package: str, prefix: str) -> tuple[str, str]:
    found = find_origin(package, prefix)
    return found.by, "; ".join(map(format_command, found.upgrade))


def test_a_clone_is_pulled_and_set_up(tmp_path: Path) -> None:
    (tmp_path / "src" / "synaptic").mkdir(parents=True)
    (tmp_path / "Makefile").touch()
    want = f"git -C {tmp_path} pull --ff-only; make -C {tmp_path} up"
    assert show(str(tmp_path / "src" / "synaptic"), str(tmp_path / ".venv")) == ("clone", want)


def test_pip_in_an_environment(tmp_path: Path) -> None:
    want = f"{tmp_path}/bin/python -m pip install --upgrade synaptic-hooks"
    assert show(*install(tmp_path)) == ("pip", want)


def test_pip_from_a_folder_a_repository_or_an_address_takes_the_same_again(tmp_path: Path) -> None:
    start = f"{tmp_path / 'one'}/bin/python -m pip install --upgrade"
    folder = install(tmp_path / "one", url="file:///srv/synaptic", dir_info={})
    assert show(*folder) == ("pip", f"{start} /srv/synaptic")
    repository = install(tmp_path / "two", url="https://example.org/s.git", vcs_info={"vcs": "git"})
    assert show(*repository)[1].endswith(" git+https://example.org/s.git")
    address = install(tmp_path / "three", url="https://example.org/s.whl", archive_info={})
    assert show(*address)[1].endswith(" https://example.org/s.whl")


def test_uv_in_an_environment(tmp_path: Path) -> None:
    want = f"uv pip install --python {tmp_path}/bin/python --upgrade synaptic-hooks"
    assert show(*install(tmp_path, "uv\n")) == ("uv", want)


@pytest.mark.parametrize(
    ("note", "by", "command"),
    [
        ("uv-receipt.toml", "uv tool", "uv tool upgrade synaptic-hooks"),
        ("pipx_metadata.json", "pipx", "pipx upgrade synaptic-hooks"),
    ],
)
def test_tools_with_environments_of_their_own(tmp_path: Path, note: str, by: str, command: str) -> None:
    package, prefix = install(tmp_path)
    (tmp_path / note).touch()
    assert show(package, prefix) == (by, command)


def test_a_plugin_is_updated_by_the_agent(tmp_path: Path) -> None:
    folder = tmp_path / ".claude" / "plugins" / "synaptic"
    assert show(*install(folder))[0] == "plugin"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"url": 7}'])
def test_notes_that_are_damaged_say_nothing(tmp_path: Path, text: str) -> None:
    package, prefix = install(tmp_path)
    (Path(package).parent / "synaptic_hooks-0.1.0.dist-info" / "direct_url.json").write_text(text)
    assert show(package, prefix)[0] == "pip"


def test_a_source_with_blanks_is_quoted(tmp_path: Path) -> None:
    package = install(tmp_path, url="file:///srv/my; echo x", dir_info={})
    assert show(*package)[1].endswith("'/srv/my; echo x'")


def test_the_way_back_is_a_command_that_is_still_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Home(tmp_path / ".synaptic")
    monkeypatch.setattr(origin, "find_clone", lambda: "/srv/clone")
    assert origin.find_way_back(home, "") == "make -C /srv/clone up"
    monkeypatch.setattr(origin, "find_clone", lambda: "")
    elsewhere = tmp_path / "bin"
    for folder in (home.bin, elsewhere):
        folder.mkdir(parents=True)
        (folder / "synaptic").write_text("#!/bin/sh\n")
        (folder / "synaptic").chmod(0o755)
    assert origin.find_way_back(home, str(elsewhere)) == "synaptic up"
    # Its own command goes with the home: the one beside Python stays.
    assert origin.find_way_back(home, str(home.bin)) != "synaptic up"
