"""What Qwen Code has kept of Gemini CLI, from which it was made."""

from typing import Any

from synaptic.agents.base import CommandLine, HookBypass, HookSwitch, Wiring, split_options
from synaptic.agents.shared.entries import build_hook

FOLDER_TRUST = HookSwitch(
    "settings.json",
    ("security", "folderTrust", "enabled"),
    True,
    "warn",
    "hooks run only in folders that you have told it to trust",
)
COMMAND_LINE = CommandLine(
    flag="-i",
    prompts=split_options("-i --prompt-interactive -p --prompt"),
    resume=split_options("-r --resume -c --continue --session-file --session-id --fork-session"),
    switches=split_options(
        "-d --debug --skip-trust -s --sandbox -y --yolo --acp --experimental-acp -l --list-extensions --screen-reader "
        "--raw-output --accept-raw-output-risk -c --continue --fork-session --bare --safe-mode --insecure "
        "--openai-logging --include-partial-messages --experimental-lsp --telemetry --telemetry-log-prompts"
    ),
    several=split_options(
        "--policy --admin-policy --allowed-mcp-server-names --allowed-tools -e --extensions --include-directories "
        "--add-dir --fallback-model --core-tools --exclude-tools --disabled-slash-commands"
    ),
)

GEMINI_BYPASS = HookBypass(
    options=split_options("--bare --safe-mode"),
    unasked=split_options("--yolo -y --approval-mode=yolo"),
    verbs=frozenset({"hooks disable", "hooks uninstall"}),
)


def build_named_group(wiring: Wiring, event: str) -> dict[str, Any]:
    """In milliseconds, and with a name by which a user can switch the hook off."""
    hook = build_hook(wiring, event)
    return {"hooks": [{"name": "synaptic", **hook, "timeout": 1000 * hook["timeout"]}]}
