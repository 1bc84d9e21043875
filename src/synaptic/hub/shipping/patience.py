"""How long to wait before something is tried again: longer from time to time, and never in step with other hosts."""

import random

from synaptic.hub.extra import require_extra
from synaptic.hub.shipping.destination import DestinationError

with require_extra("hub"):
    import stamina
    from stamina import instrumentation

FIRST_SECONDS = 0.5
MOST_SECONDS = 60.0
SELDOM_SECONDS = 600.0
"""Where a person has to do something first."""
MOST_ASKED_SECONDS = 3600.0
"""A destination that asks for more does not get it."""


def choose_pause(error: BaseException) -> bool | float:
    """What an error says about the next attempt: a time of its own, or the usual one."""
    if not isinstance(error, Exception):
        return False  # the end of a task is no failure of it
    if not isinstance(error, DestinationError):
        return True
    if error.is_lasting:
        return SELDOM_SECONDS * random.uniform(0.8, 1.2)
    if error.seconds > 0:
        return min(error.seconds, MOST_ASKED_SECONDS) + random.uniform(0, 1)
    return True


def keep_trying() -> "stamina._core._RetryContextIterator":
    """The attempts at one thing, without end, with the pauses between them."""
    instrumentation.set_on_retry_hooks([])  # who tries tells it once, not every time
    return stamina.retry_context(
        on=choose_pause, attempts=None, timeout=None, wait_initial=FIRST_SECONDS, wait_max=MOST_SECONDS, wait_jitter=1.0
    )
