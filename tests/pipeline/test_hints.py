"""What results lead to, through the whole engine."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from synaptic.store import follow_ups
from synaptic.store.db import Store
from tests.daemon.setting import Setting, output, specific
from tests.hooks.test_knowledge import ROUTE, ROUTING

BILLING = "I need to run the full billing regression tests"
REGISTRY = (
    "abilities:\n  - {id: billing_regression, kind: workflow, summary: Run the full regression suite for billing}\n"
)


@pytest.fixture
def routed(tmp_path: Path) -> Setting:
    setting = Setting(tmp_path)
    setting.config('trust = "all"\npresets = ["routing"]\n')
    for path, text in {
        ".system/registry/a.yaml": REGISTRY,
        "ROUTING.md": ROUTING,
        "docs/routes/quality.md": ROUTE,
        "docs/policy.md": "x",
        "docs/commands.md": "x",
    }.items():
        file = setting.project / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return setting


def own(setting: Setting, event: str, **fields: object) -> dict:
    base = {"event_type": event, "session_id": "s", "timestamp": "2025-01-15T10:23:45Z"}
    context = {**base, "repository_root": str(setting.project), **fields}
    return output(setting.answer(setting.raw(event, json.dumps(context).encode(), "synaptic")))


def hook(setting: Setting, name: str, event: str, answer: dict, **keys: object) -> None:
    script = setting.project / f"scripts/{name}.sh"
    script.parent.mkdir(exist_ok=True)
    script.write_text(f"#!/bin/sh\ncat >/dev/null\ncat <<'EOF'\n{json.dumps(answer)}\nEOF\n")
    script.chmod(0o755)
    table = {"id": name, "event_type": event, "handler": {"kind": "script", "command": f"./scripts/{name}.sh"}, **keys}
    folder = setting.project / ".system/hooks"
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.yaml").write_text(json.dumps(table))


def test_an_orchestrator_gets_suggestions(routed: Setting):
    """S2-062, S2-080"""
    result = own(routed, "UserPromptSubmit", user_message=BILLING)
    (suggested,) = result["suggested_abilities"]
    assert suggested["id"] == "billing_regression" and suggested["confidence"] >= 0.8 and suggested["reason"]
    assert "billing_regression" in result["messages_to_user"][0]


def test_a_model_is_told_once_a_session(routed: Setting):
    """S2-061, S2-062, S2-080"""
    first = routed.answer(routed.request("UserPromptSubmit", prompt=BILLING))
    assert "- billing_regression (0.9" in specific(first)["additionalContext"]
    assert "billing_regression" in output(first)["systemMessage"]
    assert routed.answer(routed.request("UserPromptSubmit", prompt=BILLING)).stdout == b""
    other = routed.answer(routed.request("UserPromptSubmit", prompt=BILLING, session_id="s2"))
    assert "billing_regression" in specific(other)["additionalContext"]
    assert routed.answer(routed.request("UserPromptSubmit", prompt="thanks, nice")).stdout == b""


def test_a_question_brings_an_intent_and_its_documents(routed: Setting):
    """S2-063, S2-091, S2-092"""
    asked = "Before I commit, what checks should I run?"
    result = own(routed, "UserPromptSubmit", user_message=asked)
    assert result["new_intent"] == {
        "scope": "execution.quality_gates",
        "topic": "pre_commit_checks",
        "stage": "understand",
        "intent": "learn_which_checks_to_run_before_commit",
        "signals": {"user_raw_input": asked},
    }
    assert [item["path"] for item in result["suggested_documents"]] == ["docs/policy.md"]
    wants = "I want to run a pre-commit check"
    planned = own(routed, "UserPromptSubmit", user_message=wants, cli_command="make dev_check")
    assert planned["new_intent"] == {
        "scope": "execution.quality_gates",
        "topic": "pre_commit_checks",
        "stage": "plan",
        "intent": "ensure_code_quality_before_commit",
        "signals": {"user_raw_input": wants, "cli_command": "make dev_check"},
    }
    told = routed.answer(routed.request("UserPromptSubmit", prompt=asked))
    assert "- docs/policy.md: Which checks there are" in specific(told)["additionalContext"]


def test_intents_and_suggestions_of_any_hook_are_routed(routed: Setting):
    """S2-062, S2-063, S2-067: a matcher of the user's own is a hook."""
    intent = {"intent": "x", "scope": "execution.quality_gates", "topic": "pre_commit_checks", "stage": "plan"}
    answer = {"new_intent": intent, "suggested_abilities": [{"id": "mine", "reason": "semantic", "confidence": 0.7}]}
    hook(routed, "semantic", "UserPromptSubmit", answer, blocking=True)
    result = own(routed, "UserPromptSubmit", user_message="anything at all")
    assert result["new_intent"] == intent
    assert [item["path"] for item in result["suggested_documents"]] == ["docs/commands.md"]
    told = specific(routed.answer(routed.request("UserPromptSubmit", prompt="anything at all")))["additionalContext"]
    assert "- mine (0.7): semantic" in told and "docs/commands.md" in told


def test_a_call_is_recorded_in_its_files(routed: Setting):
    """S2-060, S2-084, S2-085, S2-090, S2-100"""
    fields = {"ability_id": "billing_regression", "status": "success", "duration_ms": 187000}
    path = ".system/implement/task-123/tool_call.md"
    result = own(routed, "PostAbilityCall", **fields, tool_call_path=path)
    assert result["usage_recorded"] is True
    (log,) = result["logs"]
    assert (log["level"], log["message"]) == ("info", "Recorded billing_regression run to tool_call.md")
    own(routed, "PostAbilityCall", **fields)
    logs = routed.project / ".system/logs"
    assert len((logs / "tool_call.md").read_text().splitlines()) == 2
    assert "`billing_regression` success, 187000 ms" in (routed.project / path).read_text()
    usage = json.loads((routed.project / ".system/cache/ability_usage.json").read_text())
    assert usage["billing_regression"]["count"] == 2
    lines = [json.loads(line) for line in (logs / "hooks.log").read_text().splitlines()]
    assert lines[0]["tool_call_path"] == path and lines[0]["duration_ms"] == 187000
    assert lines[1]["level"] == "info" and lines[1]["hook"] == "routing.post-tool-use-tracker"


