"""Abilities and knowledge in front of the real client: the three flows, from a prompt to a stop."""

import json

import pytest

from tests.clients.claude import ALLOWED, Session
from tests.clients.script import Text, Use, bash, conversation, flat, write
from tests.hooks.test_knowledge import ROUTE, ROUTING

pytestmark = pytest.mark.client

CONFIG = """\
presets = ["routing"]
[policies."routing.session-stop-build-check"]
enabled = true
command = ["/bin/sh", "build.sh", "{service}"]
"""
FILES = {
    ".system/registry/abilities.yaml": (
        "abilities:\n"
        "  - {id: billing_regression, kind: workflow, summary: Run the full regression suite for billing}\n"
        "  - {id: signup_e2e, summary: Test the signup flow end to end}\n"
    ),
    ".claude/skills/billing-regression/SKILL.md": (
        "---\nname: billing-regression\ndescription: How the regression is run\n---\nRun make test.\n"
    ),
    "ROUTING.md": ROUTING,
    "docs/routes/quality.md": ROUTE,
    "docs/policy.md": "Run make dev_check.",
    "build.sh": (
        'echo "$1" >> built\nif [ "$1" = auth ]; then echo \'src/login.ts(58,5): error TS2322: wrong\'; exit 1; fi\n'
    ),
}


@pytest.fixture
def routed(session: Session) -> Session:
    session.settings({"permissions": {"allow": [*ALLOWED["permissions"]["allow"], "Skill"]}})
    session.bootstrap()
    session.synaptic_home.config.write_text(CONFIG)
    for path, text in FILES.items():
        file = session.project / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return session


def test_a_billing_request_brings_the_suggestion_to_the_model_and_the_call_is_recorded(routed: Session) -> None:
    """S2-080, S2-084, S2-094: flow 5.1"""
    call = (Use("Skill", {"skill": "billing-regression"}),)
    prompt = "Run the full billing regression tests for me."
    outcome = routed.run(conversation(call), prompts=(prompt, "and again: the full billing regression tests"))

    assert "- billing_regression (0.9" in outcome.heard
    assert "signup_e2e" not in outcome.heard
    last = "\n".join(flat(message["content"]) for message in outcome.requests[-1]["messages"])
    assert last.count("- billing_regression (0.9") == 1
    usage = json.loads((routed.project / ".system/cache/ability_usage.json").read_text())
    assert usage["billing-regression"]["count"] == 1
    assert "`billing-regression` (tool.Skill) success" in (routed.project / ".system/logs/tool_call.md").read_text()


def test_a_question_about_commits_brings_the_right_documents(routed: Session) -> None:
    """S2-063, S2-091, S2-092: flow 5.2"""
    checked = bash("make dev_check || true")
    question = "Before I commit, what checks should I run?"
    outcome = routed.run(conversation((Text("hello"),), checked), prompts=(question, "go on"))

    assert "- docs/policy.md: Which checks there are" in outcome.heard
    assert "docs/commands.md" not in outcome.heard
    (asked, *_) = routed.journal("UserPromptSubmit")
    assert asked.decision.result is not None and asked.decision.result.new_intent is not None
    assert asked.decision.result.new_intent["topic"] == "pre_commit_checks"
    assert asked.decision.result.new_intent["signals"] == {"user_raw_input": question}


def test_a_stop_with_two_changed_services_builds_both_and_queues_the_failing_file(routed: Session) -> None:
    """S2-064, S2-087, S2-088: flow 5.3"""
    billing, auth = (routed.project / f"services/{name}" for name in ("billing/src/invoice.ts", "auth/src/login.ts"))
    outcome = routed.run(conversation(write(billing, "x"), write(auth, "y")))

    assert (routed.project / "built").read_text().split() == ["billing", "auth"]
    (stopped, *_) = routed.journal("Stop")
    assert "Billing build: success." in stopped.decision.messages
    assert "Auth build: failed with TypeScript error in services/auth/src/login.ts:58." in stopped.decision.messages
    assert any("login.ts:58" in line["output"] for line in outcome.hooks("Stop"))
    (waiting,) = json.loads(routed.synaptic("follow-ups", "list", "--json"))["follow_ups"]
    assert waiting["kind"] == "open_file" and waiting["payload"]["path"] == "services/auth/src/login.ts"
