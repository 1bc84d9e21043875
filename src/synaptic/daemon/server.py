"""The daemon: one Unix socket that understands `dispatch` frames, one-line requests and HTTP, by their first byte."""

import argparse
import asyncio
import logging
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine
from functools import cached_property
from pathlib import Path
from typing import cast

import uvloop

import synaptic
from synaptic.agents.shared.discover import find_adapter, list_agent_names
from synaptic.daemon import (  # noqa: F401 - methods register themselves
    frame,
    hook_methods,
    lifecycle,
    methods,
    rpc,
    work_methods,
)
from synaptic.daemon.http import HttpListeners
from synaptic.daemon.idle import LINE_TICKS, SILENT_TICKS, IdleClients, count_silent_places
from synaptic.daemon.names import BACKLOG, DaemonNames, write_pid_file
from synaptic.daemon.patience import ClientPatience
from synaptic.daemon.peer import is_same_user, read_peer_pid
from synaptic.daemon.predecessor import end_predecessor
from synaptic.daemon.succession import LOOK_SECONDS, CodeChangedError, Succession, require_same_code, start_again
from synaptic.daemon.upkeep import Chore, run_upkeep
from synaptic.engine.alarm import keep_beating
from synaptic.engine.check import Checker
from synaptic.engine.collector import calm_collector
from synaptic.engine.environment import InstalledEnvironment
from synaptic.engine.walk import Engine, open_engine
from synaptic.facts.gather import find_gatherers
from synaptic.model.call import Answer
from synaptic.model.errors import DaemonError, SynapticError
from synaptic.model.home import Home
from synaptic.setup.dispatcher import read_engine
from synaptic.setup.installed import find_changes, is_editable, record_installed
from synaptic.store.redacted_log import redact_log

log = logging.getLogger(__name__)

NAMES_SECONDS = 1.0
"""Seconds between two looks at the names of socket and pid file."""
DRAIN_SECONDS = 10.0
"""Seconds that events in flight may take when the daemon is asked to stop."""
LINE_LIMIT = 16 * 1024 * 1024