def test_frequent_usage_is_a_signal(routed: Setting):
    """S2-085"""
    for _ in range(4):
        own(routed, "PostAbilityCall", ability_id="code_review_agent", status="success")
    result = own(routed, "PostAbilityCall", ability_id="code_review_agent", status="success")
    signal = {"ability_id": "code_review_agent", "signal": "frequent_usage", "weight": 0.7}
    assert result["extra"]["routing.post-tool-use-tracker"] == {"update_matcher_suggestions": [signal]}


def test_twenty_writers_at_once_lose_nothing(routed: Setting):
    """S2-084"""
    base = {
        "event_type": "PostAbilityCall",
        "session_id": "s",
        "timestamp": "t",
        "ability_id": "a",
        "status": "success",
    }
    stdin = json.dumps({**base, "repository_root": str(routed.project)}).encode()
    with ThreadPoolExecutor(4) as workers:
        list(workers.map(lambda _: routed.fallback(routed.raw("PostAbilityCall", stdin, "synaptic")), range(20)))
    usage = json.loads((routed.project / ".system/cache/ability_usage.json").read_text())
    assert usage["a"]["count"] == 20
    assert len((routed.project / ".system/logs/tool_call.md").read_text().splitlines()) == 20


def test_a_guard_blocks_and_says_so(routed: Setting):
    """S2-069, S2-073"""
    fields = {"ability_id": "wipe", "operation_key": "db.users.delete", "environment": "production"}
    result = own(routed, "PreAbilityCall", **fields)
    assert result["error"] == "blocked_by_policy"
    assert "This ability would write to production. In this environment, it is blocked." in result["messages_to_user"]


@pytest.mark.parametrize("event", ["PostAbilityCall", "SessionStop"])
def test_a_block_after_the_act_is_a_misconfiguration(routed: Setting, event: str):
    """S2-071"""
    hook(routed, "late", event, {"error": "blocked_by_policy", "messages_to_user": ["m"]}, blocking=True)
    fields = {"ability_id": "a", "status": "success", "session_id": "s", "timestamp": "t"}
    stdin = json.dumps({"event_type": event, "repository_root": str(routed.project), **fields}).encode()
    answer = routed.answer(routed.raw(event, stdin, "synaptic"))
    assert answer.exit == 0 and b"cannot be blocked: misconfigured" in answer.stderr
    assert "error" not in output(answer) and "m" in output(answer)["messages_to_user"]


FAKE_NPM = """\
#!/bin/sh
echo "$2" >> "$NPM_LOG"
case "$2" in
build:auth) echo "src/login.ts(58,5): error TS2322: Type 'x' is not assignable"; exit 1;;
esac
"""


@pytest.fixture
def building(routed: Setting, monkeypatch: pytest.MonkeyPatch) -> Setting:
    programs = routed.user / "bin"
    programs.mkdir()
    (programs / "npm").write_text(FAKE_NPM.replace("$NPM_LOG", str(routed.user / "npm.log")))
    (programs / "npm").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    routed.install()  # notes where programs are
    routed.config(
        'trust = "all"\npresets = ["routing"]\n[policies."routing.session-stop-build-check"]\nenabled = true\n'
    )
    return routed


CHANGED = ["services/billing/src/invoice.ts", "services/auth/src/login.ts", "README.md"]
REPORT = [
    "Ran `npm run build:billing` and `npm run build:auth` for modified services.",
    "Billing build: success.",
    "Auth build: failed with TypeScript error in services/auth/src/login.ts:58.",
]


def test_a_stop_builds_what_changed_and_queues_the_failing_file(building: Setting):
    """S2-064, S2-087, S2-088"""
    result = own(building, "SessionStop", changed_files=CHANGED)
    assert result["messages_to_user"] == REPORT
    (action,) = result["follow_up_actions"]
    assert action["kind"] == "open_file" and action["payload"]["path"] == "services/auth/src/login.ts"
    assert (building.user / "npm.log").read_text().split() == ["build:billing", "build:auth"]
    store = Store.open(building.home)
    (waiting,) = follow_ups.list_follow_ups(store, str(building.project))
    assert waiting.payload == {"path": "services/auth/src/login.ts", "line": 58}
    store.close()


def test_an_agent_s_stop_builds_what_the_session_wrote_once(building: Setting):
    """S2-087"""
    for path in CHANGED:
        tool = {"tool_name": "Write", "tool_input": {"file_path": f"{building.project}/{path}", "content": ""}}
        building.answer(building.request("PostToolUse", **tool))
    stopped = building.answer(building.request("Stop"))
    assert output(stopped)["systemMessage"].splitlines() == REPORT
    assert "decision" not in output(stopped)
    assert building.answer(building.request("Stop")).stdout == b""
    told = building.answer(building.request("UserPromptSubmit", prompt="ok then"))
    assert "services/auth/src/login.ts:58" in specific(told)["additionalContext"]


def test_builds_are_off_until_somebody_wants_them(routed: Setting):
    """S2-102"""
    assert own(routed, "SessionStop", changed_files=CHANGED) == {"usage_recorded": True}
