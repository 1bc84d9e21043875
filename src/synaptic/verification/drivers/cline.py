"""Cline CLI: one prompt on the command line, with an OpenAI-compatible model."""

from pathlib import Path

from synaptic.verification.dialects import Chat
from synaptic.verification.driver import Driver, Stage
from synaptic.verification.script import Use

PROVIDER = "openai-compatible"


class ClineDriver(Driver):
    """It leaves a server behind, which is ended after each session."""

    name = "cline"
    dialect = Chat()

    def make_shell_call(self, command: str) -> Use:
        return Use("run_commands", {"commands": [command]})

    def make_write_call(self, path: Path, content: str) -> Use:
        return Use("editor", {"path": str(path), "new_text": content})

    def login_command(self, stage: Stage) -> list[str]:
        where = ["-p", PROVIDER, "-k", "scripted", "-m", "fake-model", "-b", stage.url]
        return [*stage.launch, "auth", *where]

    def command(self, stage: Stage, prompt: str) -> list[str]:
        return [*stage.launch, "--json", "-P", PROVIDER, "-m", "fake-model", "-c", str(stage.project), prompt]

    def variables(self, stage: Stage) -> dict[str, str]:
        return {"CLINE_TELEMETRY_DISABLED": "1"}


DRIVER = ClineDriver()