class Daemon:
    """One engine and everybody who talks to it."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.version = synaptic.__version__
        self.started = time.time()
        self.answered = 0
        self.http = HttpListeners(self)
        self.stopping = asyncio.Event()
        self.is_drained = False
        """Whether the last call was answered: who has been let in and asks only now decides by itself."""
        self.succession: Succession | None = None
        self.busy: set[ClientConnection] = set()
        self.idle = IdleClients(count_silent_places())
        self.line_queues: set[asyncio.Queue[bytes]] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        engine.commit.is_alone = self.has_one_call

    @cached_property
    def checker(self) -> Checker:
        """The policies alone, without state; made for the first who asks."""
        return Checker(self.engine.home)

    def open_connection(self) -> "ClientConnection":
        return ClientConnection(self)

    def stop(self) -> None:
        """Answer what is in flight, then end; a successor that is being started ends with it."""
        if self.succession:
            self.succession.end_child()
        self._retire()

    async def look_at_code(self, *, is_asked: bool = False) -> bool:
        """Leave the calls to a successor when other code has been installed; whether there is one."""
        if not self.succession or self.stopping.is_set():
            return False
        before = self.succession.trouble
        if is_done := await self.succession.look(is_asked=is_asked):
            log.warning("a successor has taken over: this daemon ends")
            for connection in tuple(self.busy):
                connection.hand_over()
            self._retire()
        elif (now := self.succession.trouble) != before and now:
            self.engine.store.notices.append(now)
        return is_done

    def _retire(self) -> None:
        self.stopping.set()
        self.engine.held.end()
        for lines in self.line_queues:
            lines.put_nowait(b"")  # after those that have arrived; nobody waits for more

    def has_one_call(self) -> bool:
        """Whether at most one call is being answered."""
        return len(self._tasks) + len(self.http.tasks) - len(self.engine.held) <= 1

    def spawn(self, work: Awaitable[None]) -> asyncio.Task[None]:
        """Run something to its end; the daemon does not stop before it."""
        task = asyncio.ensure_future(work)
        # The event loop itself holds tasks only weakly: one without a reference may be collected half way.
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def wait_drained(self) -> None:
        """Returns when nothing is in flight, or when nothing more can be waited for."""
        end = time.monotonic() + DRAIN_SECONDS
        while (waiting := self._tasks | self.http.tasks) and time.monotonic() < end:
            await asyncio.wait(waiting, timeout=end - time.monotonic())
        self.is_drained = True

    async def keep_alive(self) -> None:
        """Tell clients that wait for slow hooks that somebody still works for them, and drop those who ask nothing."""
        while True:
            # Only who has waited for a whole interval gets a byte: quick answers, the usual ones, cost nothing.
            waiting = set(self.busy)
            await asyncio.sleep(frame.KEEP_ALIVE_SECONDS)
            for connection in waiting & self.busy:
                connection.send_keep_alive()
            self.idle.tick()
            self.http.drop_silent()

    def is_succeeded(self) -> bool:
        """Whether another daemon takes the names, or has them."""
        return self.succession is not None and self.succession.is_under_way

    def make_room(self) -> None:
        """End for a daemon of another version, unless one is on its way already and says when."""
        if not self.is_succeeded():
            self.stop()

    def is_outdated(self, version: str) -> bool:
        """Whether another version has been installed: a mere stale client is served."""
        return version != self.version and read_engine(self.engine.home).version not in ("", self.version)


class ClientConnection(asyncio.Protocol):
    """One client. What it speaks is seen from its first byte; a frame is one request, a line is one of many."""

    transport: asyncio.Transport
    patience = SILENT_TICKS

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self._buffer = bytearray()
        self._sizes: frame.RequestSizes | None = None
        self._lines: asyncio.Queue[bytes] | None = None
        self._answering: asyncio.Task[None] | None = None
        self._patience: ClientPatience | None = None
        self._call = ""
        # A number of a process that has ended is given to another one: it must be older than its connection.
        self._connected = time.clock_gettime(rpc.CLOCK)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)  # uvloop's does not say so by inheritance
        if not is_same_user(transport):
            self.transport.abort()
        else:
            self._daemon.idle.add(self)

    def data_received(self, data: bytes) -> None:
        if self._daemon.is_drained:
            self.transport.close()  # the client falls back and decides by itself
            return
        self._daemon.idle.add(self)
        self._buffer += data
        first = self._buffer[:1]
        if first == frame.MAGIC[:1]:
            self._read_frame()
        # A connection that began with lines stays with them: what is no JSON gets an error, not an HTTP parser.
        elif first == b"{" or self._lines is not None:
            self._read_line()
        else:
            self._daemon.idle.remove(self)
            peer = read_peer_pid(self.transport), self._connected
            self._daemon.http.take_over(self.transport, bytes(self._buffer), peer)

    def connection_lost(self, error: Exception | None) -> None:
        if self._answering and not self._leave_given_up():
            self._daemon.engine.held.leave(self._call)
        self._daemon.busy.discard(self)
        self._daemon.idle.remove(self)
        if self._lines is not None:
            self._lines.put_nowait(b"")  # whoever waits for the next line would wait for ever

    def drop(self) -> None:
        self.transport.abort()

    def hand_over(self) -> None:
        """Leave a call that waits for a person to the successor: its client asks that one the same again."""
        if self._answering and self._daemon.engine.held.holds(self._call):
            self._answering.cancel()
            self.transport.abort()

    def send_keep_alive(self) -> None:
        if self._patience:
            self._patience.note_byte()
        self._send(frame.KEEP_ALIVE)

    def _send(self, content: bytes) -> None:
        # Who has gone is not told anything; writing to a closed transport would raise.
        if not self.transport.is_closing():
            self.transport.write(content)

    def _leave_given_up(self) -> bool:
        """Leave a call alone that its sender has taken elsewhere: what was said there is what counts."""
        if self._answering and self._patience and self._patience.is_over():
            self._answering.cancel()
            return True
        return False

    def _read_frame(self) -> None:
        if len(self._buffer) < frame.REQUEST_HEAD.size:
            return
        try:
            if self._sizes is None:
                self._sizes = frame.read_request_sizes(bytes(self._buffer[: frame.REQUEST_HEAD.size]))
            if len(self._buffer) < frame.REQUEST_HEAD.size + self._sizes.body:
                return
            delivery = frame.unpack_request(self._sizes, self._buffer[frame.REQUEST_HEAD.size :])
        except DaemonError:
            self.transport.close()  # the client falls back and decides by itself
            return
        self._buffer.clear()
        self._sizes = None
        # This client decides by itself, and starts a daemon of the installed version after it.
        if self._daemon.is_outdated(delivery.version):
            self._send(frame.pack_answer(Answer(), frame.OTHER_VERSION))
            self._daemon.make_room()
            return
        self._daemon.busy.add(self)
        self._daemon.idle.remove(self)
        self._patience = ClientPatience(delivery.request.id)
        self._call = delivery.request.id
        self._answering = self._daemon.spawn(self._answer_request(delivery))

    async def _answer_request(self, delivery: frame.RequestDelivery) -> None:
        try:
            request, senders = delivery.request, self._daemon.engine.senders
            if not senders.is_familiar(request):
                request = senders.examine(request, read_peer_pid(self.transport))
            engine = self._daemon.engine
            if delivery.is_repeated:
                engine.held.come_back(request.id)
            answer = await (engine.replay(request) if delivery.is_repeated else engine.answer(request))
        except Exception:
            # The outermost catch: without it keep-alives would go on for ever. The client decides by itself.
            log.exception("call %s failed", delivery.request.id)
            self.transport.abort()
            return
        finally:
            self._answering = None
            self._daemon.busy.discard(self)
        self._daemon.answered += 1
        if not self.transport.is_closing():
            self._daemon.idle.add(self)
        self._send(frame.pack_answer(answer))

    def _read_line(self) -> None:
        # A line that never ends would fill the memory of the process that answers everybody.
        if len(self._buffer) > LINE_LIMIT:
            self.transport.abort()
            return
        if self._lines is None:
            self._lines = asyncio.Queue()
            self.patience = LINE_TICKS
            self._daemon.spawn(self._answer_lines(self._lines))
        *whole, rest = bytes(self._buffer).split(b"\n")
        self._buffer = bytearray(rest)
        for line in whole:
            self._lines.put_nowait(line)

    def eof_received(self) -> bool:
        self._leave_given_up()
        if self._lines is not None:
            self._lines.put_nowait(b"")
        return self._lines is not None

    async def _answer_lines(self, lines: "asyncio.Queue[bytes]") -> None:
        """In the order they came, also when a client sends many at once."""
        rpc.note_peer(read_peer_pid(self.transport), self._connected)
        self._daemon.line_queues.add(lines)
        try:
            while (line := await lines.get()) and not self.transport.is_closing():
                self._daemon.idle.remove(self)
                self._send(await rpc.answer_line(self._daemon, line))
                self._daemon.idle.add(self)
        finally:
            self._daemon.line_queues.discard(lines)
            self._daemon.idle.remove(self)
            self.transport.close()


class Listener:
    """Takes calls under the home's socket, and sees to it that daemon and socket can be found."""

    def __init__(self, daemon: Daemon, names: DaemonNames) -> None:
        self._daemon = daemon
        self._names = names
        self._server: asyncio.AbstractServer | None = None

    async def listen(self) -> None:
        """Open the socket under its name; one that had the name before is closed after it."""
        before, sock = self._server, self._names.open_socket()
        # Said again, since the loop listens once more, with a hundred unless it is told.
        make = asyncio.get_running_loop().create_unix_server
        try:
            self._server = await make(self._daemon.open_connection, sock=sock, backlog=BACKLOG)
        except Exception:
            # The name is there and nobody accepts: the next look must not take it for ours.
            self._names.forget_socket()
            sock.close()
            raise
        if before is not None:
            before.close()

    async def keep_names(self) -> None:
        """Look once a second, and make again what has been removed or replaced."""
        chore = Chore("making its names again", NAMES_SECONDS, self._restore)
        while True:
            await asyncio.sleep(NAMES_SECONDS)
            await chore.try_now(chore.done + NAMES_SECONDS)

    async def _restore(self) -> None:
        if not self._names.is_home_ours():
            log.error("the home has been removed or replaced: this daemon ends")
            self._daemon.stop()
        elif not (self._daemon.stopping.is_set() or self._daemon.is_succeeded()):
            self._names.restore_pid_file()
            self._names.reopen_log()
            if not self._names.has_socket():
                await self.listen()
                log.warning("the socket was gone or another's, and has been made again")

    def close(self) -> None:
        """Take the name away, then accept nobody any more."""
        self._names.remove_socket()
        if self._server is not None:
            self._server.close()


