import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from synaptic.agents.base import WantedEntries
from synaptic.agents.claude.entries import (
    CLAUDE_SHAPE,
    REGISTERED_EVENTS,
    build_entries,
    build_wanted_entries,
    locate_managed_file,
    locate_managed_folder,
    locate_settings,
)
from synaptic.agents.shared import settings as editor
from synaptic.agents.shared.ours import EntryPlan, is_ours
from synaptic.agents.shared.settings import SettingsUndo
from synaptic.model.errors import SettingsError
from synaptic.model.hook import HttpEndpoint
from tests.agents.layouts import settings

DISPATCH = "/home/ann/.synaptic/bin/dispatch"
PLAN = EntryPlan(DISPATCH, "0123456789abcdef" * 2)
OTHER = EntryPlan("/elsewhere/.synaptic/bin/dispatch", "f" * 32, True, HttpEndpoint("http://127.0.0.1:9/hook/claude"))
FOREIGN = """{
   "permissions": {"allow": ["Bash"]},
   "hooks": {
      "PreToolUse": [{"matcher":"Bash","hooks":[{"type":"command","command":"mine"}]}]
   },
   "x": 1.50
}"""


def registration(text, plan):
    return editor.compare_entries(text, build_wanted_entries(plan))


def install(text, plan, undo=None):
    return editor.install_entries(text, build_wanted_entries(plan), undo)


def uninstall(text, dispatch, undo=None):
    return editor.uninstall_entries(text, WantedEntries(CLAUDE_SHAPE, dispatch, {}), undo)


def loaded(text):
    return json.loads(text.removeprefix("\ufeff"))


def without_ours(value):
    """The document less our groups; events and `hooks` that become empty by that are left out."""
    hooks = {
        event: [
            group
            for group in groups
            if not (isinstance(group, dict) and any(is_ours(h, DISPATCH) for h in group["hooks"]))
        ]
        for event, groups in value["hooks"].items()
    }
    return {**value, "hooks": hooks}


def padded(value):
    """The same document with every registered event present, to compare with."""
    return {**value, "hooks": {**{event: [] for event in REGISTERED_EVENTS}, **value.get("hooks", {})}}


@examples(deadline=None, max_examples=40)
@given(settings())
def test_insert_and_remove_is_identity_for_any_document(text):
    """S0-003: byte for byte, whatever the layout."""
    edited = install(text, PLAN)
    assert uninstall(edited.text, DISPATCH, edited.undo) == text


@examples(deadline=None, max_examples=40)
@given(settings())
def test_what_was_there_is_still_there_and_in_order(text):
    """S0-003, S4-046"""
    after = loaded(install(text, PLAN).text)
    assert without_ours(after) == padded(loaded(text))
    kept = [key for key in after if key in loaded(text)]
    assert kept == list(loaded(text))


@examples(deadline=None, max_examples=40)
@given(settings())
def test_twice_is_the_same_bytes(text):
    """S0-002"""
    edited = install(text, PLAN)
    assert install(edited.text, PLAN, edited.undo) is None
    assert registration(edited.text, PLAN).is_current


@examples(deadline=None, max_examples=40)
@given(settings(), st.booleans())
def test_an_older_set_is_replaced_and_the_way_back_stays_exact(text, remembered):
    old = install(text, OTHER)
    new = install(old.text, PLAN, old.undo if remembered else None)
    assert registration(new.text, PLAN).is_current
    if remembered:
        assert uninstall(new.text, DISPATCH, new.undo) == text


@examples(deadline=None, max_examples=40)
@given(settings())
def test_removal_without_a_memory_leaves_no_entry_and_no_foreign_thing_out(text):
    after = uninstall(install(text, PLAN).text, DISPATCH)
    if "hooks" in loaded(text):
        assert padded(loaded(after)) == padded(loaded(text))
    else:
        assert after.strip("\ufeff \t\r\n") == text.strip("\ufeff \t\r\n") or loaded(after) == loaded(text) == {}


def test_one_entry_per_event_on_empty_settings():
    """S0-001"""
    hooks = loaded(install(None, PLAN).text)["hooks"]
    assert set(hooks) == set(REGISTERED_EVENTS)
    for event in ("PreToolUse", "PostToolUse"):
        ((hook,),) = [group["hooks"] for group in hooks[event]]
        assert " ".join([hook["command"], *hook["args"]]).startswith(f"{DISPATCH} {event} ")


@pytest.mark.parametrize("text", [None, "", " \n", "\ufeff"])
def test_a_missing_or_blank_file_comes_back_as_it_was(text):
    edited = install(text, PLAN)
    assert edited.text.endswith("}\n")
    assert uninstall(edited.text, DISPATCH, edited.undo) == text


