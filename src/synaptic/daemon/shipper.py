"""Sees to it that the process that ships is there, where there is anything to ship; the daemon does no more for it."""

import contextlib
import os
import time

from synaptic.engine.shadow_queue import LEAVE
from synaptic.files.bounded import read_content
from synaptic.files.lock import is_file_locked
from synaptic.files.snapshot import WatchedFile
from synaptic.hooks.bundle_seal import BundlePlace
from synaptic.hooks.config import CONFIG_LIMIT, ShipConfig, parse_config_text
from synaptic.model.home import Home
from synaptic.model.start_line import build_start_line
from synaptic.runners.environment import clean_variables
from synaptic.runners.processes import LaunchPlan, StandardStreams, start_process

MODULE = "synaptic.hub.shipping.process"
FIRST_PAUSE, MOST_PAUSE = 10.0, 600.0
"""Between two starts: one that ends at once is started less often from time to time."""
LOG_BYTES = 1 << 20
STEADY_SECONDS = 1200.0
"""After so long without a start, the next one is the first again."""


class ShipperKeeper:
    """Looks whether it is needed and whether it is there: two stats, and a look at its lock where it is needed."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._config = WatchedFile(str(home.config), lambda path: read_content(path, CONFIG_LIMIT))
        self._followed = BundlePlace.of(home).source
        self._names_destination: bool | None = None
        self._started, self._pause = -MOST_PAUSE, 0.0

    def look(self) -> None:
        """Start it where it is needed and not there. Raises OSError."""
        if not self.is_needed() or is_shipping(self._home):
            return
        now = time.monotonic()
        if now < self._started + self._pause:
            return
        is_first = now > self._started + STEADY_SECONDS or not self._pause
        self._pause = FIRST_PAUSE if is_first else min(2 * self._pause, MOST_PAUSE)
        self._started = now
        start_shipper(self._home)

    def is_needed(self) -> bool:
        """Whether a hub was joined, a destination is set, or bundles are followed."""
        if self._names_destination is None or not self._config.is_unchanged():
            self._names_destination = names_destination(self._config.read(), str(self._home.config))
        # A Path costs more.
        return self._names_destination or os.path.exists(self._home.joined) or os.path.exists(self._followed)  # noqa: PTH110


def names_destination(content: object, where: str) -> bool:
    """Whether the text of a config names one."""
    ship = parse_config_text(content, where).values.get("ship") if isinstance(content, bytes) else None
    return isinstance(ship, ShipConfig) and bool(ship.otlp or ship.jsonl or ship.syslog)


def is_shipping(home: Home) -> bool:
    """Whether a process is there."""
    with contextlib.suppress(FileNotFoundError):
        return is_file_locked(home.shipper_lock)
    return False


def start_shipper(home: Home) -> None:
    """Start it and leave it: nobody waits for it. Raises OSError."""
    home.hub.mkdir(mode=0o700, exist_ok=True)
    with contextlib.suppress(FileNotFoundError):
        if home.shipper_log.stat().st_size > LOG_BYTES:  # of one that ends before it can look after it itself
            home.shipper_log.replace(f"{home.shipper_log}.1")
    with open(os.devnull, "r+b") as nothing:  # noqa: PTH123
        argv = (*LEAVE, str(home.shipper_log), *build_start_line(MODULE), str(home.root))
        plan = LaunchPlan(argv, clean_variables(os.environ), str(home.hub), "")
        start_process(plan, StandardStreams(nothing, nothing, nothing)).wait()  # of the shell, which has ended
