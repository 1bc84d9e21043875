"""How often Python's garbage collector looks at a process that decides many calls."""

import gc

GC_THRESHOLD = 50_000
"""New objects that may be in a circle before it looks. What a decision makes is hardly ever in one."""


def calm_collector() -> None:
    """Leave alone what is loaded now, because it stays, and look seldom at what comes."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(GC_THRESHOLD, 20, 100)
