"""What each agent is told: the right events, in the right form, in its own unit of time."""

import json
import shlex
import subprocess
from pathlib import Path

import pytest

from synaptic.agents.base import OwnFile, UserEnvironment
from synaptic.agents.shared.discover import find_adapter, find_agent, list_agent_names
from synaptic.agents.shared.guarded import list_moving_variables
from synaptic.agents.shared.ours import EntryPlan, has_own_note
from synaptic.agents.shared.settings import install_entries
from synaptic.model.event import EVENTS, Timing

DISPATCH = "/home/ann lee/.synaptic/bin/dispatch"
TOKEN = "0123456789abcdef" * 2
PLAN = EntryPlan(DISPATCH, TOKEN)
HERE = UserEnvironment(Path("/home/ann lee"))
FOREIGN = [agent for agent in list_agent_names() if agent != "claude"]
COMMANDS = ("codex", "gemini", "copilot", "droid", "qwen", "cursor")


def entries(agent, plan=PLAN, place=HERE):
    return next(find_agent(agent).iter_settings_files(place, plan))


def hooks(agent, plan=PLAN):
    """Event to the one hook object that is written for it."""
    groups = entries(agent, plan).wanted.groups
    return {event: group["hooks"][0] if "hooks" in group else group for event, group in groups.items()}


@pytest.mark.parametrize("agent", COMMANDS)
def test_every_registered_event_gets_one_command_with_agent_event_and_token(agent):
    assert tuple(hooks(agent)) == find_agent(agent).events
    for event, hook in hooks(agent).items():
        words = shlex.split(hook.get("command") or hook["bash"])
        assert words == [DISPATCH, agent, event, f"--entry={TOKEN}"]
        assert entries(agent).wanted.has_written(hook)


@pytest.mark.parametrize("agent", COMMANDS)
def test_the_agent_waits_as_long_as_the_engine_reckons_with(agent):
    for event, hook in hooks(agent).items():
        seconds = find_adapter(agent).get_capability(event).timeout
        written = hook.get("timeoutSec", hook.get("timeout"))
        assert written == (1000 if agent in ("gemini", "qwen") else 1) * seconds


@pytest.mark.parametrize("agent", COMMANDS)
def test_no_event_is_registered_that_stands_for_nothing(agent):
    """An event that the agent alone knows may come through, but each one that is asked for has a meaning here."""
    known = {find_adapter(agent).to_canonical(event) for event in find_agent(agent).events}
    assert known - set(EVENTS) <= {"Interrupt"}
    assert "PreToolUse" in known


@pytest.mark.parametrize("path", ["/a b/dispatch", "/a'b/dispatch", '/a"b/dispatch', "/a$b`c\\d/dispatch"])
def test_any_path_is_one_word_of_the_command_and_is_recognised(path):
    command = hooks("codex", EntryPlan(path, TOKEN))["Stop"]["command"]
    shown = subprocess.run(["/bin/sh", "-c", f"printf '%s\\n' {command}"], capture_output=True, text=True, check=True)
    assert shown.stdout.splitlines() == [path, "codex", "Stop", f"--entry={TOKEN}"]
    assert entries("codex").wanted.shape.is_ours({"command": command}, path)


def test_documents_have_the_form_that_each_agent_reads():
    def made(agent):
        return json.loads(install_entries(None, entries(agent).wanted).text)

    assert made("codex").keys() == {"hooks"}
    assert made("codex")["hooks"]["PreToolUse"][0].keys() == {"hooks"}
    assert made("gemini")["hooks"]["BeforeTool"][0]["hooks"][0]["name"] == "synaptic"
    assert made("droid")["PreToolUse"][0]["matcher"] == "*"
    assert "matcher" not in made("droid")["Stop"][0]
    assert (made("copilot")["version"], made("cursor")["version"]) == (1, 1)
    assert made("copilot")["hooks"]["preToolUse"][0].keys() == {"type", "bash", "timeoutSec"}
    assert made("cursor")["hooks"]["preToolUse"][0].keys() == {"type", "command", "timeout"}
    rule = {"tool": "*", "action": "delegate", "to": "/home/ann lee/.synaptic/bin/amp-delegate"}
    assert made("amp") == {"amp.permissions": [rule]}
    is_ours = entries("amp").wanted.shape.is_ours
    assert is_ours(rule, DISPATCH)
    assert not is_ours({**rule, "to": "/usr/bin/other"}, DISPATCH)


