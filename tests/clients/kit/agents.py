"""The pinned clients: how the product's driver of an agent is given one, and what only the cache makes possible."""

import json
import shutil
from pathlib import Path

from synaptic.verification.driver import Driver, Stage, find_driver
from synaptic.verification.script import Use
from tests.clients.client import find_client
from tests.clients.kit import clients

AGENTS = ("claude", "codex", "gemini", "copilot", "droid", "qwen", "opencode", "cline")
SCRIPTS = ("gemini", "qwen")
"""Of node, and younger than the node that most systems have."""
BOOTSTRAP: dict[str, tuple[str, ...]] = {"claude": (), "codex": ("--agent", "codex", "--trust")}


class PinnedClient:
    """One agent's client of a known version, and the driver that verifies users' own."""

    def __init__(self, agent: str) -> None:
        self.name = agent
        self.driver: Driver = find_driver(agent)
        self.dialect = self.driver.dialect
        self.bootstrap: tuple[str, ...] = BOOTSTRAP.get(agent, ("--agent", agent))
        """What `synaptic bootstrap` is told, so that this agent is wired."""

    def program(self) -> Path:
        """The client; raises NoClient when there is none and none can be fetched."""
        return find_client() if self.name == "claude" else clients.program(self.name)

    def launch(self) -> tuple[str, ...]:
        """What starts it."""
        interpreter = (str(clients.program("node")),) if self.name in SCRIPTS else ()
        return (*interpreter, str(self.program()))

    def shell(self, command: str) -> Use:
        return self.driver.make_shell_call(command)

    def write(self, path: Path, content: str) -> Use:
        return self.driver.make_write_call(path, content)

    def prepare(self, stage: Stage) -> None:
        """The agent's settings. Claude Code's session has written its own."""
        if self.name != "claude":
            self.driver.prepare(stage)
        if self.name == "opencode":
            _seed(stage.home / ".config" / "opencode")

    def env(self, stage: Stage) -> dict[str, str]:
        return {**self.driver.variables(stage), **self._keep_compiled()}

    def _keep_compiled(self) -> dict[str, str]:
        """What a client unpacks or compiles when it first runs is kept with it, not made again in every home."""
        if self.name == "copilot":
            return {"XDG_CACHE_HOME": str(clients.PACKAGES["copilot"].folder / "unpacked")}
        if self.name in SCRIPTS:
            return {"NODE_COMPILE_CACHE": str(clients.PACKAGES[self.name].folder / "compiled")}
        return {}


def driver(agent: str) -> PinnedClient:
    return PinnedClient(agent)


def _seed(folder: Path) -> None:
    """OpenCode would install its plugin library into its settings when it starts; here that is there already."""
    package = clients.PACKAGES["opencode"]
    (folder / "node_modules").symlink_to(package.folder / "node_modules")
    dependencies = {"@opencode-ai/plugin": package.version}
    (folder / "package.json").write_text(json.dumps({"dependencies": dependencies}))
    shutil.copy(package.folder / "package-lock.json", folder)
