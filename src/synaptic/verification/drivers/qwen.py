"""Qwen Code: `qwen -p` with an OpenAI-compatible model."""

import json
from pathlib import Path

from synaptic.verification.dialects import Chat
from synaptic.verification.driver import Driver, Stage
from synaptic.verification.script import Use

SETTINGS = {
    "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}},
    "general": {"enableAutoUpdate": False},
    "privacy": {"usageStatisticsEnabled": False},
    "model": {"name": "fake-model"},
}


class QwenDriver(Driver):
    """Anything but `yolo` takes the shell away from a session without a terminal."""

    name = "qwen"
    dialect = Chat()

    def make_shell_call(self, command: str) -> Use:
        return Use("run_shell_command", {"command": command, "is_background": False, "description": "step"})

    def make_write_call(self, path: Path, content: str) -> Use:
        return Use("write_file", {"file_path": str(path), "content": content})

    def prepare(self, stage: Stage) -> None:
        stage.put(".qwen/settings.json", json.dumps(SETTINGS, indent=2))

    def command(self, stage: Stage, prompt: str) -> list[str]:
        flags = ["--approval-mode", "yolo", "--output-format", "json"]
        return [*stage.launch, *flags, "-p", prompt]

    def variables(self, stage: Stage) -> dict[str, str]:
        return {"OPENAI_API_KEY": "scripted", "OPENAI_BASE_URL": stage.url, "OPENAI_MODEL": "fake-model"}


DRIVER = QwenDriver()
