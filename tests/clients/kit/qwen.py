"""Qwen Code: `qwen -p` with an OpenAI-compatible model, on a node of its own."""

import json
from pathlib import Path

from tests.clients.kit import clients
from tests.clients.kit.dialects import Chat
from tests.clients.kit.driver import User
from tests.clients.script import Use

SETTINGS = {
    "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}},
    "general": {"enableAutoUpdate": False},
    "privacy": {"usageStatisticsEnabled": False},
    "model": {"name": "fake-model"},
}


class Qwen:
    """Younger than the node that most systems have."""

    name = "qwen"
    dialect = Chat()
    bootstrap: tuple[str, ...] = ("--agent", "qwen")

    def program(self) -> Path:
        clients.program("node")
        return clients.program("qwen")

    def shell(self, command: str) -> Use:
        return Use("run_shell_command", {"command": command, "is_background": False, "description": "step"})

    def write(self, path: Path, content: str) -> Use:
        return Use("write_file", {"file_path": str(path), "content": content})

    def prepare(self, user: User) -> None:
        user.put(".qwen/settings.json", json.dumps(SETTINGS, indent=2))

    def command(self, user: User, prompt: str) -> list[str]:
        flags = ["--approval-mode", "yolo", "--output-format", "json"]
        return [str(clients.program("node")), str(user.program), *flags, "-p", prompt]

    def env(self, user: User) -> dict[str, str]:
        return {"OPENAI_API_KEY": "scripted", "OPENAI_BASE_URL": user.model.url, "OPENAI_MODEL": "fake-model"}


DRIVER = Qwen()
