"""One reading of a command for all the policies that look at it."""

from functools import lru_cache

from synaptic.shell.read.reader import read
from synaptic.shell.read.script import Script

KEPT = 16
"""A command may be a megabyte: only those of the last few events are kept."""


@lru_cache(maxsize=KEPT)
def read_once(text: str, cwd: str = "", home: str = "") -> Script:
    """What `read` yields, the same value for the same text, folder and home.

    A defect of the reader counts as text that cannot be read to its end: no policy goes blind without a word.
    """
    try:
        return read(text, cwd, home)
    except Exception as error:  # noqa: BLE001 - whatever text provokes it, the guard must not vanish
        return Script(text, truncated=f"the reader failed: {type(error).__name__}")
