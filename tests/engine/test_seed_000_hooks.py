"""The registry and the scripts as their first description has them, through the whole engine: what an agent is told."""

import asyncio
import json
import re
from pathlib import Path

import pytest

from synaptic.engine.walk import Engine
from tests.daemon.setting import BLOCK, Setting, modify, output, specific

APPROVE = """echo '{"action": "approve"}'"""
REFUSED = {"permissionDecision": "deny", "permissionDecisionReason": "Banned command pattern detected."}
AUDIT = r"""#!/usr/bin/env bash
set -euo pipefail
INPUT="${HOOK_INPUT:-}"
LOG_FILE="$SYNAPTIC_ROOT/logs/audit.log"
echo "$(date -u +%FT%TZ) [$HOOK_TOOL] $INPUT" >> "$LOG_FILE"
"""
"""The example of a hook script, as authors copy it."""


async def collect_results(engine: Engine) -> None:
    """Wait until a hook that nobody waits for has ended."""
    async with asyncio.timeout(60):
        while not await engine.collect():
            await asyncio.sleep(0.05)


@pytest.mark.parametrize(
    ("bodies", "told"),
    [
        ([""], {}),
        ([APPROVE], {}),
        ([APPROVE, ""], {}),
        (["", APPROVE, APPROVE], {}),
        ([APPROVE, modify("ls -la --color=never")], {"updatedInput": {"command": "ls -la --color=never"}}),
        ([modify("ls -la --color=never"), APPROVE], {"updatedInput": {"command": "ls -la --color=never"}}),
        ([APPROVE, BLOCK, modify("true")], REFUSED),
        ([modify("true"), BLOCK, APPROVE], REFUSED),
        (["exit 1", BLOCK], REFUSED),
        (["kill -9 $$", "", BLOCK], REFUSED),
    ],
)
def test_the_answers_of_a_chain_become_one_answer(setting: Setting, bodies: list[str], told: dict) -> None:
    """S0-033, S0-034, S0-035, S0-036, S0-049: silence and approval change nothing, one block outweighs all the rest."""
    for number, body in enumerate(bodies):
        setting.register(f"h{number}", body, priority=10 * number)
    answer = setting.answer(setting.request(permission_mode="default"))
    said = specific(answer)
    assert answer.exit == 0 and said.pop("hookEventName", "PreToolUse") == "PreToolUse"
    assert said == told
    until = bodies.index(BLOCK) if BLOCK in bodies else len(bodies) - 1
    # After a rewrite, whoever spoke before it looks at the new input; whoever comes after a block never runs.
    assert list(dict.fromkeys(setting.order)) == [f"h{number}" for number in range(until + 1)]


@pytest.mark.parametrize("code", [1, 7, 127])
def test_a_hook_that_fails_is_named_with_its_skill_and_its_code(setting: Setting, code: int) -> None:
    """S0-038: at the agent and in the journal, and the tool is allowed."""
    setting.register("policy-guard", f"exit {code}")
    answer = setting.answer(setting.request())
    assert "hookSpecificOutput" not in output(answer)
    assert re.search(rf"policy-guard.*exited with {code}", answer.stderr.decode())
    assert any(re.search(rf"policy-guard.*{code}", warning) for warning in setting.last().decision.warnings)


def test_each_event_and_each_tool_has_its_own_hooks(setting: Setting) -> None:
    """S0-020, S0-023: the argument names the event, whatever the context says."""
    setting.register("env-injector", priority=10)
    setting.register("policy-guard", priority=20)
    setting.register("audit-logger", event="PostToolUse", matcher="mcp__filesystem__.*")
    setting.register("post-bash", event="PostToolUse")

    def ran(event: str, tool: str, **fields: object) -> list[str]:
        setting.ran.unlink(missing_ok=True)
        setting.answer(setting.request(event, tool_name=tool, tool_response="", **fields))
        return setting.order

    assert ran("PreToolUse", "Bash") == ["env-injector", "policy-guard"]
    assert ran("PreToolUse", "mcp__filesystem__write") == []
    assert ran("PostToolUse", "mcp__filesystem__write") == ["audit-logger"]
    assert ran("PostToolUse", "Bash", hook_event_name="PreToolUse") == ["post-bash"]
    assert ran("PostToolUse", "Write") == ran("PostToolUse", "mcp__filesystem") == []


def test_nobody_waits_for_a_hook_that_does_not_block_or_hears_its_decision(setting: Setting) -> None:
    """S0-040: the answer is there before the script may even go on; its block and its exit code are nobody's."""
    go, done = setting.project / "go", setting.project / "done"
    wait = f"while [ ! -e '{go}' ]; do sleep 0.05; done"
    setting.register("telemetry", f"{wait}\n{BLOCK}\ntouch '{done}'\nexit 9", blocking=False)

    async def session(engine):
        first = await engine.answer(setting.request())
        assert not done.exists()
        go.touch()
        await collect_results(engine)
        later = [await engine.answer(setting.request(name)) for name in ("PreToolUse", "PostToolUse", "Stop")]
        return [first, *later]

    answers = asyncio.run(setting._with_engine(session))
    assert {(answer.stdout, answer.stderr, answer.exit) for answer in answers} == {(b"", b"", 0)}
    assert done.exists()


def test_the_audit_script_of_the_documentation_writes_its_line(setting: Setting) -> None:
    """S0-051, S0-052: under strict mode, in a project that has no logs folder yet, blocking or not."""
    for name, blocking in (("first", True), ("second", False)):
        setting.register(name, blocking=blocking).write_text(AUDIT)
    log = setting.project / ".synaptic" / "logs" / "audit.log"
    assert not log.parent.exists()

    async def one(engine):
        answer = await engine.answer(setting.request(tool_input={"command": 'echo "a b"'}))
        await collect_results(engine)
        return answer

    assert asyncio.run(setting._with_engine(one)).stderr == b""
    lines = log.read_text().splitlines()
    assert len(lines) == 2
    for line in lines:
        found = re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \[Bash\] (\{.*\})", line)
        assert found and json.loads(found[1]) == {"command": 'echo "a b"'}


def test_each_of_two_projects_runs_its_own_registry_and_no_other(setting: Setting, tmp_path: Path) -> None:
    """S0-010, S0-021, S0-022, S0-044: both have hooks; the context names the project, the folder is elsewhere."""
    other = Setting(tmp_path / "second")
    setting.register("one", BLOCK)
    other.register("two", BLOCK.replace("Banned command pattern detected.", "not in the second"))
    for place, reason in ((setting, "Banned command pattern detected."), (other, "not in the second")):
        request = setting.elsewhere(cwd="/", **{"claude-project-root": str(place.project)})
        assert specific(setting.answer(request))["permissionDecisionReason"] == reason
    assert (setting.order, other.order) == (["one"], ["two"])
