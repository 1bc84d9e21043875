"""Factory droid: `droid exec`, air-gapped, with a custom model."""

import json
from pathlib import Path

from synaptic.verification.dialects import Chat
from synaptic.verification.driver import Driver, Stage
from synaptic.verification.script import Use


class DroidDriver(Driver):
    """Its models of one's own are named in its settings."""

    name = "droid"
    dialect = Chat()

    def make_shell_call(self, command: str) -> Use:
        risk = {"riskLevel": "low", "riskLevelReason": "scripted"}
        return Use("Execute", {"command": command, "summary": "step", **risk})

    def make_write_call(self, path: Path, content: str) -> Use:
        return Use("Create", {"file_path": str(path), "content": content})

    def prepare(self, stage: Stage) -> None:
        model = {"model": "fake-model", "displayName": "scripted", "id": "custom:fake-model-0", "apiKey": "scripted"}
        where = {"baseUrl": stage.url, "provider": "generic-chat-completion-api", "maxOutputTokens": 4096}
        settings = {"customModels": [{**model, **where}], "cloudSessionSync": False}
        stage.put(".factory/settings.json", json.dumps(settings, indent=2))

    def command(self, stage: Stage, prompt: str) -> list[str]:
        flags = ["--auto", "high", "-m", "custom:fake-model-0", "--cwd", str(stage.project), "-o", "json"]
        return [*stage.launch, "exec", *flags, prompt]

    def variables(self, stage: Stage) -> dict[str, str]:
        return {
            "FACTORY_AIRGAP_ENABLED": "true",
            "FACTORY_DISABLE_KEYRING": "true",
            "FACTORY_DROID_AUTO_UPDATE_ENABLED": "false",
        }


DRIVER = DroidDriver()
