"""Clocks that jump: times of files far away, and times in payloads."""

import os
import time

from tests.faults.kind import kind
from tests.faults.step import Step

CENTURY = 100 * 365 * 86400.0


def touch_all(step: Step, when: float) -> None:
    home = step.home
    named = (home.config, home.engine, home.database, home.lock, home.socket, home.log, step.world.registry)
    for path in (*named, home.run, home.root, *step.world.projects.values()):
        if path.exists():
            os.utime(path, (when, when))


@kind("clock.future")
def set_times_ahead(step: Step) -> None:
    """All files are from the next century."""
    touch_all(step, time.time() + CENTURY)
    step.mix(3)
    touch_all(step, time.time())


@kind("clock.past")
def set_times_back(step: Step) -> None:
    """All files are from 1970."""
    touch_all(step, 1.0)
    step.mix(3)
    touch_all(step, time.time())


@kind("clock.future-no-daemon")
def set_times_ahead_of_nobody(step: Step) -> None:
    """All files are from the next century when an engine starts."""
    touch_all(step, time.time() + CENTURY)
    step.kill_daemon()
    step.mix(2)
    touch_all(step, time.time())


@kind("clock.config-same-time")
def keep_time_of_config(step: Step) -> None:
    """A config that changes to something stricter and back, with the same time and size each time."""
    home, now = step.home, step.home.config.stat()
    text = home.config.read_bytes()
    other = text.replace(b"enabled = true", b"enabled =true ")
    for content in (other, text):
        step.replace(home.config, content)
        os.utime(home.config, ns=(now.st_atime_ns, now.st_mtime_ns))
        step.volley(2, ("reset", "write", "guarded"))
        step.finish()


@kind("clock.payload")
def send_odd_times(step: Step) -> None:
    """Payloads that say they are from another time."""
    for when in (-1, 0, 10**18, "yesterday"):
        step.start(step.random.choice(("echo", "reset", "write")), timestamp=when)
    step.finish()
