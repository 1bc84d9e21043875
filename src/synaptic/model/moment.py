"""Moments as people read them, also those that a damaged row or a wrong clock has put outside of every calendar."""

from datetime import datetime

OUTSIDE = datetime(1970, 1, 1)
"""What is shown for them: nobody takes it for a time at which something has happened."""


def find_local_time(at: float) -> datetime:
    """The local time of a moment in seconds since 1970."""
    try:
        return datetime.fromtimestamp(at)
    except (ValueError, OverflowError, OSError):
        return OUTSIDE
