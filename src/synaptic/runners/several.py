"""Run programs one after another: `python -m synaptic.runners.several JSON`, results as JSON on stdout.

They stay in this process's group and environment (with its mark), so that killing it kills them too.
"""

import asyncio
import os
import re
import sys
from contextlib import suppress

import msgspec

from synaptic.model.errand import ErrandResult

TAIL_BYTES = 16 * 1024
"""Bytes of each program's output that are kept: builds say at their end what is wrong."""
COLOUR_CODES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class Program(msgspec.Struct, frozen=True):
    """What to run, and how long at most."""

    argv: tuple[str, ...]
    timeout: float


async def run_program(program: Program) -> ErrandResult:
    """Run a program and report how it ended. Never raises: a start failure is reported in `trouble`."""
    env = {**os.environ, "NO_COLOR": "1"}
    pipe = asyncio.subprocess.PIPE
    null, both = asyncio.subprocess.DEVNULL, asyncio.subprocess.STDOUT
    try:
        process = await asyncio.create_subprocess_exec(*program.argv, stdin=null, stdout=pipe, stderr=both, env=env)
    except (OSError, ValueError) as error:
        return ErrandResult(trouble=f"could not be started: {error}")
    try:
        async with asyncio.timeout(program.timeout):
            output = await _read_tail(process)
            code = await process.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
        return ErrandResult(trouble=f"gave no answer within {program.timeout:g} s and was stopped")
    return ErrandResult(exit=code, output=COLOUR_CODES.sub("", output.decode("utf-8", "replace")))


async def _read_tail(process: asyncio.subprocess.Process) -> bytes:
    assert process.stdout is not None
    kept = b""
    while piece := await process.stdout.read(1 << 16):
        kept = (kept + piece)[-TAIL_BYTES:]
    return kept


async def _run_each(programs: list[Program]) -> list[ErrandResult]:
    return [await run_program(program) for program in programs]


def main(argv: list[str]) -> None:
    """Run the programs that the one word lists."""
    programs = msgspec.json.decode(argv[0], type=list[Program])
    sys.stdout.write(msgspec.json.encode(asyncio.run(_run_each(programs))).decode() + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
