"""One event through the whole engine, in this process: what a script, a registry and a payload amount to."""

import asyncio
import json
import os
import re
import tomllib

import pytest

from synaptic.model.decision import Kind
from synaptic.setup.env import write_env
from tests.daemon.setting import BLOCK, Setting, modify, output, specific

NINE = [
    "SYNAPTIC_PROJECT_ROOT",
    "SYNAPTIC_ROOT",
    "SYNAPTIC_SHARED",
    "SYNAPTIC_SKILLS",
    "SYNAPTIC_CHANNEL",
    "SYNAPTIC_AGENTS",
    "HOOK_EVENT",
    "HOOK_TOOL",
    "HOOK_INPUT",
]


ADD_L = r"""
command=$(echo "$HOOK_INPUT" | sed 's/.*"command":"\([^"]*\)".*/\1/')
printf '{"action":"modify","input":{"command":"%s -l"}}' "$command"
"""
MORE = """echo '{"decision":"block","reason":"more"}'"""


def dump_env(path: object) -> str:
    values = " ".join('"$' + f'{name}"' for name in NINE)
    return f"printf '%s\\0' {values} > '{path}'"


def test_hooks_of_three_skills_run_in_priority_order(setting: Setting) -> None:
    """S0-026, S0-049"""
    for name, priority in (("b", 20), ("a", 10), ("c", 50)):
        setting.register(name, priority=priority)
    setting.answer(setting.request())
    assert setting.order == ["a", "b", "c"]


def test_a_block_is_told_with_its_reason_and_later_hooks_do_not_run(setting: Setting) -> None:
    """S0-034, S0-050, S4-006"""
    setting.register("guard", BLOCK, priority=20)
    setting.register("late", priority=30)
    answer = setting.answer(setting.request())
    assert specific(answer) == {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "Banned command pattern detected.",
    }
    assert setting.order == ["guard"]


def test_modifies_compose_and_the_other_fields_survive(setting: Setting) -> None:
    """S0-037, S4-007"""
    setting.register("one", modify("ls -a"), priority=10)
    setting.register("two", ADD_L, priority=20)
    answer = setting.answer(setting.request(tool_input={"command": "ls", "description": "list"}))
    assert specific(answer)["updatedInput"] == {"command": "ls -a -l", "description": "list"}
    assert specific(answer)["permissionDecision"] == "allow"


def test_a_rewrite_does_not_skip_a_permission_prompt(setting: Setting) -> None:
    setting.register("one", modify("ls -a"))
    answer = setting.answer(setting.request(permission_mode="default"))
    assert specific(answer)["updatedInput"]["command"] == "ls -a"
    assert "permissionDecision" not in specific(answer)


def test_a_hook_gets_the_nine_variables_and_they_equal_env_toml(setting: Setting) -> None:
    """S0-028, S0-029, S0-030, S0-031, S0-110"""
    env_file = write_env(setting.project, channel="develop")
    setting.register("spy", dump_env(setting.project / "dump"))
    setting.answer(setting.request(tool_input={"command": "ls -la"}))
    seen = dict(zip(NINE, (setting.project / "dump").read_text().split("\0"), strict=False))
    assert {name: seen[name] for name in NINE[:6]} == tomllib.loads(env_file.read_text())
    root = str(setting.project)
    assert [seen[name] for name in NINE[:4]] == [
        root,
        f"{root}/.synaptic",
        f"{root}/.synaptic/shared",
        f"{root}/.synaptic/skills",
    ]
    assert seen["SYNAPTIC_CHANNEL"] == "develop"
    assert (seen["HOOK_EVENT"], seen["HOOK_TOOL"]) == ("PreToolUse", "Bash")
    assert json.loads(seen["HOOK_INPUT"]) == {"command": "ls -la"}


