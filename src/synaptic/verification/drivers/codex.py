"""OpenAI Codex: `codex exec` with a provider of our own."""

from pathlib import Path

from synaptic.verification.dialects import Responses
from synaptic.verification.driver import Driver, Stage
from synaptic.verification.script import Use

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


class CodexDriver(Driver):
    """The model's name decides that patches are a tool of their own."""

    name = "codex"
    dialect = Responses()

    def make_shell_call(self, command: str) -> Use:
        return Use("exec_command", {"cmd": command})

    def make_write_call(self, path: Path, content: str) -> Use:
        lines = "".join(f"+{line}\n" for line in content.splitlines())
        return Use("apply_patch", {"freeform": f"*** Begin Patch\n*** Add File: {path}\n{lines}*** End Patch\n"})

    def prepare(self, stage: Stage) -> None:
        stage.put(".codex/config.toml", CONFIG.format(url=stage.url, project=stage.project))

    def command(self, stage: Stage, prompt: str) -> list[str]:
        return [*stage.launch, "exec", "--json", "--skip-git-repo-check", "-C", str(stage.project), prompt]

    def variables(self, stage: Stage) -> dict[str, str]:
        return {"SCRIPTED_KEY": "scripted", "SHELL": "/bin/sh"}


DRIVER = CodexDriver()
