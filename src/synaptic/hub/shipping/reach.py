"""Whether the hub can be reached: once it cannot, one small question asks for it, and nothing is made ready before."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from synaptic.hub.shipping.destination import DestinationError
from synaptic.hub.shipping.patience import grow_pause


class HubReach:
    """What all work with one hub knows together, so that four who wait for it do not knock four times."""

    def __init__(self) -> None:
        self._knocking = asyncio.Lock()
        self._failures, self._next = 0, 0.0
        self._error = DestinationError("")

    async def require(self, knock: Callable[[], Awaitable[object]]) -> None:
        """Return where it could be reached when it was last tried, or can be now. Raises DestinationError.

        `knock` asks for nothing but an answer, and raises DestinationError where there is none.
        """
        if not self._failures:
            return
        async with self._knocking:  # who comes meanwhile waits for what the first one hears
            if self._failures:
                await self._knock_in_time(knock)

    def lose(self, error: DestinationError) -> None:
        """It could not be reached: it is knocked before anything else, as soon as somebody comes again."""
        if not self._failures:
            self._failures, self._error, self._next = 1, error, 0.0

    async def _knock_in_time(self, knock: Callable[[], Awaitable[object]]) -> None:
        left = self._next - time.monotonic()
        if left > 0:
            raise self._say_again(left)
        try:
            await knock()
        except DestinationError as error:
            self._failures += 1
            self._error, pause = error, grow_pause(self._failures)
            self._next = time.monotonic() + pause
            raise self._say_again(pause) from error
        self._failures = 0

    def _say_again(self, seconds: float) -> DestinationError:
        error = self._error
        return DestinationError(error.message, where=error.where, hint=error.hint, seconds=seconds)
