"""Run Python function hooks in warm workers: a file is imported once in its own process and called over pipes."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import msgspec

from synaptic.model.decision import Failure, Fault
from synaptic.model.hook import Hook, PythonFunction
from synaptic.runners import worker as script
from synaptic.runners.base import Invocation
from synaptic.runners.dialect import interpret_output
from synaptic.runners.environment import EVENT_VARIABLES, build_own_variables
from synaptic.runners.output import (
    HookAnswer,
    ProcessOutput,
    describe_hook,
    make_output_failure,
    make_timeout_failure,
    shorten_text,
)
from synaptic.runners.stdin import build_context, to_json
from synaptic.runners.warm import IDLE_SECONDS, WorkerLaunch, WorkerPool

MAX_WORKERS = 4
"""Workers of one file at the same time; further calls wait for a free one."""
FileStamp = tuple[int, int, int]


class PythonRunner:
    """All warm workers, by file."""

    def __init__(self, idle: float = IDLE_SECONDS) -> None:
        self.idle = idle
        self._pools: dict[str, WorkerPool] = {}

    async def run(self, invocation: Invocation, handler: PythonFunction) -> HookAnswer:
        """Call the function; a worker that crashed, hangs or runs old code is replaced."""
        stamp = _read_stamp(handler.file)
        if stamp is None:
            return _make_missing_failure(invocation.hook, f"file {handler.file} does not exist")
        pool = self._pools.get(handler.file) or self._open_pool(handler.file)
        try:
            async with asyncio.timeout(invocation.timeout):
                answer = await pool.ask(_encode_request(invocation, handler), stamp, bytes)
        except TimeoutError:
            return make_timeout_failure(invocation.hook, invocation.timeout)
        except OSError as error:
            return Failure(Fault.CRASH, f"{describe_hook(invocation.hook)}: its Python process failed: {error}")
        return _interpret_answer(invocation, handler, answer)

    def _open_pool(self, file: str) -> WorkerPool:
        # The worker's path, not -m: it imports nothing of ours and starts faster without our package.
        argv = (sys.executable, "-I", script.__file__, file)
        self._pools[file] = WorkerPool(WorkerLaunch(argv, file, self.idle, MAX_WORKERS))
        return self._pools[file]

    async def close(self) -> None:
        """End every worker."""
        for pool in self._pools.values():
            pool.close()
        self._pools.clear()


def _encode_request(invocation: Invocation, handler: PythonFunction) -> bytes:
    request = {
        "function": handler.function,
        "event": build_context(invocation.call, invocation.hook.protocol),
        "variables": build_own_variables(invocation),
        "clear": sorted(EVENT_VARIABLES),
        "accepted": sorted(invocation.contents.get(handler.file, ())) if invocation.contents is not None else None,
        "compiled": invocation.variables.get("PYTHONPYCACHEPREFIX"),
    }
    return to_json(request) + b"\n"


def _interpret_answer(invocation: Invocation, handler: PythonFunction, line: bytes) -> HookAnswer:
    hook = invocation.hook
    said: dict[str, Any] = msgspec.json.decode(line)
    if "error" in said:
        return Failure(
            Fault.CRASH, f"{describe_hook(hook)}: {handler.file}: {shorten_text(said['error'])}", said["trace"]
        )
    if "changed" in said:
        return _make_missing_failure(hook, f"{handler.file} was changed after it was checked, so it does not run")
    if "missing" in said:
        return _make_missing_failure(hook, f"{handler.file} has no function {handler.function}")
    if "unreadable" in said:
        return make_output_failure(hook, f"returned what is no JSON: {said['unreadable']}")
    answer = said["answer"]
    if answer is not None and not isinstance(answer, dict):
        return make_output_failure(hook, f"returned {type(answer).__name__}; expected a dict or None")
    return interpret_output(hook, invocation.call.event, ProcessOutput(to_json(answer) if answer else b""))


def _make_missing_failure(hook: Hook, problem: str) -> Failure:
    where = f"; correct it in {hook.source}" if hook.source else ""
    return Failure(Fault.MISSING, f"{describe_hook(hook)}: {problem}{where}")


def _read_stamp(file: str) -> FileStamp | None:
    try:
        stat = Path(file).stat()
    except (OSError, ValueError):
        return None
    return stat.st_mtime_ns, stat.st_size, stat.st_ino
