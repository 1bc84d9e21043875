"""Run hook scripts: the event on stdin, nine variables, their own process group, killed at the timeout."""

import asyncio
import contextlib
import errno
import os
import shlex
from pathlib import Path

import msgspec

from synaptic.files.bounded import read_start
from synaptic.files.inside import make_folder_inside
from synaptic.model.decision import Failure, Fault, Verdict
from synaptic.model.hook import Command, Hook
from synaptic.runners.base import Invocation
from synaptic.runners.dialect import interpret_output
from synaptic.runners.environment import build_environment
from synaptic.runners.exact import ChangedContentError, bind_file
from synaptic.runners.output import (
    OUTPUT_LIMIT,
    STDERR_LIMIT,
    HookAnswer,
    ProcessOutput,
    describe_hook,
    make_length_failure,
    make_timeout_failure,
)
from synaptic.runners.pipes import PipeDrain, PipeFeed
from synaptic.runners.processes import LaunchPlan, Process, StandardStreams, end_process, start_process, wait_for_exit
from synaptic.runners.stdin import encode_stdin

OUTPUT_LINGER = 0.2
"""Seconds to wait after the exit for a background child that still holds stdout open."""


async def run_command(invocation: Invocation, handler: Command) -> HookAnswer:
    """Run a script and read its answer; it is killed at the timeout, and when the waiting task is cancelled."""
    plan, warnings = prepare_launch(invocation, handler)
    if isinstance(plan, Failure):
        return plan
    child = _ChildProcess()
    try:
        async with asyncio.timeout(invocation.timeout):
            output = await child.run(plan, encode_stdin(invocation.call, invocation.hook.protocol))
    except TimeoutError:
        return make_timeout_failure(invocation.hook, invocation.timeout)
    except (OSError, ValueError) as error:
        return make_start_failure(invocation.hook, plan, error)
    finally:
        # Also on cancellation: the daemon drops a call whose client has gone, and its scripts must not live on.
        child.close(plan.mark)
    if output is None:
        return make_length_failure(invocation.hook)
    return _add_warnings(interpret_output(invocation.hook, invocation.call.event, output), warnings)


def prepare_launch(invocation: Invocation, handler: Command) -> tuple[LaunchPlan | Failure, tuple[str, ...]]:
    """Build what to execute, with a warning for each variable that was too long to be passed.

    A failure where the file to run is missing, or is another one than may run.
    """
    _make_logs(invocation)
    mark = os.urandom(16).hex()
    variables = build_environment(invocation, mark)
    warnings = tuple(f"{describe_hook(invocation.hook)}: {warning}" for warning in variables.warnings)
    argv = handler.argv or ("/bin/sh", "-c", handler.shell)
    folder = _choose_directory(invocation, handler)
    plan = LaunchPlan(argv, variables.variables, folder, mark, handler.script)
    return (plan if invocation.contents is None else _bind_contents(plan, invocation, handler)), warnings


def _bind_contents(plan: LaunchPlan, invocation: Invocation, handler: Command) -> LaunchPlan | Failure:
    """The plan with the bytes that were compared in the place of the file that it names."""
    try:
        exact = bind_file(handler.argv, handler.shell, invocation.contents or {}, handler.cwd)
    except ChangedContentError as error:
        return Failure(
            Fault.MISSING,
            f"{describe_hook(invocation.hook)}: {error} was changed after it was checked, so it does not run; "
            "look at it, then type `synaptic trust`",
        )
    except OSError as error:
        return make_start_failure(invocation.hook, plan, error)
    return msgspec.structs.replace(plan, argv=exact.argv, content=exact.content, executable=exact.executable)


def find_interpreter(script: str) -> str:
    """What the first line of a script wants to be run by, with its argument."""
    first = read_start(script, 256).partition(b"\n")[0]
    return first[2:].decode("utf-8", "replace").strip() or "an interpreter" if first.startswith(b"#!") else ""


