"""OpenCode: `opencode run` with an OpenAI-compatible provider."""

import json
from pathlib import Path

from synaptic.verification.dialects import Chat
from synaptic.verification.driver import Driver, Stage
from synaptic.verification.script import Use

FOLDER = ".config/opencode"
OFF = ("MODELS_FETCH", "AUTOUPDATE", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")


class OpenCodeDriver(Driver):
    """Everything that it would fetch when it starts is switched off, as far as it has switches."""

    name = "opencode"
    dialect = Chat()

    def make_shell_call(self, command: str) -> Use:
        return Use("bash", {"command": command, "description": "step"})

    def make_write_call(self, path: Path, content: str) -> Use:
        return Use("write", {"filePath": str(path), "content": content})

    def prepare(self, stage: Stage) -> None:
        model = {"name": "scripted", "tool_call": True, "limit": {"context": 100_000, "output": 4096}}
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "name": "scripted",
            "options": {"baseURL": stage.url, "apiKey": "scripted"},
            "models": {"fake-model": model},
        }
        settings = {
            "autoupdate": False,
            "share": "disabled",
            "model": "scripted/fake-model",
            "small_model": "scripted/fake-model",
            "provider": {"scripted": provider},
        }
        stage.put(".npmrc", f"registry={stage.address}/\nfetch-retries=0\n")
        stage.put(f"{FOLDER}/opencode.json", json.dumps(settings, indent=2))

    def command(self, stage: Stage, prompt: str) -> list[str]:
        return [*stage.launch, "run", "--format", "json", prompt]

    def variables(self, stage: Stage) -> dict[str, str]:
        return {f"OPENCODE_DISABLE_{what}": "true" for what in OFF}


DRIVER = OpenCodeDriver()
