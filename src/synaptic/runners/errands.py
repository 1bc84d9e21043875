"""Run the programs that policies ask for: both streams in one text, killed with their children at the timeout."""

import asyncio
import contextlib
import os
import re
import subprocess  # noqa: TID251 - only for its name of the null device
from collections.abc import Mapping

from synaptic.model.errand import Ended, Errand
from synaptic.runners.environment import MARK
from synaptic.runners.pipes import Drain
from synaptic.runners.processes import Launch, Streams, end, exit_code, launch

LIMIT = 256 * 1024
"""Bytes of output to keep; the rest is read and dropped, so that the program does not block on a full pipe."""
LINGER = 0.2
COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


async def run(errand: Errand, env: Mapping[str, str], left: float = float("inf")) -> Ended:
    """Run a program and report how it ended. Never raises: a start failure is reported in `trouble`."""
    seconds = min(errand.timeout, left)
    if seconds <= 0:
        return Ended(trouble="could not be run: the event's deadline had passed")
    mark = os.urandom(16).hex()
    plan = Launch(errand.argv, {**(env or os.environ), MARK: mark, "NO_COLOR": "1"}, errand.cwd, mark)
    try:
        async with asyncio.timeout(seconds):
            return await _run(plan)
    except TimeoutError:
        return Ended(trouble=f"gave no answer within {seconds:g} s and was stopped")
    except (OSError, ValueError) as error:
        return Ended(trouble=f"could not be started: {error}")


async def _run(plan: Launch) -> Ended:
    out = Drain(LIMIT)
    process = None
    try:
        process = launch(plan, Streams(subprocess.DEVNULL, out.writer, out.writer))
        out.close_writer()
        code = await exit_code(process)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LINGER):
                await out.ended.wait()
        return Ended(exit=code, output=COLOUR.sub("", out.data.decode("utf-8", "replace")))
    finally:
        if process:
            end(process, plan.mark)
        out.close()
