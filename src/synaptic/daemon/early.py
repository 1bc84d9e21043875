"""What `dispatch` runs without a daemon: start the daemon, then be the engine for this one call.

The daemon first, and before the engine is imported: where many calls have lost theirs, all of them wait for it.
"""

import sys
from contextlib import suppress
from pathlib import Path

from synaptic.daemon import lifecycle
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home
from synaptic.setup.dispatcher import read_engine


def start_early(home: Home) -> bool:
    """Start the daemon where one is wanted and none is there; whether that was done."""
    # Without the engine file it has been taken out while this call was on its way.
    if not home.engine.exists() or not read_engine(home).daemon or lifecycle.is_held(home):
        return False
    with suppress(SynapticError):  # without a daemon the next call comes here again
        return lifecycle.start_daemon(home)
    return False


def main(argv: list[str]) -> int:
    """The same words as for the engine in process: the home, and the turn when there is one."""
    start_early(Home(Path(argv[0])))
    from synaptic.daemon import fallback  # noqa: PLC0415 - it imports the engine, which takes three times as long

    return fallback.main(argv)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
