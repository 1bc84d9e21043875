"""Where agents' settings are, as the guard sees it."""

from pathlib import Path

import pytest

from synaptic.agents.shared.discover import find_agent, list_agent_names
from synaptic.agents.shared.guarded import (
    NO_GUARDED_PATHS,
    find_moved_paths,
    find_usual_paths,
    list_guarded_names,
    list_moving_variables,
)


def test_usual_files_are_below_the_folders_of_their_agents():
    usual = find_usual_paths()
    assert usual.folders == tuple(find_agent(agent).folder.usual_path for agent in list_agent_names())
    assert all(any(file.startswith(f"{folder}/") for folder in usual.folders) for file in usual.files)
    assert {".claude/settings.json", ".codex/config.toml", ".cline/hooks", ".config/opencode/plugins"} <= set(
        usual.files
    )


def test_a_folder_that_is_guarded_stands_for_what_is_in_it():
    assert list_guarded_names("cline") == ("hooks",)
    assert "hooks/synaptic.json" not in list_guarded_names("copilot")


@pytest.mark.parametrize("variable", list_moving_variables())
def test_every_variable_moves_something(variable):
    assert find_moved_paths(((variable, "/opt/x"),)) != NO_GUARDED_PATHS


def test_a_moved_folder_is_guarded_by_its_name_and_by_where_it_is(tmp_path: Path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    found = find_moved_paths((("CODEX_HOME", f"{tmp_path}/link"),))
    assert found.folders == (f"{tmp_path}/link", f"{tmp_path}/real")
    assert f"{tmp_path}/real/hooks.json" in found.files
    assert f"{tmp_path}/link/config.toml" in found.files


def test_one_variable_may_name_the_file_alone_and_its_folder_is_nobodys():
    found = find_moved_paths((("AMP_SETTINGS_FILE", "/x/own.json"),))
    assert found.folders == ()
    assert found.files == ("/x/own.json",)


@pytest.mark.parametrize("value", ["", "  ", "relative", "~/x"])
def test_what_names_no_place_on_this_machine_moves_nothing(value):
    assert find_moved_paths((("CODEX_HOME", value), ("AMP_SETTINGS_FILE", value))) == NO_GUARDED_PATHS
