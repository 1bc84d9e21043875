"""A network that fails: every connection between hosts and the hub goes through it, and most of them end badly."""

import asyncio
import random
import socket
import struct
from collections import Counter
from contextlib import suppress

PIECE = 1 << 16
LINGER_RESET = struct.pack("ii", 1, 0)
SOUND, RESET, HALF_CLOSED, SWALLOWED, SLOW, FROZEN = (
    "sound",
    "reset",
    "half-closed",
    "answer swallowed",
    "slow",
    "frozen",
)
FATES = (SOUND, RESET, HALF_CLOSED, SWALLOWED, SLOW, FROZEN)
WEIGHTS = (40, 20, 10, 15, 10, 5)
FROZEN_SECONDS = 4.0


class Connection:
    """One of them, with both its ends, and what becomes of it after so many bytes."""

    def __init__(self, fate: str, left: int, delay: float) -> None:
        self.fate, self.left, self.delay = fate, left, delay
        self.is_counted = False
        self.writers: list[asyncio.StreamWriter] = []

    def reset(self) -> None:
        for writer in self.writers:
            with suppress(OSError, AttributeError):
                taken = writer.get_extra_info("socket")
                taken.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER_RESET)
            writer.transport.abort()


class FailingProxy:
    """Listens for hosts and leads to the hub."""

    def __init__(self, seed: int, port: int, faults: float = 1.0) -> None:
        self._source, self._upstream, self._faults = random.Random(f"proxy {seed}"), port, faults
        self._server: asyncio.Server | None = None
        self._open: set[Connection] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.port = 0
        self.is_cut = False
        self.happened: Counter[str] = Counter()

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def cut(self) -> None:
        """From now on nothing passes."""
        self.is_cut = True
        for connection in tuple(self._open):
            connection.reset()

    def mend(self, *, is_sound: bool = False) -> None:
        """Connections come through again; where it is sound, all of them stay as they should."""
        self.is_cut = False
        if is_sound:
            self._faults = 0.0
            for connection in self._open:
                connection.fate, connection.delay = SOUND, 0.0

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = self._choose_fate()
        connection.writers.append(writer)
        task = asyncio.current_task()
        assert task
        self._tasks.add(task)
        self._open.add(connection)
        try:
            if self.is_cut:
                self.happened["refused"] += 1
                return
            # Cancelled only when the campaign is over: then nobody waits for this one.
            with suppress(OSError, asyncio.CancelledError):
                upstream, down = await asyncio.open_connection("127.0.0.1", self._upstream)
                connection.writers.append(down)
                up = asyncio.create_task(self._pump(connection, reader, down, is_answer=False))
                back = asyncio.create_task(self._pump(connection, upstream, writer, is_answer=True))
                try:
                    await asyncio.gather(up, back)
                finally:
                    up.cancel()
                    back.cancel()
        finally:
            connection.reset()
            self._open.discard(connection)
            self._tasks.discard(task)

    def _choose_fate(self) -> Connection:
        fate = self._source.choices(FATES, WEIGHTS)[0]
        left = int(10 ** self._source.uniform(2.5, 6.0))
        delay = self._source.uniform(0.01, 0.2)
        return Connection(fate if self._source.random() < self._faults else SOUND, left, delay)

    async def _pump(
        self, connection: Connection, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, is_answer: bool
    ) -> None:
        with suppress(OSError):
            while piece := await reader.read(PIECE):
                if connection.fate == SLOW:
                    self._count(connection)
                    await asyncio.sleep(connection.delay)
                if connection.fate not in (SOUND, SLOW) and connection.left <= len(piece):
                    if not await self._fail(connection, writer, piece, is_answer):
                        return
                    continue
                connection.left -= len(piece)
                writer.write(piece)
                await writer.drain()
            with suppress(OSError, RuntimeError):
                writer.write_eof()

    async def _fail(self, connection: Connection, writer: asyncio.StreamWriter, piece: bytes, is_answer: bool) -> bool:
        """What the fate of a connection does to it now; whether it goes on."""
        if connection.fate == SWALLOWED and not is_answer:
            writer.write(piece)
            await writer.drain()
            return True
        self._count(connection)
        if connection.fate == HALF_CLOSED:
            writer.write(piece[: connection.left])
            with suppress(OSError, RuntimeError):
                writer.write_eof()
            await asyncio.sleep(FROZEN_SECONDS)
        elif connection.fate == FROZEN:
            await asyncio.sleep(FROZEN_SECONDS)
        elif connection.fate == RESET:
            writer.write(piece[: connection.left])
        connection.reset()
        return False

    def _count(self, connection: Connection) -> None:
        """Once for each connection."""
        if not connection.is_counted:
            connection.is_counted = True
            self.happened[connection.fate] += 1
