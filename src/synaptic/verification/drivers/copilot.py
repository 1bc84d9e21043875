"""GitHub Copilot CLI: offline, with a provider of the user's own."""

from pathlib import Path

from synaptic.verification.dialects import Chat
from synaptic.verification.driver import Driver, Stage
from synaptic.verification.script import Use


class CopilotDriver(Driver):
    """It unpacks itself into its cache when it first runs."""

    name = "copilot"
    dialect = Chat()

    def make_shell_call(self, command: str) -> Use:
        return Use("bash", {"command": command, "description": "step"})

    def make_write_call(self, path: Path, content: str) -> Use:
        return Use("create", {"path": str(path), "file_text": content})

    def prepare(self, stage: Stage) -> None:
        (stage.home / ".copilot").mkdir(exist_ok=True)

    def command(self, stage: Stage, prompt: str) -> list[str]:
        flags = ["--output-format", "json", "--disable-builtin-mcps", "--allow-all-tools"]
        return [*stage.launch, "-p", prompt, *flags]

    def variables(self, stage: Stage) -> dict[str, str]:
        return {
            "COPILOT_OFFLINE": "true",
            "COPILOT_PROVIDER_BASE_URL": stage.url,
            "COPILOT_PROVIDER_API_KEY": "scripted",
            "COPILOT_MODEL": "fake-model",
            "COPILOT_AUTO_UPDATE": "false",
        }


DRIVER = CopilotDriver()
