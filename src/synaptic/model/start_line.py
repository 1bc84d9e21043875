"""The command that starts another module of the engine, in the way in which this process was started."""

import sys


def build_start_line(module: str) -> tuple[str, ...]:
    """Build it: by the start file where one has started this process, which then runs without `site`."""
    start = getattr(sys.modules["__main__"], "__file__", None)
    if sys.flags.no_site and start:
        return (sys.executable, "-I", "-S", start, module)
    return (sys.executable, "-I", "-m", module)
