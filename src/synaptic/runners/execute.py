"""One door to all runners: which one executes a hook is decided by its handler."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from synaptic.model.decision import Failure
from synaptic.model.hook import Builtin, Command, HttpEndpoint, PythonFunction
from synaptic.runners import command
from synaptic.runners.base import Invocation
from synaptic.runners.once import HANDLER, encoded
from synaptic.runners.output import Meaning
from synaptic.runners.processes import default_child_signal
from synaptic.runners.python import PythonRunner
from synaptic.runners.spool import Finished, Spool

if TYPE_CHECKING:
    from synaptic.runners.http import HttpRunner

ONCE = (sys.executable, "-I", "-m", "synaptic.runners.once")


class Runners:
    """Everything that executes third-party hooks. `spool` is the folder for runs that nobody waits for."""

    def __init__(self, spool: Path) -> None:
        default_child_signal()
        self._spool = Spool(spool)
        self._python = PythonRunner()
        self._http: HttpRunner | None = None

    async def run(self, invocation: Invocation) -> Meaning:
        """Wait for a hook's answer."""
        match invocation.hook.handler:
            case Command() as handler:
                return await command.run(invocation, handler)
            case PythonFunction() as handler:
                return await self._python.run(invocation, handler)
            case HttpEndpoint() as handler:
                return await self._server().run(invocation, handler)
            case Builtin(policy):
                raise TypeError(f"{policy.id} is a policy: the pipeline calls it itself")

    def start(self, invocation: Invocation) -> Failure | None:
        """Launch a hook that nobody waits for; its advice comes with `collect`. None when it runs."""
        match invocation.hook.handler:
            case Command() as handler:
                return self._spool.start(invocation, handler)
            case PythonFunction() | HttpEndpoint() as handler:
                variables = {**invocation.variables, HANDLER: encoded(handler)}
                detached = msgspec.structs.replace(invocation, variables=variables)
                return self._spool.start(detached, Command(argv=ONCE))
            case Builtin(policy):
                raise TypeError(f"{policy.id} is a policy: the pipeline calls it itself")

    def collect(self) -> list[Finished]:
        """Runs that have ended, the same ones again until `done`."""
        return self._spool.collect()

    def done(self, finished: Finished) -> None:
        """The outcome is stored: forget the run."""
        self._spool.done(finished)

    async def close(self) -> None:
        """End warm workers and threads; detached hooks go on."""
        await self._python.close()
        if self._http:
            await self._http.close()

    def _server(self) -> "HttpRunner":
        from synaptic.runners.http import HttpRunner  # noqa: PLC0415 - http.client is slow to import and rarely needed

        self._http = self._http or HttpRunner()
        return self._http
