"""Execute any hook: its handler decides which runner does."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from synaptic.model.decision import Failure
from synaptic.model.hook import Builtin, Command, HttpEndpoint, OutsidePolicy, PythonFunction
from synaptic.runners import command
from synaptic.runners.base import Invocation
from synaptic.runners.once import ACCEPTED_VARIABLE, HANDLER_VARIABLE, encode_handler
from synaptic.runners.output import HookAnswer
from synaptic.runners.policies import PolicyRunner
from synaptic.runners.processes import reap_lingering, restore_child_signal
from synaptic.runners.python import PythonRunner
from synaptic.runners.run_folder import PromisedRun
from synaptic.runners.spool import FinishedRun, PreparedRun, RunSpool

if TYPE_CHECKING:
    from synaptic.runners.http import HttpRunner

# -I: the project's folder and PYTHON* variables must not be able to replace our modules.
ONCE_ARGV = (sys.executable, "-I", "-m", "synaptic.runners.once")


class HookRunners:
    """All runners of third-party hooks. `spool` is the folder of background runs."""

    def __init__(self, spool: Path) -> None:
        restore_child_signal()
        self._spool = RunSpool(spool)
        self.project_variables = {"PYTHONPYCACHEPREFIX": str(spool.parent / "pycache")}
        """For hooks that a repository brings: Python takes no compiled files from there, which nobody has read."""
        self.policies = PolicyRunner(self.project_variables["PYTHONPYCACHEPREFIX"])
        """For policies from outside: the engine asks them itself, because they are told facts."""
        self._python = PythonRunner()
        self._http: HttpRunner | None = None

    async def run(self, invocation: Invocation) -> HookAnswer:
        """Wait for a hook's answer."""
        match invocation.hook.handler:
            case Command() as handler:
                return await command.run_command(invocation, handler)
            case PythonFunction() as handler:
                return await self._python.run(invocation, handler)
            case HttpEndpoint() as handler:
                return await self._open_http().run(invocation, handler)
            case Builtin() | OutsidePolicy():
                raise TypeError(f"{invocation.hook.id} is a policy: it is asked with facts")

    def prepare(self, invocation: Invocation) -> PreparedRun | Failure:
        """Make a background hook ready to be launched; a failure when it is clear already that it cannot be."""
        match invocation.hook.handler:
            case Command() as handler:
                return self._spool.prepare(invocation, handler)
            case PythonFunction() | HttpEndpoint() as handler:
                # A background function gets its own process: a warm worker ends with the daemon.
                variables = {**invocation.variables, HANDLER_VARIABLE: encode_handler(handler)}
                if invocation.contents is not None and isinstance(handler, PythonFunction):
                    variables[ACCEPTED_VARIABLE] = " ".join(invocation.contents.get(handler.file, ()))
                detached = msgspec.structs.replace(invocation, variables=variables, contents=None)
                return self._spool.prepare(detached, Command(argv=ONCE_ARGV))
            case Builtin() | OutsidePolicy():
                raise TypeError(f"{invocation.hook.id} is a policy: it is asked with facts")

    def promise(self, run: PreparedRun, request: bytes) -> None:
        """Note the call of a background hook that is launched once the call is written. Raises OSError."""
        self._spool.promise(run, request)

    def withdraw(self, run: PreparedRun) -> None:
        """Take back what this process has promised: the call is not ours."""
        self._spool.withdraw(run)

    def list_promised(self) -> list[PromisedRun]:
        """Background hooks that were promised a while ago and never launched."""
        return self._spool.list_promised()

    def drop_promised(self, id: str) -> bool:
        """Give up a promised hook unless it has begun; whether it was there."""
        return self._spool.drop_promised(id)

    def launch(self, run: PreparedRun) -> Failure | None:
        """Launch a background hook; its advice comes with `collect`. Returns a failure when it could not be started."""
        return self._spool.launch(run)

    def start(self, invocation: Invocation) -> Failure | None:
        """Prepare and launch at once."""
        run = self.prepare(invocation)
        return run if isinstance(run, Failure) else self.launch(run)

    def collect(self) -> list[FinishedRun]:
        """Collect background runs that have ended; each is returned again until it is forgotten."""
        return self._spool.collect()

    def reap_children(self) -> None:
        """Take the exit codes of processes that nobody waits for any more: without that they stay, as zombies."""
        self._spool.reap_children()
        reap_lingering()

    def forget(self, finished: FinishedRun) -> None:
        """Forget a run whose outcome is stored."""
        self._spool.forget(finished)

    async def close(self) -> None:
        """End warm workers and threads; detached hooks go on."""
        await self._python.close()
        await self.policies.close()
        if self._http:
            await self._http.close()

    def _open_http(self) -> "HttpRunner":
        from synaptic.runners.http import HttpRunner  # noqa: PLC0415 - http.client is slow to import and rarely needed

        self._http = self._http or HttpRunner()
        return self._http
