from pathlib import Path

import pytest

from synaptic.model.errors import SettingsError
from synaptic.model.home import Home
from synaptic.setup.options import SetupChange, SetupReport, read_setup_options


def test_an_environment_describes_an_installation():
    environ = {"HOME": "/h", "SHELL": "/bin/zsh", "ZDOTDIR": "/z", "CLAUDE_CONFIG_DIR": "/c", "PATH": "/bin"}
    options = read_setup_options(environ, Home(Path("/h/.synaptic")))
    assert options.settings == Path("/c/settings.json")
    assert options.profile.file == Path("/z/.zshrc")
    assert options.search_path == "/bin"
    assert options.choices is None


def test_empty_variables_count_as_unset():
    options = read_setup_options({"HOME": "/h", "CLAUDE_CONFIG_DIR": "", "ZDOTDIR": ""}, Home(Path("/h/.synaptic")))
    assert options.settings == Path("/h/.claude/settings.json")
    assert options.profile.file == Path("/h/.profile")


def test_a_user_without_a_home_folder_is_told_what_to_set(monkeypatch):
    def nowhere():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", nowhere)
    with pytest.raises(SettingsError, match="set HOME"):
        read_setup_options({}, Home(Path("/h/.synaptic")))


def test_a_report_tells_what_changed_from_what_was_right():
    done, right = (SetupChange(what="x", path="/x", done=flag) for flag in (True, False))
    assert SetupReport((done, right)).done_changes == (done,)