def test_a_file_made_by_us_stays_when_somebody_added_to_it():
    edited = install(None, PLAN)
    touched = edited.text.replace('{\n  "hooks"', '{\n  "model": "x",\n  "hooks"', 1)
    assert uninstall(touched, DISPATCH, edited.undo) == '{\n  "model": "x"\n}\n'


def test_foreign_bytes_survive_and_new_ones_follow_the_documents_layout():
    """S0-003: permissions and a foreign PreToolUse hook."""
    text = install(FOREIGN, PLAN).text
    head, _, tail = FOREIGN.partition("}]}]")
    assert text.startswith(head + "}]}")
    assert text.endswith(tail.partition("}")[2])
    assert '\n      "PostToolUse": [\n         {\n            "matcher": ".*"' in text


def test_containers_that_were_there_stay_and_those_we_made_go():
    text = '{"hooks": {"PreToolUse": [ ], "Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}}'
    edited = install(text, PLAN)
    emptied = edited.text.replace('{"hooks": [{"type": "command", "command": "mine"}]},', "", 1)
    assert emptied != edited.text
    assert uninstall(emptied, DISPATCH, edited.undo) == '{"hooks": {"PreToolUse": [ ], "Stop": []}}'


def test_entries_added_around_ours_stay():
    edited = install(FOREIGN, PLAN)
    value = loaded(edited.text)
    mine = {"hooks": [{"type": "command", "command": "late"}]}
    value["hooks"]["Stop"].append(mine)
    value["hooks"]["Stop"].insert(0, mine)
    value["hooks"]["PreToolUse"][1]["hooks"].insert(0, mine["hooks"][0])
    after = loaded(uninstall(json.dumps(value, indent=2), DISPATCH, edited.undo))
    assert after["hooks"]["Stop"] == [mine, mine]
    assert after["hooks"]["PreToolUse"][1] == {"matcher": ".*", "hooks": mine["hooks"]}
    assert set(after["hooks"]) == {"PreToolUse", "Stop"}
    assert after["permissions"] == {"allow": ["Bash"]}


@pytest.mark.parametrize("text", ["{}", "[]", '"x"', "3", FOREIGN, "{ }"])
def test_a_text_without_our_entries_is_not_touched_by_removal(text):
    undo = SettingsUndo("absent")
    if text in ("[]", '"x"', "3"):
        with pytest.raises(SettingsError, match="top level"):
            uninstall(text, DISPATCH, undo)
    else:
        assert uninstall(text, DISPATCH, undo) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "invalid JSON"),
        ("[]", "top level"),
        ("7", "top level"),
        ('{"hooks": []}', "`hooks` must be an object"),
        ('{"hooks": null}', "`hooks` must be an object"),
        ('{"hooks": {}, "hooks": {}}', "`hooks` is there 2 times"),
        ('{"hooks": {}, "hoo\\u006bs": {}}', "`hooks` is there 2 times"),
        ('{"hooks": {"Stop": {}}}', "`hooks.Stop` must be an array"),
        ('{"hooks": {"Stop": [], "Stop": []}}', "`Stop` is there 2 times"),
    ],
)
def test_a_document_that_must_not_be_edited_is_refused(text, message):
    """S0-014"""
    with pytest.raises(SettingsError, match=message):
        install(text, PLAN)


def test_missing_and_outdated_entries_are_told_apart():
    text = install(None, PLAN).text
    value = loaded(text)
    del value["hooks"]["Stop"]
    value["hooks"]["PreToolUse"][0]["hooks"][0]["timeout"] = 1
    value["hooks"]["WorktreeCreate"] = [{"hooks": [build_entries(PLAN)["Setup"]["hooks"][0]]}]
    found = registration(json.dumps(value), PLAN)
    assert found.missing == ("Stop",)
    assert found.stale == ("PreToolUse", "WorktreeCreate")
    again = install(json.dumps(value), PLAN).text
    assert registration(again, PLAN).is_current
    assert "WorktreeCreate" not in loaded(again)["hooks"]


def test_an_entry_that_is_there_twice_is_outdated():
    value = loaded(install(None, PLAN).text)
    value["hooks"]["Stop"] *= 2
    assert registration(json.dumps(value), PLAN).stale == ("Stop",)


def test_settings_live_in_the_config_folder_when_one_is_named():
    assert locate_settings(Path("/h")) == Path("/h/.claude/settings.json")
    assert locate_settings(Path("/h"), Path("/c")) == Path("/c/settings.json")


@pytest.mark.parametrize(
    ("platform", "folder"), [("linux", "/etc/claude-code"), ("darwin", "/Library/Application Support/ClaudeCode")]
)
def test_managed_settings_are_a_drop_in_file_of_our_own(platform, folder, monkeypatch):
    monkeypatch.setattr(sys, "platform", platform)
    assert locate_managed_file(locate_managed_folder()) == Path(folder) / "managed-settings.d" / "synaptic.json"
