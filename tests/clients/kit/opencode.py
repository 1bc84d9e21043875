"""OpenCode: `opencode run` with an OpenAI-compatible provider."""

import json
import shutil
from pathlib import Path

from tests.clients.kit import clients
from tests.clients.kit.dialects import Chat
from tests.clients.kit.driver import User
from tests.clients.script import Use

FOLDER = ".config/opencode"
OFF = ("MODELS_FETCH", "AUTOUPDATE", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")


class OpenCode:
    """It would install its plugin library into its settings when it starts; here that is there already."""

    name = "opencode"
    dialect = Chat()
    bootstrap: tuple[str, ...] = ("--agent", "opencode")

    def program(self) -> Path:
        return clients.program("opencode")

    def shell(self, command: str) -> Use:
        return Use("bash", {"command": command, "description": "step"})

    def write(self, path: Path, content: str) -> Use:
        return Use("write", {"filePath": str(path), "content": content})

    def prepare(self, user: User) -> None:
        model = {"name": "scripted", "tool_call": True, "limit": {"context": 100_000, "output": 4096}}
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "name": "scripted",
            "options": {"baseURL": user.model.url, "apiKey": "scripted"},
            "models": {"fake-model": model},
        }
        settings = {
            "autoupdate": False,
            "share": "disabled",
            "model": "scripted/fake-model",
            "small_model": "scripted/fake-model",
            "provider": {"scripted": provider},
        }
        user.put(f"{FOLDER}/opencode.json", json.dumps(settings, indent=2))
        _seed(user.home / FOLDER)

    def command(self, user: User, prompt: str) -> list[str]:
        return [str(user.program), "run", "--format", "json", prompt]

    def env(self, user: User) -> dict[str, str]:
        return {f"OPENCODE_DISABLE_{what}": "true" for what in OFF}


def _seed(folder: Path) -> None:
    package = clients.PACKAGES["opencode"]
    (folder / "node_modules").symlink_to(package.folder / "node_modules")
    dependencies = {"@opencode-ai/plugin": package.version}
    (folder / "package.json").write_text(json.dumps({"dependencies": dependencies}))
    shutil.copy(package.folder / "package-lock.json", folder)


DRIVER = OpenCode()
