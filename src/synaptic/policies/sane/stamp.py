"""Time stamps for the log files and the stored sections."""

from datetime import UTC, datetime
from functools import lru_cache

SECONDS_END = len("2000-01-01T00:00:00")


@lru_cache(maxsize=16)
def format_stamp(seconds: float) -> str:
    """UTC, to the second."""
    return datetime.fromtimestamp(seconds, UTC).isoformat()[:SECONDS_END] + "Z"