def test_cursor_fails_closed_only_where_an_act_can_be_stopped():
    closed = hooks("cursor", EntryPlan(DISPATCH, TOKEN, fail_closed=True))
    before = {event for event in closed if EVENTS[find_adapter("cursor").to_canonical(event)].TIMING is Timing.BEFORE}
    assert {event for event, hook in closed.items() if hook.get("failClosed")} == before
    assert "preToolUse" in before


def test_files_of_our_own_say_so_and_run_the_dispatcher():
    agents = map(find_agent, ("opencode", "cline", "amp"))
    own = [file for agent in agents for file in agent.list_files(HERE, PLAN) if isinstance(file, OwnFile)]
    assert len(own) == 2 + len(find_agent("cline").events)
    assert all(has_own_note(file.text) and DISPATCH in file.text and TOKEN in file.text for file in own)
    cline = next(file for file in own if file.path.name == "PreToolUse")
    assert cline.path == HERE.home / ".cline/hooks/PreToolUse"
    assert cline.mode == 0o755
    assert shlex.split(cline.text.splitlines()[-2]) == [DISPATCH, "cline", "PreToolUse", f"--entry={TOKEN}"]


@pytest.mark.parametrize(
    ("agent", "variable", "where"),
    [
        ("codex", "CODEX_HOME", "hooks.json"),
        ("gemini", "GEMINI_CLI_HOME", ".gemini/settings.json"),
        ("qwen", "QWEN_HOME", "settings.json"),
        ("copilot", "COPILOT_HOME", "hooks/synaptic.json"),
        ("droid", "FACTORY_HOME_OVERRIDE", ".factory/hooks.json"),
        ("opencode", "XDG_CONFIG_HOME", "opencode/plugins/synaptic.js"),
        ("cline", "CLINE_DIR", "hooks/PreToolUse"),
        ("amp", "XDG_CONFIG_HOME", "amp/settings.json"),
        ("claude", "CLAUDE_CONFIG_DIR", "settings.json"),
    ],
)
def test_variables_move_an_agents_files(agent, variable, where, tmp_path):
    moved = find_agent(agent).list_files(UserEnvironment(Path("/h"), {variable: str(tmp_path)}), PLAN)
    assert tmp_path / where in [file.path for file in moved]
    assert variable in list_moving_variables()


def test_a_named_folder_is_resolved_and_the_usual_one_is_not(tmp_path):
    """So does Codex, and what it trusts goes by that path."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / ".codex").symlink_to(tmp_path / "real")
    assert (
        find_agent("codex").folder.locate(UserEnvironment(tmp_path, {"CODEX_HOME": str(tmp_path / "link")}))
        == tmp_path / "real"
    )
    assert find_agent("codex").folder.locate(UserEnvironment(tmp_path)) == tmp_path / ".codex"


def test_amps_settings_file_may_be_named_alone(tmp_path):
    place = UserEnvironment(Path("/h"), {"AMP_SETTINGS_FILE": str(tmp_path / "own.json")})
    assert entries("amp", place=place).path == tmp_path / "own.json"


@pytest.mark.parametrize("agent", FOREIGN)
def test_what_no_hook_sees_is_named(agent):
    assert all(isinstance(hole, str) and hole for hole in find_agent(agent).unseen)
    assert find_agent(agent).unseen


@pytest.mark.parametrize(("exit", "told"), [(0, {}), (1, {}), (2, {"cancel": True})])
def test_cline_is_told_in_json_what_a_dispatcher_without_an_engine_can_only_say_by_its_exit(tmp_path, exit, told):
    dispatch = tmp_path / "dispatch"
    dispatch.write_text(f"#!/bin/sh\nexit {exit}\n")
    dispatch.chmod(0o755)
    plan = EntryPlan(str(dispatch), TOKEN)
    (script,) = (file for file in find_agent("cline").list_files(HERE, plan) if file.path.name == "PreToolUse")
    done = subprocess.run(["sh", "-c", script.text], capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout or "{}")
    assert {key: answer[key] for key in told} == told
    assert bool(answer) is bool(told)
