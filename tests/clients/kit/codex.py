"""OpenAI Codex: `codex exec` with a provider of our own."""

from pathlib import Path

from tests.clients.kit import clients
from tests.clients.kit.dialects import Responses
from tests.clients.kit.driver import User
from tests.clients.script import Use

CONFIG = """\
model = "gpt-5.5"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.scripted]
name = "scripted"
base_url = "{url}"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false

[projects."{project}"]
trust_level = "trusted"
"""


class Codex:
    """The model's name decides that patches are a tool of their own."""

    name = "codex"
    dialect = Responses()
    bootstrap: tuple[str, ...] = ("--agent", "codex", "--trust")

    def program(self) -> Path:
        return clients.program("codex")

    def shell(self, command: str) -> Use:
        return Use("exec_command", {"cmd": command})

    def write(self, path: Path, content: str) -> Use:
        lines = "".join(f"+{line}\n" for line in content.splitlines())
        return Use("apply_patch", {"freeform": f"*** Begin Patch\n*** Add File: {path}\n{lines}*** End Patch\n"})

    def prepare(self, user: User) -> None:
        user.put(".codex/config.toml", CONFIG.format(url=user.model.url, project=user.project))

    def command(self, user: User, prompt: str) -> list[str]:
        return [str(user.program), "exec", "--json", "--skip-git-repo-check", "-C", str(user.project), prompt]

    def env(self, user: User) -> dict[str, str]:
        return {"SCRIPTED_KEY": "scripted", "SHELL": "/bin/sh"}


DRIVER = Codex()
