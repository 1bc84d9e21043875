"""Connections of the console: whoever is not let in has little room, and little time."""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST_STRANGERS = 128
"""Connections that nobody was let in by; the oldest one goes when there are more."""
LONGEST_MESSAGE = 256 << 10
"""Bytes of a request, its head and what follows."""
MESSAGE_SECONDS = 15.0
"""A request that takes longer to arrive does not come from a browser on this machine."""


class ConsoleProtocol(HttpToolsProtocol):
    """One connection. The port is open to every user of the machine, and to every page in a browser."""

    is_known = False
    """Whether a browser that came in has asked by it."""
    peer: Any = None
    """Who holds its other end, as it was seen when something was asked by it first."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.opened = self._begun = self.loop.time()
        self._length, self._is_arriving = 0, True
        self._timer = self.loop.call_later(MESSAGE_SECONDS, self._drop_slow)
        strangers = [one for one in self.connections if isinstance(one, ConsoleProtocol) and not one.is_known]
        if len(strangers) > MOST_STRANGERS:
            min(strangers, key=lambda one: one.opened).transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._begin()
        self._length += len(data)
        if self._length > LONGEST_MESSAGE + len(data):  # what came at once is in memory already
            self.transport.abort()
            return
        super().data_received(data)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._begin()
        self.scope["connection"] = self  # type: ignore[typeddict-unknown-key]

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._is_arriving = False

    def _begin(self) -> None:
        if not self._is_arriving:
            self._length, self._is_arriving, self._begun = 0, True, self.loop.time()

    def _drop_slow(self) -> None:
        if self._is_arriving and self.loop.time() - self._begun >= MESSAGE_SECONDS:
            self.transport.abort()
            return
        self._timer = self.loop.call_later(MESSAGE_SECONDS, self._drop_slow)
