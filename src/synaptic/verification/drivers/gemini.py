"""Google Gemini CLI: `gemini -p` with an API key and another base address."""

import json
from pathlib import Path

from synaptic.verification.dialects import Gemini
from synaptic.verification.driver import Driver, Stage
from synaptic.verification.script import Use

SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
    "general": {"enableAutoUpdate": False},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
}


class GeminiDriver(Driver):
    """Anything but `yolo` takes the shell away from a session without a terminal."""

    name = "gemini"
    dialect = Gemini()

    def make_shell_call(self, command: str) -> Use:
        return Use("run_shell_command", {"command": command, "description": "step"})

    def make_write_call(self, path: Path, content: str) -> Use:
        return Use("write_file", {"file_path": str(path), "content": content})

    def prepare(self, stage: Stage) -> None:
        stage.put(".gemini/settings.json", json.dumps(SETTINGS, indent=2))

    def command(self, stage: Stage, prompt: str) -> list[str]:
        flags = ["--approval-mode", "yolo", "--output-format", "json"]
        return [*stage.launch, *flags, "-p", prompt]

    def variables(self, stage: Stage) -> dict[str, str]:
        return {"GEMINI_API_KEY": "scripted", "GOOGLE_GEMINI_BASE_URL": stage.url}


DRIVER = GeminiDriver()
