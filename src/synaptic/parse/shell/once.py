"""One reading of a command for all the policies that look at it."""

from functools import lru_cache

from synaptic.parse.shell.reader import read
from synaptic.parse.shell.script import Script

KEPT = 16
"""A command may be a megabyte: only those of the last few events are kept."""


@lru_cache(maxsize=KEPT)
def read_once(text: str, cwd: str = "", home: str = "") -> Script:
    """What `read` yields, the same value for the same text, folder and home."""
    return read(text, cwd, home)