@pytest.mark.parametrize("size", [300_000, 1_000_000])
def test_a_large_write_is_still_guarded(setting: Setting, size: int) -> None:
    """S0-032"""
    setting.register("guard", "cat > /dev/null\n" + BLOCK, matcher="Write")
    answer = setting.answer(setting.request(tool_name="Write", tool_input={"file_path": "a", "content": "x" * size}))
    assert specific(answer)["permissionDecision"] == "deny"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("exit 1", "exited with 1"),
        ("exit 2", "exited with 2"),
        (BLOCK + "\nexit 1", "exited with 1"),
        ("echo hello", "hello"),
        ("kill -9 $$", "SIGKILL"),
        ("sleep 30", "1 s"),
    ],
)
def test_a_failing_hook_is_an_approval_with_a_warning_that_names_it(setting: Setting, body: str, told: str) -> None:
    """S0-038, S0-039, S0-047, S0-048, S4-002, S4-044"""
    setting.register("broken", body, timeout=1, priority=10)
    setting.register("next", priority=20)
    answer = setting.answer(setting.request())
    assert "permissionDecision" not in specific(answer)
    assert "broken" in output(answer)["systemMessage"]
    assert told in answer.stderr.decode()
    assert setting.order == ["broken", "next"]
    assert any("broken" in step.hook and step.fault for step in setting.last().decision.trace)


def test_a_missing_script_is_skipped_and_the_rest_run(setting: Setting) -> None:
    """S0-043, S0-085"""
    setting.register("gone", priority=10).unlink()
    setting.register("next", BLOCK, priority=20)
    answer = setting.answer(setting.request())
    assert specific(answer)["permissionDecision"] == "deny"
    assert "gone" in answer.stderr.decode()


def test_a_hook_may_be_set_to_deny_on_error(setting: Setting) -> None:
    setting.register("strict", "exit 1", on_error="deny")
    assert specific(setting.answer(setting.request()))["permissionDecision"] == "deny"


@pytest.mark.parametrize(("registry", "loud"), [(None, False), ("", False), ("[[hook", True)])
def test_without_a_usable_registry_the_agent_goes_on(setting: Setting, registry: str | None, loud: bool) -> None:
    """S0-045, S2-016"""
    if registry is not None:
        (setting.hooks / "registry.toml").write_text(registry)
    answer = setting.answer(setting.request())
    assert (answer.exit, answer.stdout) == (0, b"")
    start = setting.answer(setting.request("SessionStart", source="startup"))
    assert ("registry.toml" in output(start).get("systemMessage", "")) is loud


@pytest.mark.parametrize("stdin", [b"", b"garbage", b"[1]", b'{"a"', b"\xff\xfe", b"[" * 100_000])
def test_what_is_no_event_is_refused_before_a_tool_runs_and_else_a_warning(setting: Setting, stdin: bytes) -> None:
    """S0-046, S4-D10"""
    refused = setting.answer(setting.raw("PreToolUse", stdin))
    assert specific(refused)["permissionDecision"] == "deny"
    answer = setting.answer(setting.raw("PostToolUse", stdin))
    assert (answer.exit, answer.stdout) == (0, b"")
    assert answer.stderr.startswith(b"synaptic: ")
    assert setting.last().decision.warnings


def test_what_is_no_event_is_refused_when_the_user_wants_it_so(setting: Setting) -> None:
    setting.config('fail = "closed"\n')
    answer = setting.answer(setting.raw("UserPromptSubmit", b"garbage"))
    assert output(answer)["decision"] == "block"


def test_an_event_nobody_knows_passes_through(setting: Setting) -> None:
    setting.register("spy", f"cat > '{setting.project}/seen'", event="FutureEvent", matcher="")
    answer = setting.answer(setting.request("FutureEvent", novelty={"a": 1}))
    assert answer.exit == 0
    assert json.loads((setting.project / "seen").read_text())["novelty"] == {"a": 1}


def test_the_root_comes_from_the_context_field(setting: Setting) -> None:
    """S0-021, S0-022, S0-044"""
    setting.register("guard", BLOCK)
    request = setting.request(cwd="/", **{"claude-project-root": str(setting.project)})
    assert specific(setting.answer(request))["permissionDecision"] == "deny"


