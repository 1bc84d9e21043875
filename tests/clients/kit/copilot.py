"""GitHub Copilot CLI: offline, with a provider of the user's own."""

from pathlib import Path

from tests.clients.kit import clients
from tests.clients.kit.dialects import Chat
from tests.clients.kit.driver import User
from tests.clients.script import Use


class Copilot:
    """It unpacks itself into its cache when it first runs; that is kept with the client."""

    name = "copilot"
    dialect = Chat()
    bootstrap: tuple[str, ...] = ("--agent", "copilot")

    def program(self) -> Path:
        return clients.program("copilot")

    def shell(self, command: str) -> Use:
        return Use("bash", {"command": command, "description": "step"})

    def write(self, path: Path, content: str) -> Use:
        return Use("create", {"path": str(path), "file_text": content})

    def prepare(self, user: User) -> None:
        (user.home / ".copilot").mkdir()

    def command(self, user: User, prompt: str) -> list[str]:
        flags = ["--output-format", "json", "--disable-builtin-mcps", "--allow-all-tools"]
        return [str(user.program), "-p", prompt, *flags]

    def env(self, user: User) -> dict[str, str]:
        return {
            "COPILOT_OFFLINE": "true",
            "COPILOT_PROVIDER_BASE_URL": user.model.url,
            "COPILOT_PROVIDER_API_KEY": "scripted",
            "COPILOT_MODEL": "fake-model",
            "COPILOT_AUTO_UPDATE": "false",
            "XDG_CACHE_HOME": str(clients.PACKAGES["copilot"].folder / "unpacked"),
        }


DRIVER = Copilot()
