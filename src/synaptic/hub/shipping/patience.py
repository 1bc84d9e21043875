"""How long to wait before something is tried again: longer from time to time, and never in step with other hosts."""

import random

from synaptic.hub.extra import require_extra
from synaptic.hub.shipping.destination import DestinationError

with require_extra("hub"):
    import stamina
    from stamina import instrumentation

FIRST_SECONDS = 1.0
MOST_SECONDS = 30.0
"""What is back is noticed within so long."""
SELDOM_SECONDS = 600.0
"""Where a person has to do something first."""
MOST_ASKED_SECONDS = 3600.0
"""A destination that asks for more does not get it."""


class Patience:
    """The failures of one thing that is tried again and again, and the pause after each."""

    def __init__(self) -> None:
        self._failures = 0
        self._last: BaseException | None = None
        self._pause = 0.0

    def choose_pause(self, error: BaseException) -> bool | float:
        """Seconds until the next attempt, the same however often it is asked; False: no attempt any more."""
        if not isinstance(error, Exception):
            return False  # the end of a task is no failure of it
        if error is not self._last:
            self._failures += 1
            self._last, self._pause = error, _find_pause(error, self._failures)
        return self._pause

    def keep_trying(self) -> "stamina._core._RetryContextIterator":
        """The attempts, without end, with the pauses between them."""
        instrumentation.set_on_retry_hooks([])  # who tries tells it once, not every time
        return stamina.retry_context(on=self.choose_pause, attempts=None, timeout=None)


def grow_pause(failures: int) -> float:
    """Twice as long after each failure. The half of it is left to chance: hosts that lost the same hub in the same
    moment must not come in the same moment again, however often they have come."""
    longest = min(FIRST_SECONDS * 2.0 ** min(failures - 1, 30), MOST_SECONDS)
    return longest * random.uniform(0.5, 1)


def _find_pause(error: Exception, failures: int) -> float:
    if not isinstance(error, DestinationError):
        return grow_pause(failures)
    if error.is_lasting:
        return SELDOM_SECONDS * random.uniform(0.8, 1.2)
    if error.seconds > 0:
        return min(error.seconds, MOST_ASKED_SECONDS) + random.uniform(0, 1)
    return grow_pause(failures)
