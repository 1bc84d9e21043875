"""Home and PATH come from the installation."""

import os
import pwd
from pathlib import Path

from synaptic.engine.environment import InstalledEnvironment
from synaptic.model.environment import SYSTEM_PATH
from synaptic.model.home import Home


def installed(tmp_path: Path, path: str = "") -> InstalledEnvironment:
    home = Home(tmp_path / ".synaptic")
    home.root.mkdir()
    home.engine.write_text(f"python=/x\npath={path}\n" if path else "python=/x\n")
    return InstalledEnvironment(home)


def test_the_event_s_variables_are_kept_and_its_home_is_not(tmp_path: Path):
    assert installed(tmp_path).add_home({"A": "1", "HOME": "/evil", "SHELL": "/evil"}) == {
        "A": "1",
        "HOME": str(tmp_path),
        "SHELL": pwd.getpwuid(os.geteuid()).pw_shell,
    }


def test_without_a_note_the_folders_of_the_system_come_first(tmp_path: Path):
    assert installed(tmp_path).choose_path("", "/p") == SYSTEM_PATH


def test_folders_of_the_project_never_count(tmp_path: Path):
    chosen = installed(tmp_path, "/usr/bin:/p/bin:relative").choose_path("/p/more:/usr/lib", "/p")
    assert chosen == "/usr/bin:/usr/lib"
