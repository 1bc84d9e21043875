"""A project in which an agent is refused things, by a real engine with its real store."""

from pathlib import Path

from synaptic.model.authority import Authority
from synaptic.store import refused
from synaptic.store.db import Store
from synaptic.store.refused import RefusedCall
from synaptic.testing import EngineSession
from synaptic.work.command import Caller, Command, CommandContext, Result

PUSH = "git push --force origin main"
OTHER_PUSH = "git push -f origin main"
WIPE = "rm -rf ~"
AT_A_TERMINAL = Authority(standing="sure", who="pts/1, by login")
SECRET = "ghp_012345678901234567890123456789abcdef"


class RefusedAgent:
    """An agent and its user; calls are only judged, none of them runs."""

    def __init__(self, folder: Path, config: str = "") -> None:
        self.session = EngineSession(folder, config=config)
        self.home = self.session.home
        self.project = self.session.project
        self.session.check("ls")
        self.store = Store.open(self.home)

    def tries(self, command: str, **given: object) -> str:
        """A shell command; the code of its refusal."""
        return self.uses("Bash", command=command, **given)

    def uses(self, tool: str, **given: object) -> str:
        return self.session.send("PreToolUse", tool_name=tool, tool_input=given).decision.code

    def find(self, code: str) -> RefusedCall:
        (found,) = refused.find_by_code(self.store, code)
        return found

    def context(self, root: Path | None = None) -> CommandContext:
        where = str(root or self.project)
        return CommandContext(self.store, Caller(root=where, cwd=where), AT_A_TERMINAL)

    def does(self, command: Command[Result]) -> Result:
        return command.run(self.context())  # type: ignore[return-value]

    def forges(self, sql: str, *values: object) -> None:
        """Past the engine, as whoever can write the file could."""
        self.store.write(lambda connection: connection.execute(sql, values))

    def close(self) -> None:
        self.store.close()
        self.session.close()
