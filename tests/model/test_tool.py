from synaptic.model.tool import Tool


def test_a_command_is_only_the_shells() -> None:
    assert Tool("Bash", {"command": "ls"}).command == "ls"
    assert Tool("Write", {"command": "ls"}).command == ""
    assert Tool("Bash", {"command": 3}).command == ""


def test_paths_are_found_under_every_known_key() -> None:
    assert Tool("NotebookEdit", {"notebook_path": "/a", "path": "/b", "file_path": ""}).paths == ("/a", "/b")


def test_paths_of_a_patch_are_all_its_files_each_once() -> None:
    tool = Tool("ApplyPatch", {"file_path": "/a", "paths": ["/a", "/b", 3, ""]})
    assert tool.paths == ("/a", "/b") and tool.is_edit
    assert Tool("Read", {"paths": "/a"}).paths == ()


def test_a_rewrite_keeps_the_other_values() -> None:
    assert Tool("Bash", {"command": "ls", "timeout": 1}).replace_values(command="pwd") == {
        "command": "pwd",
        "timeout": 1,
    }


def test_kinds_of_tools() -> None:
    assert Tool("MultiEdit", {}).is_edit
    assert Tool("Grep", {}).is_read
    assert not Tool("Bash", {}).is_edit
