"""OpenCode: what its plugin sends and hears, and the plugin itself against a real daemon."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from synaptic.agents.opencode import ADAPTER, NATIVE_EVENTS, PLUGIN_FILE, REGISTERED_EVENTS, build_plugin
from synaptic.agents.shared.ours import EntryPlan
from synaptic.model.call import Request
from synaptic.model.decision import Decision, Kind
from synaptic.model.event import PostToolUse, PostToolUseFailure, PreToolUse, SessionStart, Stop, UserPromptSubmit
from tests.agents.recorded import body, decode, denied, kept
from tests.daemon.setting import BLOCK, Setting, modify, without_handle

HERE = Path(__file__).parent / "opencode"
TOKEN = "0" * 32
NODE = shutil.which("node")
in_node = pytest.mark.skipif(NODE is None, reason="node is not installed")


def recorded(name: str):
    return ADAPTER.decode(Request("opencode", "", (HERE / f"{name}.json").read_bytes(), "1"))


def before(tool: str, args: dict, **more):
    given = {"tool": tool, "sessionID": "ses_1", "callID": "c1"}
    return decode("opencode", "tool.execute.before", directory="/p", input=given, output={"args": args}, **more)


def test_recorded_payloads_become_their_events():
    kinds = {
        "tool.execute.before.bash": PreToolUse,
        "tool.execute.after.bash": PostToolUse,
        "chat.message": UserPromptSubmit,
        "event.session.created": SessionStart,
        "event.session.idle": Stop,
    }
    for name, kind in kinds.items():
        call = recorded(name)
        assert type(call.event) is kind and call.warnings == ()
        assert call.event.session_id.startswith("ses_")
    assert recorded("chat.message").event.prompt == '"do the thing"'
    assert recorded("event.session.created").event.source == "startup"


def test_a_tool_call_is_canonical_and_runs_where_it_says():
    call = before("bash", {"command": "ls", "workdir": "sub"})
    event = call.event
    assert (event.tool_name, event.tool.command, event.tool_use_id, event.cwd) == ("Bash", "ls", "c1", "/p/sub")
    assert call.payload["native_tool_name"] == "bash" and call.payload["native_cwd"] == "/p"
    edit = before("edit", {"filePath": "a", "oldString": "x", "newString": "y", "replaceAll": True}).event
    assert edit.tool_input == {"file_path": "a", "old_string": "x", "new_string": "y", "replace_all": True}


def test_a_patch_is_an_edit_of_its_files():
    text = "*** Begin Patch\n*** Add File: a.txt\n+hi\n*** End Patch\n"
    event = before("apply_patch", {"patchText": text}).event
    assert (event.tool_name, event.tool_input) == ("Write", {"file_path": "a.txt", "content": "hi\n"})


def test_an_mcp_tool_is_named_by_the_server_the_plugin_knows():
    assert before("my_srv_touch", {}, mcp_server="my.srv").event.tool_name == "mcp__my.srv__touch"
    assert before("my_srv_touch", {}).event.tool_name == "my_srv_touch"


def test_a_command_that_ended_with_a_code_has_failed():
    given = {"tool": "bash", "sessionID": "s", "callID": "c", "args": {"command": "false"}}
    output = {"title": "", "output": "no", "metadata": {"exit": 3}}
    event = decode("opencode", "tool.execute.after", input=given, output=output).event
    assert isinstance(event, PostToolUseFailure) and event.error == "Exit code 3\nno"


def test_a_sub_agents_session_belongs_to_its_parent():
    given = {"tool": "read", "sessionID": "ses_child", "callID": "c"}
    call = decode("opencode", "tool.execute.before", parentID="ses_1", input=given, output={"args": {}})
    assert (call.event.session_id, call.event.agent_id) == ("ses_1", "ses_child")
    created = decode("opencode", "subsession.created", parentID="ses_1", event={"properties": {"sessionID": "ses_c"}})
    assert (type(created.event).__name__, created.event.agent_id) == ("SubagentStart", "ses_c")


def test_a_rewrite_is_the_whole_of_the_arguments_in_their_own_names():
    call = before("write", {"filePath": "a", "content": "x"})
    new = Decision(kind=Kind.REWRITE, input={"file_path": "b", "content": "x"}, reason="better")
    assert body(call, new) == {"args": {"filePath": "b", "content": "x"}}
    assert kept(ADAPTER.degrade(call, new)) == ["better"]


def test_a_question_is_a_refusal_and_a_stop_is_told_later():
    assert body(before("bash", {"command": "ls"}), Decision(kind=Kind.ASK, reason="sure?")) == {"deny": "sure?"}
    idle = recorded("event.session.idle")
    done = ADAPTER.degrade(idle, Decision(kind=Kind.ADVISE, feedback=("tests fail",)))
    assert kept(done) == ["tests fail"]


def test_the_plugin_sends_what_the_adapter_registers():
    text = PLUGIN_FILE.read_text()
    assert set(REGISTERED_EVENTS) == set(NATIVE_EVENTS)
    for name in REGISTERED_EVENTS:
        assert name.removeprefix("sub") in text


def test_the_plugins_text_holds_the_installation_and_nothing_is_left_open():
    text = build_plugin(EntryPlan('/home/a "b"/.synaptic/bin/dispatch', TOKEN, fail_closed=True))
    assert 'const DISPATCH = "/home/a \\"b\\"/.synaptic/bin/dispatch"' in text
    assert f'const ENTRY = "--entry={TOKEN}"' in text and "const CLOSED = true" in text and '"@' not in text


def host(setting: Setting, *steps: list, closed: bool = False, dispatch: str = "") -> dict:
    """Run steps in a host of our own; each is a hook, its input and its output."""
    file = setting.user / "synaptic.mjs"
    file.write_text(build_plugin(EntryPlan(dispatch or str(setting.home.dispatch), TOKEN, fail_closed=closed)))
    command = [NODE, str(HERE / "host.mjs"), str(file), str(setting.project)]
    env = {"HOME": str(setting.user), "PATH": "/usr/local/bin:/usr/bin:/bin"}
    done = subprocess.run(command, input=json.dumps(steps), capture_output=True, text=True, env=env, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def bash(command: str = "ls -la", session: str = "ses_1") -> list:
    return [
        "tool.execute.before",
        {"tool": "bash", "sessionID": session, "callID": "c"},
        {"args": {"command": command}},
    ]


def ran(text: str = "fine", **more) -> list:
    given = {"tool": "bash", "sessionID": "ses_1", "callID": "c", "args": {"command": "ls"}}
    return ["tool.execute.after", given, {"title": "ls", "output": text, "metadata": {"exit": 0}, **more}]


def said(text: str = "hello") -> list:
    part = {"id": "prt_1", "messageID": "msg_1", "sessionID": "ses_1", "type": "text", "text": text}
    return ["chat.message", {"sessionID": "ses_1"}, {"message": {}, "parts": [part]}]


def happened(kind: str, **properties) -> list:
    return ["event", {"event": {"type": kind, "properties": properties}}, None]


def advise(event: str, text: str) -> str:
    specific = {"hookEventName": event, "additionalContext": text}
    return f"echo '{json.dumps({'hookSpecificOutput': specific})}'"


@pytest.fixture
def setting(tmp_path: Path):
    made = Setting(tmp_path)
    yield made
    made.close()


@pytest.fixture
def running(setting: Setting) -> Setting:
    setting.install()
    setting.start()
    return setting


@in_node
def test_a_deny_is_thrown_and_journalled_under_its_agent(running: Setting):
    running.register("guard", BLOCK)
    [result] = host(running, bash())["results"]
    assert without_handle(result["thrown"]) == "Banned command pattern detected."
    entry = running.last()
    assert (entry.agent, entry.event, entry.session, entry.tool) == ("opencode", "PreToolUse", "ses_1", "Bash")


@in_node
def test_a_rewrite_changes_the_arguments_in_place(running: Setting):
    running.register("colour", modify("ls -a"))
    [result] = host(running, bash())["results"]
    assert result == {"output": {"args": {"command": "ls -a"}}, "same": True}


@in_node
def test_advice_after_a_tool_is_appended_to_what_the_model_reads(running: Setting):
    running.register("advice", advise("PostToolUse", "mind it"), event="PostToolUse", protocol="native")
    served = ran(output=None, content=[{"type": "text", "text": "x"}])
    plain, mcp = host(running, ran(), served)["results"]
    assert plain["output"]["output"] == "fine\n\nmind it"
    assert mcp["output"]["content"] == [{"type": "text", "text": "x"}, {"type": "text", "text": "mind it"}]


@in_node
def test_a_prompt_is_refused_or_carries_what_a_session_start_had_to_say(running: Setting):
    running.register("hello", advise("SessionStart", "rules"), event="SessionStart", matcher="", protocol="native")
    created = happened("session.created", sessionID="ses_1", info={"id": "ses_1"})
    _, prompt = host(running, created, said())["results"]
    first, added = prompt["output"]["parts"]
    assert first["text"] == "hello"
    assert (added["text"], added["synthetic"], added["id"], added["messageID"]) == ("rules", True, "prt_11", "msg_1")
    running.register("no", BLOCK, event="UserPromptSubmit", matcher="")
    [refused] = host(running, said())["results"]
    assert without_handle(refused["thrown"]) == "Banned command pattern detected."


@in_node
def test_sessions_and_sub_agents_are_told_apart(running: Setting):
    created = happened("session.created", sessionID="ses_1", info={"id": "ses_1"})
    child = happened("session.created", sessionID="ses_2", info={"id": "ses_2", "parentID": "ses_1"})
    asked = ["chat.message", {"sessionID": "ses_2"}, {"message": {}, "parts": [{"type": "text", "text": "look"}]}]
    ends = [happened("session.idle", sessionID=one) for one in ("ses_2", "ses_1")]
    host(
        running, created, child, asked, bash(session="ses_2"), *ends, happened("session.deleted", info={"id": "ses_1"})
    )
    told = [(entry.event, entry.session, entry.agent_id) for entry in reversed(running.entries())]
    assert told == [
        ("SessionStart", "ses_1", ""),
        ("SubagentStart", "ses_1", "ses_2"),
        ("PreToolUse", "ses_1", "ses_2"),
        ("SubagentStop", "ses_1", "ses_2"),
        ("Stop", "ses_1", ""),
        ("SessionEnd", "ses_1", ""),
    ]


@in_node
def test_mcp_servers_are_known_from_the_config(running: Setting):
    given = {"tool": "my_srv_touch", "sessionID": "s", "callID": "c"}
    config = ["config", {"mcp": {"my": {}, "my.srv": {}}}, None]
    host(running, config, ["tool.execute.before", given, {"args": {}}])
    assert running.last().tool == "mcp__my.srv__touch"


@in_node
def test_a_slow_hook_is_waited_for(running: Setting):
    running.register("slow", f"sleep 2; {BLOCK}")
    [result] = host(running, bash())["results"]
    assert without_handle(result["thrown"]) == "Banned command pattern detected."


@in_node
def test_without_a_daemon_the_dispatcher_decides(setting: Setting):
    setting.without_daemon()
    setting.register("guard", BLOCK)
    [result] = host(setting, bash())["results"]
    assert without_handle(result["thrown"]) == "Banned command pattern detected."
    assert setting.last().agent == "opencode"


@in_node
@pytest.mark.parametrize("closed", [False, True])
def test_without_a_dispatcher_the_fail_policy_decides(setting: Setting, closed: bool):
    missing = str(setting.user / "gone" / "bin" / "dispatch")
    told = host(setting, bash(), ran(), closed=closed, dispatch=missing)
    refused, after = told["results"]
    assert after["output"]["output"] == "fine"
    if closed:
        assert refused["thrown"].startswith("synaptic: blocked, because it could not be checked: ")
        assert refused["thrown"].endswith("type: synaptic doctor")
        return
    assert refused == {"output": {"args": {"command": "ls -la"}}, "same": True}
    assert all(line["log"].startswith("synaptic: this call was NOT checked: ") for line in told["said"])


@in_node
@pytest.mark.parametrize("act", ["kill -9 $$", "echo garbage"])
def test_a_dispatcher_that_says_nothing_is_no_allow(setting: Setting, act: str):
    script = setting.user / "dispatch"
    script.write_text(f"#!/bin/sh\ncat > /dev/null\n{act}\n")
    script.chmod(0o755)
    refused, after = host(setting, bash(), ran(), dispatch=str(script))["results"]
    assert refused["thrown"].startswith("synaptic: blocked, because it could not be checked: ")
    assert after["output"]["output"] == "fine"


@in_node
def test_a_word_to_the_user_is_shown_and_a_failing_host_stops_nothing(running: Setting):
    running.register("tells", """echo '{"systemMessage": "look here"}'""", protocol="native")
    told = host(running, bash())
    assert told["said"] == [{"toast": "look here"}]


@in_node
def test_only_what_the_engine_needs_of_the_environment_is_sent(running: Setting):
    running.register("env", f"env > '{running.project}/env.txt'")
    host(running, bash())
    names = {line.partition("=")[0] for line in (running.project / "env.txt").read_text().splitlines()}
    assert {"HOME", "PATH", "HOOK_EVENT"} <= names and "CLAUDE_PROJECT_DIR" not in names


def test_a_refusal_says_why_and_refuses_only_what_can_be():
    assert json.loads(ADAPTER.refuse("tool.execute.before", "no").stdout) == {"deny": "no"}
    assert ADAPTER.refuse("session.idle", "no").stdout == b""
    assert body(recorded("tool.execute.before.bash"), denied()) == {"deny": "because"}
