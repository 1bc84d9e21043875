"""The end of an effort's own log: what a new window reads when the one before it left no summary."""

import os
from collections.abc import Mapping
from pathlib import Path

from synaptic.facts.gather import EngineMeans, Gatherer
from synaptic.facts.layers import resolved
from synaptic.model.call import Call

SHOWN = 8 * 1024


async def log_end(call: Call, means: EngineMeans) -> str:
    """The last whole lines of the effort's log; "" when there is no log."""
    effort = resolved(call, means).effort
    return _end(effort.artifact("log")) if effort else ""


FACTS: Mapping[str, Gatherer] = {"log_end": log_end}


def _end(path: str) -> str:
    try:
        with Path(path).open("rb") as file:
            start = max(0, file.seek(0, os.SEEK_END) - SHOWN)
            file.seek(start)
            piece = file.read(SHOWN)
    except (OSError, ValueError):
        return ""
    # The piece begins in the middle of a line unless it is the whole file.
    whole = piece.partition(b"\n")[2] if start else piece
    return (whole or piece).decode("utf-8", "replace").strip()
