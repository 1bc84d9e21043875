"""The end of an effort's own log: what a new window reads when the one before it left no summary."""

from collections.abc import Mapping

from synaptic.facts.gather import EngineMeans, Gatherer
from synaptic.facts.layers import find_call_layers
from synaptic.files.bounded import read_end
from synaptic.model.call import Call

MAX_LOG_BYTES = 8 * 1024


async def gather_log_end(call: Call, means: EngineMeans) -> str:
    """The last whole lines of the effort's log; "" when there is no log."""
    effort = find_call_layers(call, means).effort
    return _read_end(effort.artifact_path("log")) if effort else ""


FACTS: Mapping[str, Gatherer] = {"log_end": gather_log_end}


def _read_end(path: str) -> str:
    piece = read_end(path, MAX_LOG_BYTES)
    # The piece begins in the middle of a line unless it is the whole file.
    whole = piece.partition(b"\n")[2] if len(piece) == MAX_LOG_BYTES else piece
    return (whole or piece).decode("utf-8", "replace").strip()