async def serve_home(home: Home, lock: int, *, is_successor: bool = False) -> None:
    """Serve until SIGTERM, `daemon.stop`, a client of a newly installed version, or a successor with other code.

    Raises CodeChangedError, before anybody is answered, when files were replaced while they were being loaded.
    """
    daemon = await load_daemon(home, lock)
    listener = Listener(daemon, DaemonNames(home, lock))
    await listener.listen()
    if is_successor:
        write_pid_file(home)
    works = (
        keep_beating(),
        daemon.keep_alive(),
        listener.keep_names(),
        run_upkeep(daemon.engine, daemon.is_succeeded),
        daemon.http.open_loopback(),
        tell_changed_files(daemon.engine),
        keep_code(daemon),
    )
    chores = [_start_chore(work) for work in works]
    calm_collector()
    await daemon.stopping.wait()
    # The name first: new calls find no daemon and decide themselves, while those in flight are answered.
    listener.close()
    await daemon.wait_drained()
    for chore in chores:
        chore.cancel()
    await daemon.http.close()
    await daemon.engine.close()


async def load_daemon(home: Home, lock: int) -> Daemon:
    """Load all that any event may need before it listens: who is out of descriptors later has it already."""
    load_modules()
    require_same_code()  # before the database is opened, which other code may bring to another version
    daemon = Daemon(open_engine(home))
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, daemon.stop)
    try:
        load_tables(daemon.engine)
        require_same_code()
    except CodeChangedError:
        await daemon.engine.close()
        raise
    daemon.succession = Succession(home, lock)
    return daemon


