"""Start-up files of a person's shell, changed by tools that edit: as if a command had changed them."""

import json

import pytest

from tests.daemon.setting import Setting

LINES = {
    "a yes": "synaptic allow k7qmd",
    "a yes among others": "alias ll='ls -la'\nexport EDITOR=vim\nsynaptic trust --yes\n",
    "a name that stands for the engine": "alias synaptic=/tmp/x",
    "a function of its name": 'synaptic() { /tmp/x "$@"; }',
    "a library before every program": "export LD_PRELOAD=/tmp/x.so",
    "a home deleted": "rm -rf ~",
    "the settings written": "echo 'presets = []' > ~/.synaptic/config.toml",
}
FILES = (".bashrc", ".profile", ".zshenv", ".config/fish/config.fish")


def decide(setting: Setting, tool: str, **given: object) -> str:
    answer = setting.answer(setting.elsewhere(tool_name=tool, tool_input=given))
    said = json.loads(answer.stdout).get("hookSpecificOutput", {}) if answer.stdout else {}
    return str(said.get("permissionDecision", "none"))


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("file", FILES)
def test_what_a_shell_will_run_is_judged_when_it_is_written(setting: Setting, file: str, name: str) -> None:
    path, text = str(setting.user / file), LINES[name]
    assert decide(setting, "Write", file_path=path, content=text) in ("ask", "deny")


@pytest.mark.parametrize("name", LINES)
def test_what_an_edit_puts_there_is_judged(setting: Setting, name: str) -> None:
    path, text = str(setting.user / ".bashrc"), LINES[name]
    assert decide(setting, "Edit", file_path=path, old_string="x", new_string=text) in ("ask", "deny")
    edits = [{"old_string": "x", "new_string": "y"}, {"old_string": "z", "new_string": text}]
    assert decide(setting, "MultiEdit", file_path=path, edits=edits) in ("ask", "deny")


@pytest.mark.parametrize("text", ["alias ll='ls -la'", 'export PATH="$HOME/.local/bin:$PATH"', "# synaptic down", ""])
@pytest.mark.parametrize("file", FILES)
def test_ordinary_lines_are_free(setting: Setting, file: str, text: str) -> None:
    path = str(setting.user / file)
    assert decide(setting, "Write", file_path=path, content=f"{text}\n") == "none"
    assert decide(setting, "Edit", file_path=path, old_string="x", new_string=text) == "none"


def test_a_file_of_that_name_in_the_project_is_no_start_of_a_shell(setting: Setting) -> None:
    assert (
        decide(setting, "Write", file_path=str(setting.project / "dots" / ".bashrc"), content="alias synaptic=x")
        == "none"
    )
