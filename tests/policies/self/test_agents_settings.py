"""No agent is told without its settings being guarded: what bootstrap would write, nobody but the user changes."""

from pathlib import Path

import msgspec
import pytest

from synaptic.agents.base import UserEnvironment
from synaptic.agents.shared.discover import find_agent, list_agent_names, load_agents
from synaptic.agents.shared.guarded import NO_GUARDED_PATHS, find_moved_paths
from synaptic.agents.shared.ours import EntryPlan
from synaptic.model.decision import Kind
from synaptic.model.event import PreToolUse
from synaptic.policies.facts import Facts, with_command
from synaptic.policies.self.engine_files import EngineFiles
from tests.daemon.setting import Setting

HOME, ROOT = "/home/u", "/home/u/project"
PLAN = EntryPlan(f"{HOME}/.synaptic/bin/dispatch", "0" * 32)
MOVED = [(agent.name, variable) for agent in load_agents() for variable in agent.variables]
ELSEWHERE = "/srv/Agents/moved"


def said(tool: str, given: dict, variables: dict[str, str]) -> Kind | None:
    event = PreToolUse(hook_event_name="PreToolUse", cwd=ROOT, tool_name=tool, tool_input=given)
    moved = find_moved_paths(tuple(variables.items())) if variables else NO_GUARDED_PATHS
    facts = with_command(Facts(root=ROOT, home=HOME, moved_settings=moved), event)
    verdict = EngineFiles().check(event, facts)
    return verdict.kind if verdict else None


def written(agent: str, variables: dict[str, str]) -> list[str]:
    return [str(file.path) for file in find_agent(agent).list_files(UserEnvironment(Path(HOME), variables), PLAN)]


def assert_guarded(path: str, variables: dict[str, str]) -> None:
    folder, _, name = path.rpartition("/")
    assert said("Write", {"file_path": path, "content": ""}, variables) is Kind.DENY, path
    assert said("Edit", {"file_path": path, "old_string": "a", "new_string": "b"}, variables) is Kind.DENY, path
    commands = (
        f"rm {path}",
        f"echo x > {path}",
        f"cd {folder} && rm {name}",
        f"sed -i s/a/b/ {path}",
        f"mv {path} /x",
        f"rm {path[:-2]}*",
    )
    for command in commands:
        assert said("Bash", {"command": command}, variables) is Kind.DENY, command
    assert said("Bash", {"command": f"cat {path}"}, variables) is None


@pytest.mark.parametrize("agent", list_agent_names())
def test_everything_that_bootstrap_would_write_is_guarded(agent):
    for path in written(agent, {}):
        assert_guarded(path, {})


@pytest.mark.parametrize(("agent", "variable"), MOVED)
def test_it_is_guarded_where_a_variable_has_moved_it(agent, variable):
    variables = {variable: ELSEWHERE}
    moved = [path for path in written(agent, variables) if path.startswith(ELSEWHERE)]
    assert moved
    for path in moved:
        assert_guarded(path, variables)
        assert said("Write", {"file_path": path, "content": ""}, {}) is None, "nothing else names that place"


@pytest.mark.parametrize(("agent", "variable"), [one for one in MOVED if one[1] != "AMP_SETTINGS_FILE"])
def test_the_moved_folder_and_the_switches_in_it_are_guarded(agent, variable):
    variables, found = {variable: ELSEWHERE}, find_agent(agent)
    folder = str(found.folder.locate(UserEnvironment(Path(HOME), variables)))
    assert said("Bash", {"command": f"rm -rf {folder}"}, variables) is Kind.DENY
    assert said("Bash", {"command": f"mv {folder} {folder}.old"}, variables) is Kind.DENY
    for switch in found.switches:
        assert_guarded(f"{folder}/{switch.file}", variables)
    assert said("Write", {"file_path": f"{folder}/notes.txt", "content": ""}, variables) is None


def test_a_folder_that_was_moved_into_the_project_is_reached_by_patterns_without_a_dot():
    variables = {"CODEX_HOME": f"{ROOT}/tools/codex"}
    assert said("Bash", {"command": "rm tools/c*/h*"}, variables) is Kind.DENY
    assert said("Bash", {"command": "rm tools/c*/h*"}, {}) is None
    assert said("Bash", {"command": "rm src/*.py"}, variables) is None


def test_a_variable_that_names_the_usual_folder_changes_nothing():
    variables = {"XDG_CONFIG_HOME": f"{HOME}/.config"}
    assert_guarded(f"{HOME}/.config/amp/settings.json", variables)
    assert said("Bash", {"command": "rm examples/timestamp"}, variables) is None


def test_the_variables_are_those_of_the_agents_environment(setting: Setting):
    path = str(setting.user / "moved" / "hooks.json")
    request = setting.request(tool_name="Write", tool_input={"file_path": path, "content": "{}"})
    assert b"decides whether" not in setting.answer(request).stdout
    moved = {**request.env, "CODEX_HOME": str(setting.user / "moved")}
    answer = setting.answer(msgspec.structs.replace(request, id="2", env=moved))
    assert b"decides whether this guard runs" in answer.stdout