def test_an_edit_of_the_registry_counts_for_the_next_call(setting: Setting) -> None:
    """S0-061, S0-062"""
    setting.register("a", priority=10)
    setting.register("b", priority=20)

    async def twice(engine):
        await engine.answer(setting.request())
        text = (setting.hooks / "registry.toml").read_text()
        (setting.hooks / "registry.toml").write_text(text.replace("priority = 20", "priority = 5"))
        await engine.answer(setting.request())

    asyncio.run(setting._with_engine(twice))
    assert setting.order == ["a", "b", "b", "a"]


def test_each_project_sees_only_its_own_hooks(setting: Setting, tmp_path) -> None:
    """S0-010"""
    setting.register("guard", BLOCK)
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    assert setting.answer(setting.request(cwd=str(other))).stdout == b""


def test_audit_lines_are_written_after_the_event_is_in_the_journal(setting: Setting) -> None:
    """S0-051, S0-052"""
    setting.config('presets = ["practice"]\n')
    setting.answer(setting.request())
    log = setting.project / ".synaptic" / "logs" / "audit.log"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \[Bash\] \{.*\}\n", log.read_text())


def test_the_logs_folder_exists_before_a_strict_script_writes_to_it(setting: Setting) -> None:
    """S0-051"""
    body = 'set -eu\necho "$(date -u +%FT%TZ) [$HOOK_TOOL] $HOOK_INPUT" >> "$SYNAPTIC_ROOT/logs/audit.log"'
    setting.register("audit", body, blocking=True)
    assert setting.answer(setting.request()).stderr == b""
    assert "[Bash]" in (setting.project / ".synaptic" / "logs" / "audit.log").read_text()


def test_untrusted_hooks_of_a_repository_do_not_run_and_are_told_at_session_start(tmp_path) -> None:
    setting = Setting(tmp_path, trust="ask")
    setting.register("foreign", BLOCK)
    assert setting.answer(setting.request()).stdout == b""
    assert setting.order == []
    assert setting.last().decision.trace[-1].phase == "skipped"
    start = setting.answer(setting.request("SessionStart", source="startup"))
    assert "synaptic trust" in output(start)["systemMessage"]


def test_stop_cannot_loop(setting: Setting) -> None:
    """Law: a cap on consecutive stop blocks, also for agents that keep no count."""
    setting.config('trust = "all"\nstop_cap = 2\n')
    setting.register(
        "more", """echo '{"decision":"block","reason":"more"}'""", event="Stop", matcher="", protocol="native"
    )

    async def stops(engine):
        return [output(await engine.answer(setting.request("Stop"))) for _ in range(4)]

    answers = asyncio.run(setting._with_engine(stops))
    assert [answer.get("decision") for answer in answers] == ["block", "block", None, "block"]
    assert "may stop" in answers[2]["systemMessage"]


def test_a_result_nobody_waited_for_reaches_the_model_once(setting: Setting) -> None:
    """S0-040, S0-042"""
    advice = """echo '{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"3 tests failed"}}'"""
    setting.register("tests", f"sleep 0.3\n{advice}", event="PostToolUse", blocking=False, protocol="native")

    async def session(engine):
        first = await engine.answer(setting.request("PostToolUse"))
        while not await engine.collect():
            await asyncio.sleep(0.05)
        texts = [specific(await engine.answer(setting.request())).get("additionalContext") for _ in range(2)]
        return first, texts

    first, texts = asyncio.run(setting._with_engine(session))
    assert first.stdout == b""
    assert texts == ["3 tests failed", None]


@pytest.mark.parametrize("said", ["done", '{"status": "done"}', '{"status":'])
def test_what_a_background_hook_prints_is_not_told_to_the_model(setting: Setting, said: str) -> None:
    """S0-040"""
    setting.register("chatty", f"echo '{said}'", event="PostToolUse", blocking=False)

    async def session(engine):
        await engine.answer(setting.request("PostToolUse"))
        while not await engine.collect():
            await asyncio.sleep(0.05)
        return await engine.answer(setting.request())

    answer = asyncio.run(setting._with_engine(session))
    assert (answer.stdout, answer.stderr) == (b"", b"")


