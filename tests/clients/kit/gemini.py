"""Google Gemini CLI: `gemini -p` with an API key and another base address."""

import json
from pathlib import Path

from tests.clients.kit import clients
from tests.clients.kit.dialects import Gemini as Dialect
from tests.clients.kit.driver import User
from tests.clients.script import Use

SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
    "general": {"enableAutoUpdate": False},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
}


class Gemini:
    """Anything but `yolo` takes the shell away from a session without a terminal."""

    name = "gemini"
    dialect = Dialect()
    bootstrap: tuple[str, ...] = ("--agent", "gemini")

    def program(self) -> Path:
        clients.program("node")
        return clients.program("gemini")

    def shell(self, command: str) -> Use:
        return Use("run_shell_command", {"command": command, "description": "step"})

    def write(self, path: Path, content: str) -> Use:
        return Use("write_file", {"file_path": str(path), "content": content})

    def prepare(self, user: User) -> None:
        user.put(".gemini/settings.json", json.dumps(SETTINGS, indent=2))

    def command(self, user: User, prompt: str) -> list[str]:
        flags = ["--approval-mode", "yolo", "--output-format", "json"]
        return [str(clients.program("node")), str(user.program), *flags, "-p", prompt]

    def env(self, user: User) -> dict[str, str]:
        return {"GEMINI_API_KEY": "scripted", "GOOGLE_GEMINI_BASE_URL": user.model.url}


DRIVER = Gemini()