def make_start_failure(hook: Hook, plan: LaunchPlan, error: Exception) -> Failure:
    """Explain why a script could not be started, and what to type."""
    script = plan.script or plan.argv[0]
    code = error.errno if isinstance(error, OSError) else None
    # exec reports ENOENT for the interpreter of line 1 too; the script itself is there.
    if code == errno.ENOENT and "/" in script and (interpreter := find_interpreter(script)):
        return Failure(
            Fault.CRASH, f"{describe_hook(hook)}: {script} wants {interpreter}, which is not there (see its line 1)"
        )
    if code in (errno.ENOENT, errno.ENOTDIR):
        where = f"; restore it or remove the hook from {hook.source}" if hook.source else ""
        return Failure(Fault.MISSING, f"{describe_hook(hook)}: script {script} does not exist{where}")
    if code == errno.EACCES and Path(script).is_file():
        fix = f"chmod +x {shlex.quote(script)}"
        return Failure(Fault.CRASH, f"{describe_hook(hook)}: {script} must not be executed; type: {fix}")
    return Failure(Fault.CRASH, f"{describe_hook(hook)}: {script} cannot be started: {error}")


class _ChildProcess:
    """One process and its pipes; `close` leaves nothing behind."""

    def __init__(self) -> None:
        self.pipes: list[PipeFeed | PipeDrain] = []
        self.process: Process | None = None

    async def run(self, plan: LaunchPlan, stdin: bytes) -> ProcessOutput | None:
        """Return its output, or None when it printed more than the limit."""
        feed, out, err = self._open(stdin)
        self.process = start_process(plan, StandardStreams(feed.reader, out.writer, err.writer))
        # Our copies of the child's ends: kept open, the pipes would never report an end.
        out.close_writer()
        err.close_writer()
        feed.begin()
        code = await _wait_or_overflow(self.process, out)
        if code is None:
            return None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(OUTPUT_LINGER):
                await out.ended.wait()
                await err.ended.wait()
        return None if out.full.is_set() else ProcessOutput(bytes(out.data), bytes(err.data), code)

    def close(self, mark: str) -> None:
        if self.process:
            end_process(self.process, mark)
        for pipe in self.pipes:
            pipe.close()

    def _open(self, stdin: bytes) -> tuple[PipeFeed, PipeDrain, PipeDrain]:
        """Open the three pipes one by one, so that those already open are closed when the next one fails."""
        self.pipes.append(feed := PipeFeed(stdin))
        self.pipes.append(out := PipeDrain(OUTPUT_LIMIT))
        self.pipes.append(err := PipeDrain(STDERR_LIMIT))
        return feed, out, err


async def _wait_or_overflow(process: Process, out: PipeDrain) -> int | None:
    """Wait for the exit code; None when it prints more than the limit first."""
    ended = asyncio.ensure_future(wait_for_exit(process))
    full = asyncio.ensure_future(out.full.wait())
    try:
        await asyncio.wait({ended, full}, return_when=asyncio.FIRST_COMPLETED)
        return ended.result() if ended.done() else None
    finally:
        ended.cancel()
        full.cancel()


def _choose_directory(invocation: Invocation, handler: Command) -> str:
    call = invocation.call
    # An agent may have deleted its own working directory: a guard must still start.
    for candidate in (handler.cwd, call.event.cwd, call.root, invocation.variables.get("SYNAPTIC_PROJECT_ROOT", "")):
        if candidate and _is_enterable(candidate):
            return candidate
    return "/"


def _is_enterable(path: str) -> bool:
    try:
        return os.access(f"{path}/", os.X_OK)
    except ValueError:  # a path that no file system could have
        return False


def _make_logs(invocation: Invocation) -> None:
    """Create `logs`, which hooks append to under `set -e`; never in a project that does not use synaptic."""
    project, _, name = invocation.variables.get("SYNAPTIC_ROOT", "").rpartition("/")
    with contextlib.suppress(OSError, ValueError):
        # Not through a link in the place of `.synaptic`: a repository may have brought it.
        if project and os.access(f"{project}/{name}", os.F_OK):
            make_folder_inside(project, f"{name}/logs")


def _add_warnings(meaning: HookAnswer, warnings: tuple[str, ...]) -> HookAnswer:
    if not warnings or isinstance(meaning, Failure):
        return meaning
    verdict = meaning or Verdict()
    return msgspec.structs.replace(verdict, warnings=(*verdict.warnings, *warnings))
