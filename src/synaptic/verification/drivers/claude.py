"""Claude Code: `claude -p` against another base address."""

import json
from pathlib import Path

from synaptic.verification.dialects import Messages
from synaptic.verification.driver import Driver, Stage
from synaptic.verification.script import Use

ALLOWED = {"permissions": {"allow": ["Bash", "Write", "Edit", "Read"]}}


class ClaudeDriver(Driver):
    """Its settings allow the tools, so that it asks nobody itself."""

    name = "claude"
    dialect = Messages()

    def make_shell_call(self, command: str) -> Use:
        return Use("Bash", {"command": command, "description": "step"})

    def make_write_call(self, path: Path, content: str) -> Use:
        return Use("Write", {"file_path": str(path), "content": content})

    def prepare(self, stage: Stage) -> None:
        stage.put(".claude/settings.json", json.dumps(ALLOWED, indent=2))

    def command(self, stage: Stage, prompt: str) -> list[str]:
        return [*stage.launch, "-p", "--output-format", "json", prompt]

    def variables(self, stage: Stage) -> dict[str, str]:
        return {
            "ANTHROPIC_BASE_URL": stage.url,
            "ANTHROPIC_API_KEY": "sk-ant-scripted-0000",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_TMPDIR": str(stage.temporary),
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
        }


DRIVER = ClaudeDriver()