@pytest.mark.parametrize("mode", ["default", "acceptEdits", "plan", "bypassPermissions", ""])
def test_a_rewrite_without_a_word_changes_the_input_and_nothing_else(setting: Setting, mode: str) -> None:
    """S0-033"""
    setting.register("rewrite", modify("ls"))
    said = output(setting.answer(setting.request(permission_mode=mode)))
    assert set(said) == {"hookSpecificOutput"}
    told = said["hookSpecificOutput"]
    assert told["updatedInput"] == {"command": "ls"} and "additionalContext" not in told
    spoken = setting.script("rewrite", modify("ls").replace("}}'", '}, "reason": "shorter"}\''))
    assert spoken.exists()
    said = output(setting.answer(setting.request(permission_mode=mode)))["hookSpecificOutput"]
    assert "shorter" in (said.get("additionalContext"), said.get("permissionDecisionReason"))


def test_a_repeated_call_gets_the_same_answer_and_is_counted_once(setting: Setting) -> None:
    setting.register("guard", BLOCK)
    request = setting.request()

    async def twice(engine):
        return await engine.answer(request), await engine.replay(request)

    first, second = asyncio.run(setting._with_engine(twice))
    assert first == second
    assert setting.order == ["guard"]
    assert len(setting.entries()) == 1


def test_a_rehearsal_shows_everything_and_writes_nothing(setting: Setting) -> None:
    setting.register("guard", BLOCK, priority=20)
    setting.register("background", "echo '{}'", priority=10, blocking=False)
    walked = setting.rehearse(setting.request())
    assert walked.decision.kind is Kind.DENY
    assert {"started", "run", "background"} <= {step.phase for step in walked.decision.trace}
    assert setting.entries() == ()


def test_printed_text_is_no_news_without_a_hook(setting: Setting) -> None:
    setting.answer(setting.request("MessageDisplay", delta="hello"))
    assert setting.entries() == ()


@pytest.mark.parametrize("said", ["blocking: true\n", "", "blocking: false\n"])
def test_an_ability_is_blocked_by_a_hook_that_asks_unless_it_says_that_it_never_blocks(
    setting: Setting, said: str
) -> None:
    """S2-032, S2-069, S2-070"""
    blocks = "false" not in said
    script = setting.script("policy", """echo '{"messages_to_user":["blocked here"],"error":"blocked_by_policy"}'""")
    folder = setting.project / ".system" / "hooks"
    folder.mkdir(parents=True)
    command = os.path.relpath(script, setting.project)
    (folder / "soft.yaml").write_text(
        f"id: soft\nevent_type: PreAbilityCall\nenabled: true\n{said}handler:\n  kind: script\n  command: ./{command}\n"
    )
    context = {
        "event_type": "PreAbilityCall",
        "session_id": "s",
        "timestamp": "2025-01-15T09:00:00Z",
        "ability_id": "a",
        "repository_root": str(setting.project),
    }
    answer = setting.answer(setting.raw("PreAbilityCall", json.dumps(context).encode()))
    assert (setting.last().decision.kind is Kind.DENY) is blocks
    assert (answer.exit == 2) is blocks
    assert "blocked here" in output(answer)["messages_to_user"]
    assert output(answer).get("error") == ("blocked_by_policy" if blocks else None)


def test_a_trusted_script_that_is_gone_is_named_as_missing(tmp_path) -> None:
    """S0-043"""
    setting = Setting(tmp_path, trust="ask")
    setting.register("gone").unlink()
    answer = setting.answer(setting.request())
    assert b"gone" in answer.stderr
    assert b"synaptic trust" not in answer.stderr
    assert setting.last().decision.trace[-1].fault == "missing"
