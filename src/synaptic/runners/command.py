"""Scripts: the whole event on stdin, nine variables, a process group of their own, and an end at the timeout."""

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
"""How long a background child that still holds stdout may add to the answer after its parent has ended."""


async def run(invocation: Invocation, handler: Command) -> Meaning:
    """Wait for the script's answer; at the timeout, or when nobody waits any more, it is killed."""
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
        child.close(plan.mark)
    if output is None:
        return too_long(invocation.hook)
    return _warned(understand(invocation.hook, invocation.call.event, output), warnings)


def prepare(invocation: Invocation, handler: Command) -> tuple[Launch, tuple[str, ...]]:
    """What to execute, with a warning for everything that could not be handed over."""
    _make_logs(invocation)
    mark = os.urandom(16).hex()
    variables = environment(invocation, mark)
    argv = handler.argv or ("/bin/sh", "-c", handler.shell)
    plan = Launch(argv, variables.variables, _directory(invocation, handler), mark, handler.script)
    return plan, tuple(f"{named(invocation.hook)}: {warning}" for warning in variables.warnings)


def not_started(hook: Hook, plan: Launch, error: Exception) -> Failure:
    """A script that could not be executed: why, and what to type."""
    script = plan.script or plan.argv[0]
    code = error.errno if isinstance(error, OSError) else None
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
        """Its output, or None when there was too much of it."""
        feed, out, err = self._open(stdin)
        self.process = launch(plan, Streams(feed.reader, out.writer, err.writer))
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
        """One after another, so that what is open can be closed when the next one fails."""
        self.pipes.append(feed := Feed(stdin))
        self.pipes.append(out := Drain(OUTPUT_LIMIT))
        self.pipes.append(err := Drain(STDERR_LIMIT))
        return feed, out, err


async def _ended(process: Process, out: Drain) -> int | None:
    """The exit code, or None when it talks too much."""
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
    """Hooks append to `logs` under strict shell mode, so it is there before them; never in a project without us."""
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
