"""Time stamps for the log files and the stored sections."""

from datetime import UTC, datetime
from functools import lru_cache


@lru_cache(maxsize=16)
def format_stamp(seconds: float) -> str:
    """UTC, to the second."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
