"""Claude Code: `claude -p` against another base address."""

from pathlib import Path

from tests.clients.client import find_client
from tests.clients.kit.dialects import Messages
from tests.clients.kit.driver import User
from tests.clients.script import Use


class Claude:
    """The client that all the other tests here drive in depth; its session has allowed the tools already."""

    name = "claude"
    dialect = Messages()
    bootstrap: tuple[str, ...] = ()

    def program(self) -> Path:
        return find_client()

    def shell(self, command: str) -> Use:
        return Use("Bash", {"command": command, "description": "step"})

    def write(self, path: Path, content: str) -> Use:
        return Use("Write", {"file_path": str(path), "content": content})

    def prepare(self, user: User) -> None:
        """The session has written the settings."""

    def command(self, user: User, prompt: str) -> list[str]:
        return [str(user.program), "-p", "--output-format", "json", prompt]

    def env(self, user: User) -> dict[str, str]:
        return {
            "ANTHROPIC_BASE_URL": user.model.url,
            "ANTHROPIC_API_KEY": "sk-ant-scripted-0000",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_TMPDIR": str(user.session.temporary),
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
        }


DRIVER = Claude()
