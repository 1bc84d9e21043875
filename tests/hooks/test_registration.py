import json

from synaptic.hooks.config import Config
from synaptic.hooks.registration import HookRegistration, build_registration
from synaptic.hooks.sources import CatalogSources
from tests.hooks.projects import Project
from tests.hooks.test_yaml import BUILD_CHECK, PLAIN, TRACKER

ACTIVATION = """
id: skill_activation_prompt
event_type: UserPromptSubmit
enabled: true
handler:
  kind: script
  command: ./scripts/hooks/skill_activation_prompt.sh
effects:
  - suggest_abilities
  - optionally_emit_structured_intent
"""
EXAMPLE = """{
  "UserPromptSubmit": [
    {
      "id": "skill_activation_prompt",
      "handler": {
        "kind": "script",
        "command": "./scripts/hooks/skill_activation_prompt.sh"
      }
    }
  ],
  "PostAbilityCall": [
    {
      "id": "post_tool_use_tracker",
      "handler": {
        "kind": "script",
        "command": "./scripts/hooks/post_tool_use_tracker.sh"
      }
    }
  ],
  "SessionStop": [
    {
      "id": "session_stop_build_check",
      "handler": {
        "kind": "script",
        "command": "./scripts/hooks/session_stop_build_check.sh"
      }
    }
  ]
}"""


def built_in(project: Project) -> None:
    project.write(".system/hooks/skill_activation_prompt.yaml", ACTIVATION)
    project.write(".system/hooks/post_tool_use_tracker.yaml", TRACKER)
    project.write(".system/hooks/session_stop_build_check.yaml", f"{BUILD_CHECK}environments: [dev]\n")


def registered(project: Project, environment: str = "", extended: bool = False) -> HookRegistration:
    sources = CatalogSources(project.home, project.root)
    return build_registration(sources, Config(environment=environment), extended=extended)


def test_the_three_definitions_give_the_example_byte_for_byte(project: Project):
    """S2-023, S2-022"""
    built_in(project)
    assert registered(project, "dev").to_json() == EXAMPLE


def test_without_the_environment_the_disabled_hook_is_absent(project: Project):
    """S2-021, S2-022"""
    built_in(project)
    assert list(registered(project).groups) == ["UserPromptSubmit", "PostAbilityCall"]


def test_the_extended_form_is_enough_to_run(project: Project):
    """S2-024"""
    built_in(project)
    entry = registered(project, "dev", extended=True).groups["SessionStop"][0]
    assert entry["match"] == {"only_if_changed_paths": ["services/**", "apps/**"]}
    assert entry["blocking"] is False and entry["awaited"] is True


def test_a_hook_for_two_events_is_in_both_groups(project: Project):
    """S2-005"""
    project.write(".system/hooks/a.yaml", PLAIN.replace("PostAbilityCall", "[PostAbilityCall, SessionStart]"))
    assert {event: [e["id"] for e in entries] for event, entries in registered(project).groups.items()} == {
        "PostAbilityCall": ["a"],
        "SessionStart": ["a"],
    }


def test_the_order_within_a_group_is_priority_then_file_name(project: Project):
    """S2-028"""
    for name, priority in (("c", 50), ("a", 50), ("b", 10)):
        project.write(f".system/hooks/{name}.yaml", PLAIN.replace("id: a", f"id: {name}\npriority: {priority}"))
    assert [entry["id"] for entry in registered(project).groups["PostAbilityCall"]] == ["b", "a", "c"]


def test_a_broken_file_is_a_problem_and_the_rest_is_registered(project: Project):
    """S2-020"""
    built_in(project)
    project.write(".system/hooks/broken.yaml", "id: [")
    found = registered(project)
    assert "broken.yaml: is no valid YAML" in found.problems[0]
    assert len(found.groups) == 2


def test_no_folder_is_an_empty_registration(project: Project):
    """S2-016"""
    assert json.loads(registered(project).to_json()) == {}
