"""Work that waits for something, carried out to its end."""

from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


def run_to_end(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine to its end and return its result."""
    import asyncio  # noqa: PLC0415  a third of the start-up time of a command that waits for nothing

    return asyncio.run(work)
