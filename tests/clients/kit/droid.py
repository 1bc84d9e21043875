"""Factory droid: `droid exec`, air-gapped, with a custom model."""

import json
from pathlib import Path

from tests.clients.kit import clients
from tests.clients.kit.dialects import Chat
from tests.clients.kit.driver import User
from tests.clients.script import Use


class Droid:
    """Its models of one's own are named in its settings."""

    name = "droid"
    dialect = Chat()
    bootstrap: tuple[str, ...] = ("--agent", "droid")

    def program(self) -> Path:
        return clients.program("droid")

    def shell(self, command: str) -> Use:
        risk = {"riskLevel": "low", "riskLevelReason": "scripted"}
        return Use("Execute", {"command": command, "summary": "step", **risk})

    def write(self, path: Path, content: str) -> Use:
        return Use("Create", {"file_path": str(path), "content": content})

    def prepare(self, user: User) -> None:
        model = {"model": "fake-model", "displayName": "scripted", "id": "custom:fake-model-0", "apiKey": "scripted"}
        where = {"baseUrl": user.model.url, "provider": "generic-chat-completion-api", "maxOutputTokens": 4096}
        settings = {"customModels": [{**model, **where}], "cloudSessionSync": False}
        user.put(".factory/settings.json", json.dumps(settings, indent=2))

    def command(self, user: User, prompt: str) -> list[str]:
        flags = ["--auto", "high", "-m", "custom:fake-model-0", "--cwd", str(user.project), "-o", "json"]
        return [str(user.program), "exec", *flags, prompt]

    def env(self, user: User) -> dict[str, str]:
        return {
            "FACTORY_AIRGAP_ENABLED": "true",
            "FACTORY_DISABLE_KEYRING": "true",
            "FACTORY_DROID_AUTO_UPDATE_ENABLED": "false",
        }


DRIVER = Droid()
