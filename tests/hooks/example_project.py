"""Three hooks as a repository of abilities declares them, word for word, with handlers that answer as they should."""

import json
from pathlib import Path

EXAMPLES = Path(__file__).with_name("examples")
OPT_IN = ("enabled: false  # opt-in", "enabled: true  # opt-in")

PROMPT = {"user_message": "I need to run the full billing regression tests", "files_touched": [], "stage": "understand"}
CALLED = {
    "ability_id": "code_review_agent",
    "operation_key": "agent.code_review",
    "status": "success",
    "duration_ms": 124000,
    "input_summary": "Review changes in src/payments/*.ts",
    "output_summary": "Found 3 issues, suggested fixes in-line",
    "tool_call_path": ".system/implement/task-456/tool_call.md",
}
STOPPED = {"changed_files": ["services/billing/src/invoice.ts", "services/billing/src/line_item.ts"]}
CONTEXTS = {"UserPromptSubmit": PROMPT, "PostAbilityCall": CALLED, "SessionStop": STOPPED}

SUGGESTION = {
    "id": "billing_regression",
    "reason": "Matches 'billing regression tests' and regression workflow scope",
    "confidence": 0.9,
}
INTENT = {
    "scope": "execution.quality_gates",
    "topic": "pre_commit_checks",
    "stage": "plan",
    "intent": "ensure_code_quality_before_commit",
    "signals": {"user_raw_input": "I want to run a pre-commit check", "cli_command": "make dev_check"},
}
SIGNAL = {"ability_id": "code_review_agent", "signal": "frequent_usage", "weight": 0.7}
LOGGED = {"level": "info", "message": "Logged code_review_agent usage to tool_call.md"}
BUILD_MESSAGES = [
    "I ran `npm run build:billing` for the modified billing service.",
    "The build failed: TypeScript error in services/billing/src/invoice.ts:123.",
    "Recommend fixing the error before merging.",
]
ANSWERS: dict[str, dict[str, object]] = {
    "skill_activation_prompt": {
        "suggested_abilities": [SUGGESTION],
        "messages_to_user": ["You can run the billing regression workflow ability to execute the full suite."],
        "suggested_documents": [{"path": "docs/billing.md", "reason": "how billing is tested", "stage": "plan"}],
        "new_intent": INTENT,
    },
    "post_tool_use_tracker": {"logs": [LOGGED], "usage_recorded": True, "update_matcher_suggestions": [SIGNAL]},
    "session_stop_build_check": {
        "messages_to_user": BUILD_MESSAGES,
        "follow_up_actions": [{"kind": "open_file", "path": "services/billing/src/invoice.ts"}],
    },
}
RESULTS: dict[str, dict[str, object]] = {
    "UserPromptSubmit": {
        "messages_to_user": ANSWERS["skill_activation_prompt"]["messages_to_user"],
        "suggested_abilities": [{**SUGGESTION, "hook": "skill_activation_prompt"}],
        "suggested_documents": [
            {
                "path": "docs/billing.md",
                "reason": "how billing is tested",
                "stage": "plan",
                "hook": "skill_activation_prompt",
            }
        ],
        "new_intent": INTENT,
    },
    "PostAbilityCall": {
        "logs": [{**LOGGED, "hook": "post_tool_use_tracker"}],
        "usage_recorded": True,
        "extra": {"post_tool_use_tracker": {"update_matcher_suggestions": [SIGNAL]}},
    },
    "SessionStop": {
        "messages_to_user": BUILD_MESSAGES,
        "follow_up_actions": [
            {
                "kind": "open_file",
                "payload": {"path": "services/billing/src/invoice.ts"},
                "hook": "session_stop_build_check",
            }
        ],
    },
}
"""What an orchestrator is answered, event by event."""
HANDLERS = {event: name for name, event in zip(ANSWERS, RESULTS, strict=True)}


def bring_examples(project: Path) -> None:
    """Put the declarations and their handlers where a repository has them; the stop check is opted into."""
    (project / ".git").mkdir(parents=True, exist_ok=True)
    for name, answer in ANSWERS.items():
        text = (EXAMPLES / f"{name}.yaml").read_text().replace(*OPT_IN)
        write_file(project / f".system/hooks/{name}.yaml", text)
        write_handler(project, name, answer)


def write_handler(project: Path, name: str, answer: object, more: str = "") -> None:
    """A handler that keeps what it was given beside itself, and answers."""
    seen = f"scripts/hooks/{name}.seen"
    text = f"#!/bin/sh\ncat >> {seen}\n{more}\ncat <<'EOF'\n{json.dumps(answer)}\nEOF\n"
    write_file(project / f"scripts/hooks/{name}.sh", text, 0o755)


def read_contexts(project: Path, name: str) -> list[dict]:
    """Every context that a handler was given, oldest first."""
    file = project / f"scripts/hooks/{name}.seen"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def write_file(path: Path, text: str, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
