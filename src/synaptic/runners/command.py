"""Run hook scripts: the event on stdin, nine variables, their own process group, killed at the timeout."""

import asyncio
import contextlib
import errno
import os
import shlex
from pathlib import Path

import msgspec

from synaptic.model.decision import Failure, Fault, Verdict
from synaptic.model.hook import Command, Hook
from synaptic.runners.base import Invocation
from synaptic.runners.dialect import understand
from synaptic.runners.environment import environment
from synaptic.runners.output import OUTPUT_LIMIT, STDERR_LIMIT, Meaning, Output, named, overdue, too_long
from synaptic.runners.pipes import Drain, Feed
from synaptic.runners.processes import Launch, Process, Streams, end, exit_code, launch
from synaptic.runners.stdin import stdin_line

LINGER = 0.2
"""Seconds to wait after the exit for a background child that still holds stdout open."""


async def run(invocation: Invocation, handler: Command) -> Meaning:
    """Run a script and read its answer; it is killed at the timeout, and when the waiting task is cancelled."""
    plan, warnings = prepare(invocation, handler)
    child = _Child()
    try:
        async with asyncio.timeout(invocation.timeout):
            output = await child.run(plan, stdin_line(invocation.call, invocation.hook.protocol))
    except TimeoutError:
        return overdue(invocation.hook, invocation.timeout)
    except (OSError, ValueError) as error:
        return not_started(invocation.hook, plan, error)
    finally:
        # Also on cancellation: the daemon drops a call whose client has gone, and its scripts must not live on.
        child.close(plan.mark)
    if output is None:
        return too_long(invocation.hook)
    return _warned(understand(invocation.hook, invocation.call.event, output), warnings)


def prepare(invocation: Invocation, handler: Command) -> tuple[Launch, tuple[str, ...]]:
    """Build what to execute, with a warning for each variable that was too long to be passed."""
    _make_logs(invocation)
    mark = os.urandom(16).hex()
    variables = environment(invocation, mark)
    argv = handler.argv or ("/bin/sh", "-c", handler.shell)
    plan = Launch(argv, variables.variables, _directory(invocation, handler), mark, handler.script)
    return plan, tuple(f"{named(invocation.hook)}: {warning}" for warning in variables.warnings)


def not_started(hook: Hook, plan: Launch, error: Exception) -> Failure:
    """Explain why a script could not be started, and what to type."""
    script = plan.script or plan.argv[0]
    code = error.errno if isinstance(error, OSError) else None
    # exec reports ENOENT for the interpreter of line 1 too; the script itself is there.
    if code == errno.ENOENT and "/" in script and (interpreter := _interpreter(script)):
        return Failure(Fault.CRASH, f"{named(hook)}: {script} wants {interpreter}, which is not there (see its line 1)")
    if code in (errno.ENOENT, errno.ENOTDIR):
        where = f"; restore it or remove the hook from {hook.source}" if hook.source else ""
        return Failure(Fault.MISSING, f"{named(hook)}: script {script} does not exist{where}")
    if code == errno.EACCES and Path(script).is_file():
        fix = f"chmod +x {shlex.quote(script)}"
        return Failure(Fault.CRASH, f"{named(hook)}: {script} must not be executed; type: {fix}")
    return Failure(Fault.CRASH, f"{named(hook)}: {script} cannot be started: {error}")


class _Child:
    """One process and its pipes; `close` leaves nothing behind."""

    def __init__(self) -> None:
        self.pipes: list[Feed | Drain] = []
        self.process: Process | None = None

    async def run(self, plan: Launch, stdin: bytes) -> Output | None:
        """Return its output, or None when it printed more than the limit."""
        feed, out, err = self._open(stdin)
        self.process = launch(plan, Streams(feed.reader, out.writer, err.writer))
        # Our copies of the child's ends: kept open, the pipes would never report an end.
        out.close_writer()
        err.close_writer()
        feed.begin()
        code = await _ended(self.process, out)
        if code is None:
            return None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LINGER):
                await out.ended.wait()
                await err.ended.wait()
        return None if out.full.is_set() else Output(bytes(out.data), bytes(err.data), code)

    def close(self, mark: str) -> None:
        if self.process:
            end(self.process, mark)
        for pipe in self.pipes:
            pipe.close()

    def _open(self, stdin: bytes) -> tuple[Feed, Drain, Drain]:
        """Open the three pipes one by one, so that those already open are closed when the next one fails."""
        self.pipes.append(feed := Feed(stdin))
        self.pipes.append(out := Drain(OUTPUT_LIMIT))
        self.pipes.append(err := Drain(STDERR_LIMIT))
        return feed, out, err


async def _ended(process: Process, out: Drain) -> int | None:
    """Wait for the exit code; None when it prints more than the limit first."""
    ended = asyncio.ensure_future(exit_code(process))
    full = asyncio.ensure_future(out.full.wait())
    try:
        await asyncio.wait({ended, full}, return_when=asyncio.FIRST_COMPLETED)
        return ended.result() if ended.done() else None
    finally:
        ended.cancel()
        full.cancel()


def _directory(invocation: Invocation, handler: Command) -> str:
    call = invocation.call
    # An agent may have deleted its own working directory: a guard must still start.
    for candidate in (handler.cwd, call.event.cwd, call.root, invocation.variables.get("SYNAPTIC_PROJECT_ROOT", "")):
        if candidate and _enterable(candidate):
            return candidate
    return "/"


def _enterable(path: str) -> bool:
    try:
        return os.access(f"{path}/", os.X_OK)
    except ValueError:  # a path that no file system could have
        return False


def _make_logs(invocation: Invocation) -> None:
    """Create `logs`, which hooks append to under `set -e`; never in a project that does not use synaptic."""
    root = Path(invocation.variables.get("SYNAPTIC_ROOT", ""))
    with contextlib.suppress(OSError, ValueError):
        if root.is_absolute() and root.is_dir():
            (root / "logs").mkdir(exist_ok=True)


def _interpreter(script: str) -> str:
    try:
        with Path(script).open("rb") as file:
            first = file.readline(256)
    except OSError:
        return ""
    return first[2:].decode("utf-8", "replace").strip() or "an interpreter" if first.startswith(b"#!") else ""


def _warned(meaning: Meaning, warnings: tuple[str, ...]) -> Meaning:
    if not warnings or isinstance(meaning, Failure):
        return meaning
    verdict = meaning or Verdict()
    return msgspec.structs.replace(verdict, warnings=(*verdict.warnings, *warnings))
