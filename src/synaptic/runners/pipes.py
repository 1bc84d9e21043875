"""Pipes to and from a process, served by the event loop without ever blocking it."""

import asyncio
import contextlib
import os

CHUNK_BYTES = 64 * 1024


class PipeDrain:
    """Reads what a process writes to a pipe, up to a limit; the rest is read and dropped so that it never blocks."""

    def __init__(self, limit: int) -> None:
        self.loop = asyncio.get_running_loop()
        self.limit = limit
        self.data = bytearray()
        self.ended = asyncio.Event()
        self.full = asyncio.Event()
        self._news = asyncio.Event()
        self.reader, self.writer = os.pipe()
        os.set_blocking(self.reader, False)
        self.loop.add_reader(self.reader, self._read)

    def close_writer(self) -> None:
        """Close our copy of the end that the process has inherited."""
        if self.writer >= 0:
            os.close(self.writer)
            self.writer = -1

    def close(self) -> None:
        self.close_writer()
        if self.reader >= 0:
            self.loop.remove_reader(self.reader)
            os.close(self.reader)
            self.reader = -1

    async def wait_for_news(self) -> None:
        """Wait until something was read since the last time, the end included."""
        await self._news.wait()
        self._news.clear()

    def _read(self) -> None:
        try:
            chunk = os.read(self.reader, CHUNK_BYTES)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        self._news.set()
        room = self.limit - len(self.data)
        self.data += chunk[:room]
        if len(chunk) > room:
            self.full.set()
        if not chunk:
            self.loop.remove_reader(self.reader)
            self.ended.set()


class PipeFeed:
    """Writes bytes to a process; one that does not read them is no error.

    The pipe is closed after them, unless more is to follow (`keep`).
    """

    def __init__(self, data: bytes = b"", *, keep: bool = False) -> None:
        self.loop = asyncio.get_running_loop()
        self.data = memoryview(data)
        self.keep = keep
        self.reader, self.writer = os.pipe()
        os.set_blocking(self.writer, False)

    def begin(self) -> None:
        """Start writing once the process has inherited its end; the event loop writes what does not fit now."""
        self._close_reader()
        self.send(self.data)

    def send(self, data: bytes | memoryview) -> None:
        """Send the next bytes; only after the ones before have been written."""
        self.data = memoryview(data)
        self._write()
        if self.writer >= 0 and self.data:
            self.loop.add_writer(self.writer, self._write)

    def close(self) -> None:
        self._close_reader()
        if self.writer >= 0:
            self.loop.remove_writer(self.writer)
            os.close(self.writer)
            self.writer = -1

    def _write(self) -> None:
        with contextlib.suppress(BlockingIOError):
            try:
                while self.data:
                    self.data = self.data[os.write(self.writer, self.data[:CHUNK_BYTES]) :]
            except BrokenPipeError:
                self.data = self.data[:0]
            self.loop.remove_writer(self.writer)
            if not self.keep:
                self.close()

    def _close_reader(self) -> None:
        if self.reader >= 0:
            os.close(self.reader)
            self.reader = -1


async def wait_readable(descriptor: int) -> None:
    """Wait until a descriptor is readable."""
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(descriptor, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(descriptor)
