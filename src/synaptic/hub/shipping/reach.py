"""Whether the hub can be reached: once it cannot, one small question asks for it, and nothing is made ready before."""

import time
from collections.abc import Awaitable, Callable

from synaptic.hub.shipping.destination import DestinationError
from synaptic.hub.shipping.patience import grow_pause


class HubReach:
    """What all work with one hub knows together, so that four who wait for it do not knock four times."""

    def __init__(self, knock_seconds: float) -> None:
        self._knock_seconds = knock_seconds
        self._failures, self._next = 0, 0.0
        self._error = DestinationError("")

    async def require(self, knock: Callable[[], Awaitable[object]]) -> None:
        """Return where it could be reached when it was last tried, or can be now. Raises DestinationError.

        `knock` asks for nothing but an answer, and raises DestinationError where there is none.
        """
        if not self._failures:
            return
        left = self._next - time.monotonic()
        if left > 0:
            raise self._say_again(left)
        self._next = time.monotonic() + self._knock_seconds  # others wait for what comes of it
        try:
            await knock()
        except DestinationError as error:
            raise self._say_again(self._lose(error)) from error
        self._failures = 0

    def lose(self, error: DestinationError) -> None:
        """It could not be reached. Those who notice it in the same moment tell of the same failure."""
        if not self._failures:
            self._lose(error)

    def _lose(self, error: DestinationError) -> float:
        self._failures += 1
        self._error, pause = error, grow_pause(self._failures)
        self._next = time.monotonic() + pause
        return pause

    def _say_again(self, seconds: float) -> DestinationError:
        error = self._error
        return DestinationError(error.message, where=error.where, hint=error.hint, seconds=seconds)
