"""A daemon of an earlier build, which held a file of the run folder: the first that holds the home asks it to end."""

import logging
import os
import signal
from contextlib import suppress

from synaptic.daemon.lock import find_locker
from synaptic.model.home import Home

log = logging.getLogger(__name__)

OLD_LOCK = "daemon.lock"


def end_predecessor(home: Home) -> int:
    """Ask it to end, if there is one; its process, or 0. Without it nobody could: it is not reached by any name now."""
    path = home.run / OLD_LOCK
    if not path.is_file():
        return 0
    pid = find_locker(path)
    with suppress(OSError):
        if pid:
            os.kill(pid, signal.SIGTERM)
            log.warning("a daemon of an earlier build (process %d) was asked to end", pid)
        else:
            path.unlink()  # nobody holds it any more, and nobody asks for it
    return pid
