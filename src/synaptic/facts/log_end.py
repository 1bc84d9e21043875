"""The end of an effort's own log: what a new window reads when the one before it left no summary."""

import os
from collections.abc import Mapping
from pathlib import Path

from synaptic.facts.gather import EngineMeans, Gatherer
from synaptic.facts.layers import find_call_layers
from synaptic.model.call import Call

MAX_LOG_BYTES = 8 * 1024


async def gather_log_end(call: Call, means: EngineMeans) -> str:
    """The last whole lines of the effort's log; "" when there is no log."""
    effort = find_call_layers(call, means).effort
    return _read_end(effort.artifact_path("log")) if effort else ""


FACTS: Mapping[str, Gatherer] = {"log_end": gather_log_end}


def _read_end(path: str) -> str:
    try:
        with Path(path).open("rb") as file:
            start = max(0, file.seek(0, os.SEEK_END) - MAX_LOG_BYTES)
            file.seek(start)
            piece = file.read(MAX_LOG_BYTES)
    except (OSError, ValueError):
        return ""
    # The piece begins in the middle of a line unless it is the whole file.
    whole = piece.partition(b"\n")[2] if start else piece
    return (whole or piece).decode("utf-8", "replace").strip()
