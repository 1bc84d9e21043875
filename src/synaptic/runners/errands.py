"""Run the programs that policies ask for: both streams in one text, killed with their children at the timeout."""

import asyncio
import contextlib
import os
import re
import subprocess  # noqa: TID251 - only for its name of the null device
from collections.abc import Mapping

from synaptic.model.environment import ERRAND_VARIABLE
from synaptic.model.errand import Errand, ErrandResult
from synaptic.runners.environment import MARK_VARIABLE
from synaptic.runners.pipes import PipeDrain
from synaptic.runners.processes import LaunchPlan, StandardStreams, end_process, start_process, wait_for_exit

ERRAND_OUTPUT_LIMIT = 256 * 1024
"""Bytes of output to keep; the rest is read and dropped, so that the program does not block on a full pipe."""
OUTPUT_LINGER = 0.2
COLOUR_CODES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


async def run_errand(
    errand: Errand, env: Mapping[str, str], left: float = float("inf"), stdin: int = subprocess.DEVNULL
) -> ErrandResult:
    """Run a program and report how it ended. Never raises: a start failure is reported in `trouble`."""
    seconds = min(errand.timeout, left)
    if seconds <= 0:
        return ErrandResult(trouble="could not be run: the event's deadline had passed")
    mark = os.urandom(16).hex()
    own = {MARK_VARIABLE: mark, ERRAND_VARIABLE: "1", "NO_COLOR": "1"}
    plan = LaunchPlan(errand.argv, {**(env or os.environ), **own}, errand.cwd, mark)
    try:
        async with asyncio.timeout(seconds):
            return await _run_to_end(plan, stdin)
    except TimeoutError:
        return ErrandResult(trouble=f"gave no answer within {seconds:g} s and was stopped")
    except (OSError, ValueError) as error:
        return ErrandResult(trouble=f"could not be started: {error}")


async def _run_to_end(plan: LaunchPlan, stdin: int) -> ErrandResult:
    out = PipeDrain(ERRAND_OUTPUT_LIMIT)
    process = None
    try:
        process = start_process(plan, StandardStreams(stdin, out.writer, out.writer))
        out.close_writer()
        code = await wait_for_exit(process)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(OUTPUT_LINGER):
                await out.ended.wait()
        return ErrandResult(exit=code, output=COLOUR_CODES.sub("", out.data.decode("utf-8", "replace")))
    finally:
        if process:
            end_process(process, plan.mark)
        out.close()
