"""Cline CLI: one prompt on the command line, with an OpenAI-compatible model."""

from pathlib import Path

from tests.clients.kit import clients
from tests.clients.kit.dialects import Chat
from tests.clients.kit.driver import User
from tests.clients.script import Use

PROVIDER = "openai-compatible"


class Cline:
    """It leaves a server behind, which is ended after each session."""

    name = "cline"
    dialect = Chat()
    bootstrap: tuple[str, ...] = ("--agent", "cline")

    def program(self) -> Path:
        return clients.program("cline")

    def shell(self, command: str) -> Use:
        return Use("run_commands", {"commands": [command]})

    def write(self, path: Path, content: str) -> Use:
        return Use("editor", {"path": str(path), "new_text": content})

    def prepare(self, user: User) -> None:
        where = ["-p", PROVIDER, "-k", "scripted", "-m", "fake-model", "-b", user.model.url]
        user.call([str(user.program), "auth", *where])

    def command(self, user: User, prompt: str) -> list[str]:
        return [str(user.program), "--json", "-P", PROVIDER, "-m", "fake-model", "-c", str(user.project), prompt]

    def env(self, user: User) -> dict[str, str]:
        return {"CLINE_TELEMETRY_DISABLED": "1"}


DRIVER = Cline()
