"""Whether the sender of a call may have given this daemon up: after a silence it decides, or refuses, by itself."""

import time

from synaptic.store.claims import LATE_SECONDS, is_late


class ClientPatience:
    """How long one client has heard nothing. A call that it takes back for another reason is decided all the same."""

    __slots__ = ("_arrived", "_call", "_heard", "_was_silent")

    def __init__(self, call: str) -> None:
        self._call = call
        self._arrived = time.time()
        self._heard = time.monotonic()
        self._was_silent = False

    def note_byte(self) -> None:
        """A byte goes out now; one that comes after a standstill may come too late."""
        self._was_silent = self._is_silent()
        self._heard = time.monotonic()

    def is_over(self) -> bool:
        """Whether it has waited for too long: for its last byte, or before we have read its request at all."""
        return self._is_silent() or is_late(self._call, self._arrived)

    def _is_silent(self) -> bool:
        return self._was_silent or time.monotonic() - self._heard > LATE_SECONDS
