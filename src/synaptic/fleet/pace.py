"""How often and how soon something that crashes is started again."""

import msgspec


class RestartPace(msgspec.Struct, frozen=True, kw_only=True):
    """How often and how soon a crashed agent is restarted, in seconds."""

    restarts: int = 4
    """Crashes within the window that are answered with another start; one more and it is given up."""
    window: float = 600.0
    first: float = 1.0
    longest: float = 60.0
    grace: float = 1.0
    """Between the request to end and the end."""
    hasty: float = 5.0
    """Who ends sooner after a start has not really been running."""


class CrashCounter:
    """Counts the crashes within the time window."""

    def __init__(self, pace: RestartPace) -> None:
        self._pace = pace
        self._times: tuple[float, ...] = ()

    def add(self, now: float) -> float | None:
        """Seconds to wait before the next start, twice as many with every crash; None when there is none."""
        self._times = (*(time for time in self._times if now - time < self._pace.window), now)
        if len(self._times) > self._pace.restarts:
            return None
        return min(self._pace.longest, self._pace.first * 2.0 ** (len(self._times) - 1))

    def __len__(self) -> int:
        return len(self._times)
