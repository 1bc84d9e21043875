"""The engine for one call, in this process: what `dispatch` runs when there is no daemon to ask."""

import asyncio
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import synaptic
from synaptic.daemon import frame, lifecycle
from synaptic.daemon.client import is_responding
from synaptic.daemon.refuse import refuse_unchecked
from synaptic.engine.alarm import keep_beating
from synaptic.engine.environment import InstalledEnvironment
from synaptic.engine.walk import open_engine
from synaptic.model.call import Answer, Request
from synaptic.model.errors import DaemonError, SynapticError
from synaptic.model.home import Home
from synaptic.setup import dispatcher
from synaptic.store.redacted_log import redact_log

Deliver = Callable[[Answer], None]


async def answer_here(home: Home, request: Request, deliver: Deliver) -> None:
    """Run the engine; `deliver` is called once, whatever happens, and before the engine puts its things away."""
    try:
        engine = open_engine(home)
    except Exception as error:  # noqa: BLE001  an answer is owed, and this is the last one who can give it
        deliver(_answer_failure(home, request, error))
        return
    beat = asyncio.create_task(keep_beating())
    await asyncio.sleep(0)  # the alarm is set before anything can be stuck
    try:
        # A question is answered without a look: loading what is known of all agents takes as long as the engine itself.
        asks = engine.senders.is_question(request)
        answer = await engine.replay(request if asks else engine.senders.examine(request, os.getpid()))
    except Exception as error:  # noqa: BLE001  as above
        answer = _answer_failure(home, request, error)
    finally:
        beat.cancel()
    deliver(answer)
    await engine.close()


def leave_daemon(home: Home, client: str) -> None:
    """Start or replace the daemon for the next call, and renew a dispatcher of another version."""
    if not home.engine.exists():
        return  # it has been taken out while this call was on its way
    with suppress(SynapticError):  # without a daemon the next call comes here again
        if client != synaptic.__version__ and dispatcher.find_dispatcher_kind(home):
            dispatcher.install_dispatcher(home)
        if dispatcher.read_engine(home).daemon:
            _start_or_replace(home)


def main(argv: list[str]) -> int:
    """One request frame on stdin, one answer frame on stdout, then the daemon for the next call."""
    home = Home(Path(argv[0]))
    redact_log()
    InstalledEnvironment(home).settle_process()
    try:
        delivery = _read_request()
    except DaemonError:
        return 1  # no frame: `dispatch` sees no answer and applies the fail policy
    asyncio.run(_run_engine(home, delivery.request))
    # The end of our output first: the agent waits for it, and starting a daemon takes a moment.
    _close_stdout()
    leave_daemon(home, delivery.version)
    return 0


async def _run_engine(home: Home, request: Request) -> None:
    beat = asyncio.create_task(_keep_alive())

    def deliver(answer: Answer) -> None:
        # Before the frame: a keep-alive byte behind its head would be read as part of the answer.
        beat.cancel()
        _write_frame(frame.pack_answer(answer))

    await answer_here(home, request, deliver)


async def _keep_alive() -> None:
    while True:
        await asyncio.sleep(frame.KEEP_ALIVE_SECONDS)
        _write_frame(frame.KEEP_ALIVE)


def _start_or_replace(home: Home) -> None:
    now = lifecycle.read_status(home)
    if now.state == "stopped":
        lifecycle.start_daemon(home)
    # Asked, since a stuck process still holds the lock and looks as if it ran.
    elif now.state == "running" and (now.version != synaptic.__version__ or not is_responding(home)):
        lifecycle.restart_daemon(home)


def _answer_failure(home: Home, request: Request, error: Exception) -> Answer:
    return refuse_unchecked(home, request.event, f"{type(error).__name__}: {error}", request.agent)


def _read_request() -> frame.RequestDelivery:
    stdin = sys.stdin.buffer
    head = stdin.read(frame.REQUEST_HEAD.size)
    if len(head) != frame.REQUEST_HEAD.size:
        raise DaemonError("no request on stdin")
    sizes = frame.read_request_sizes(head)
    return frame.unpack_request(sizes, stdin.read(sizes.body))


def _write_frame(content: bytes) -> None:
    rest = memoryview(content)
    with suppress(OSError):  # a dispatcher that is gone needs no answer
        while rest:
            rest = rest[os.write(1, rest) :]


def _close_stdout() -> None:
    # Replaced, not closed: the next file that is opened would get descriptor 1.
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 1)
    os.close(null)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
