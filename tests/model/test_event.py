import pytest

from synaptic.model.event import ABILITY_EVENTS, CLAUDE_EVENTS, EVENTS, FileChanged, PreToolUse, Timing


def test_all_thirty_three_events_and_the_three_ability_events_are_typed() -> None:
    assert (len(CLAUDE_EVENTS), len(ABILITY_EVENTS), len(EVENTS)) == (33, 3, 36)


@pytest.mark.parametrize("name", sorted(EVENTS))
def test_every_event_has_a_docstring_and_a_subject_that_exists(name: str) -> None:
    kind = EVENTS[name]
    assert kind.__doc__
    assert isinstance(kind(hook_event_name=name).subject, str)


def test_only_these_may_influence_the_act() -> None:
    before = {name for name, kind in EVENTS.items() if kind.TIMING is Timing.BEFORE}
    assert before == {
        "PreToolUse", "PermissionRequest", "UserPromptSubmit", "UserPromptExpansion", "TaskCreated", "TaskCompleted",
        "PreCompact", "PreModelSwitch", "Elicitation", "ElicitationResult", "ConfigChange", "WorktreeCreate",
        "PreAbilityCall",
    }  # fmt: skip


def test_a_changed_file_is_matched_by_its_base_name() -> None:
    assert FileChanged(file_path="/a/b/.env").subject == ".env"


def test_a_rewritten_event_is_a_new_value() -> None:
    event = PreToolUse(tool_name="Bash", tool_input={"command": "ls"})
    assert event.with_input({"command": "pwd"}).tool.command == "pwd"
    assert event.tool.command == "ls"