def load_modules() -> None:
    """Load the gatherers of facts and what is known of all agents."""
    find_gatherers()
    for name in list_agent_names():
        find_adapter(name)


def load_tables(engine: Engine) -> None:
    """Load what any event may need: policies, and who sends events."""
    engine.catalogs.get("")
    engine.senders.prepare()


async def keep_code(daemon: Daemon) -> None:
    """Look every few seconds whether the code on disk is still the one that was loaded."""
    chore = Chore("looking at the engine's files", LOOK_SECONDS, daemon.look_at_code)
    while not daemon.stopping.is_set():
        await asyncio.sleep(LOOK_SECONDS)
        await chore.try_now(chore.done + LOOK_SECONDS)


async def tell_changed_files(engine: Engine) -> None:
    """Tell, with the next event, when files of the engine are not as they were installed; of a checkout, once."""
    changes = await asyncio.to_thread(find_changes, engine.home)
    if not changes:
        return
    log.warning("%s", changes)
    engine.store.notices.append(f"{changes}; look with: synaptic doctor")
    if is_editable():
        await asyncio.to_thread(record_installed, engine.home)


def _start_chore(work: Coroutine[None, None, None]) -> asyncio.Task[None]:
    """Start a background task; when it fails, the log says why and events are still answered."""
    task = asyncio.create_task(work)
    task.add_done_callback(_report_failure)
    return task


def _report_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()):
        log.error("%s failed", task.get_coro(), exc_info=error)


def run_daemon(home: Home, lock: int | None = None) -> None:
    """The daemon in the foreground; raises DaemonError when another one runs."""
    held = lifecycle.hold_lock(home, lock)
    end_predecessor(home)
    try:
        uvloop.run(serve_home(home, held.fd))
    except CodeChangedError as error:
        log.warning("%s: this daemon begins anew", error)
        start_again(home, held.fd)
    finally:
        held.release()


def run_successor(home: Home, lock: int | None = None) -> None:
    """The daemon that takes over from the one that has started it; one that fails before has changed nothing."""
    held = lifecycle.hold_lock(home, lock, says_who=False)
    try:
        uvloop.run(serve_home(home, held.fd, is_successor=True))
    finally:
        held.release()


def main(arguments: list[str] | None = None, start: Callable[[Home, int | None], None] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="synaptic-daemon")
    parser.add_argument("home", type=Path)
    parser.add_argument("--lock-fd", type=int)
    parser.add_argument(lifecycle.SUCCESSOR_OPTION, action="store_true")
    options = parser.parse_args(arguments)
    redact_log()
    home = Home(options.home)
    InstalledEnvironment(home).settle_process()
    try:
        (start or (run_successor if options.successor else run_daemon))(home, options.lock_fd)
    except (OSError, SynapticError) as error:
        # A full disk, no descriptor, another daemon: what is wrong is outside, and no traceback would say it better.
        sys.exit(f"synaptic: the daemon cannot run: {error}; calls are decided without it. Type: synaptic doctor")


if __name__ == "__main__":
    main()
