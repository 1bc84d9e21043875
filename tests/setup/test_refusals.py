"""Ready answers: one for every event before an act of every agent, and each of them a refusal."""

from pathlib import Path

import pytest

from synaptic.agents.shared.discover import find_adapter, list_agent_names
from synaptic.agents.shared.recognise import is_before_act
from synaptic.model.errors import SettingsError
from synaptic.model.home import Home
from synaptic.setup.refusals import (
    PLAIN_NAME,
    REFUSAL_TEXT,
    find_missing_refusals,
    list_refusals,
    remove_refusals,
    write_refusals,
)


@pytest.mark.parametrize("agent", list_agent_names())
def test_every_agent_has_a_refusal_before_a_tool_runs_that_says_what_its_adapter_says(agent: str) -> None:
    found = {event: content for name, event, content in list_refusals() if name == agent and is_before_act(name, event)}
    assert found
    for event, content in found.items():
        code, _, stdout = content.partition(b"\n")
        answer = find_adapter(agent).refuse(event, REFUSAL_TEXT)
        assert (int(code), stdout) == (answer.exit, answer.stdout)
        assert answer.exit or b"deny" in stdout or b"block" in stdout or b'"cancel":true' in stdout, (event, stdout)


def test_names_are_plain() -> None:
    assert all(PLAIN_NAME.fullmatch(agent) and PLAIN_NAME.fullmatch(event) for agent, event, _ in list_refusals())


def test_what_is_missing_or_changed_is_named_and_written_again(tmp_path: Path) -> None:
    home = Home(tmp_path)
    write_refusals(home)
    assert find_missing_refusals(home) == []
    kept = home.refusals / "claude" / "PreToolUse"
    before = kept.stat().st_ino
    (home.refusals / "codex" / "PreToolUse").write_text("0\n")
    (home.refusals / "gemini" / "BeforeTool").unlink()
    assert find_missing_refusals(home) == ["codex/PreToolUse", "gemini/BeforeTool"]
    write_refusals(home)
    assert find_missing_refusals(home) == []
    assert kept.stat().st_ino == before
    remove_refusals(home)
    assert not home.refusals.exists()


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.refusals.write_text("a file")
    with pytest.raises(SettingsError, match="cannot be written"):
        write_refusals(home)
