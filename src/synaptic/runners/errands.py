"""Programs that policies ask for: run to their end, both streams in one text, killed with all they started in time."""

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
"""Bytes that are kept; what comes after is read and forgotten."""
LINGER = 0.2
COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


async def run(errand: Errand, env: Mapping[str, str], left: float = float("inf")) -> Ended:
    """How it ended. Never raises: what could not be run is a trouble."""
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
