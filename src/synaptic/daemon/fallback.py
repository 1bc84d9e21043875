"""The engine for one call, in this process: what `dispatch` runs when there is no daemon to ask."""

import asyncio
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import synaptic
from synaptic.daemon import frame, lifecycle
from synaptic.daemon.client import is_responding, send_request
from synaptic.daemon.refuse import refuse_unheard
from synaptic.daemon.succession import require_same_code
from synaptic.daemon.turn import NO_QUEUE, TURNS_TEXT, Turn, wait_for_turn
from synaptic.engine.alarm import keep_beating
from synaptic.engine.environment import InstalledEnvironment
from synaptic.engine.walk import Engine, open_engine
from synaptic.model.call import Answer, Request
from synaptic.model.errors import DaemonError, SynapticError
from synaptic.model.home import Home
from synaptic.setup import dispatcher
from synaptic.setup.code import was_noted
from synaptic.store.redacted_log import redact_log

Deliver = Callable[[Answer], None]


async def answer_here(home: Home, request: Request, deliver: Deliver, gone: asyncio.Event | None = None) -> None:
    """Run the engine; `deliver` is called once, whatever happens, and before the engine puts its things away.

    `gone` is set when nobody waits for the answer any more.
    """
    try:
        engine = open_engine(home)
    except Exception as error:  # noqa: BLE001  an answer is owed, and this is the last one who can give it
        deliver(_answer_failure(home, request, error))
        return
    beat = asyncio.create_task(keep_beating())
    leaving = asyncio.create_task(_leave_when_gone(engine, gone)) if gone else None
    await asyncio.sleep(0)  # the alarm is set before anything can be stuck
    try:
        _refuse_mixture(engine)
        # A question is answered without a look: loading what is known of all agents takes as long as the engine itself.
        asks = engine.senders.is_question(request)
        answer = await engine.replay(request if asks else engine.senders.examine(request, os.getpid()))
    except Exception as error:  # noqa: BLE001  as above
        answer = _answer_failure(home, request, error)
    finally:
        beat.cancel()
        if leaving:
            leaving.cancel()
    deliver(answer)
    await engine.close()


async def _leave_when_gone(engine: Engine, gone: asyncio.Event) -> None:
    await gone.wait()
    engine.held.leave_all()


def _refuse_mixture(engine: Engine) -> None:
    """Raises CodeChangedError when files of the engine were replaced since it began: a mixture must not judge."""
    if was_noted():
        engine.catalogs.get("")  # loads the policies
        require_same_code()


def answer_in_turn(home: Home, request: Request, deliver: Deliver) -> bool:
    """Answer when it is our turn, or give what a daemon says that has come up; whether the engine ran here."""
    turn = wait_for_turn(home, lambda: send_request(home, request, is_repeated=True))
    if isinstance(turn, Turn):
        asyncio.run(_answer_with_turn(home, request, deliver, turn))
        turn.give_back()
        return True
    deliver(turn or refuse_unheard(home, request.event, TURNS_TEXT, request.agent))
    return False


async def _answer_with_turn(
    home: Home, request: Request, deliver: Deliver, turn: Turn, gone: asyncio.Event | None = None
) -> None:
    beat = asyncio.create_task(_release_when_slow(turn))
    try:
        await answer_here(home, request, deliver, gone)
    finally:
        beat.cancel()


async def _release_when_slow(turn: Turn) -> None:
    """A turn is for the start of an engine: once it only waits for its hooks, the next one may begin."""
    await asyncio.sleep(frame.KEEP_ALIVE_SECONDS)
    turn.give_back()


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
    home, turn = Home(Path(argv[0])), Turn(_adopt_turn(argv[1:]))
    redact_log()
    InstalledEnvironment(home).settle_process()
    try:
        delivery = _read_request()
    except DaemonError:
        return 1  # no frame: `dispatch` sees no answer and applies the fail policy
    asyncio.run(_run_engine(home, delivery.request, turn))
    # The end of our output first: the agent waits for it, and starting a daemon takes a moment.
    _close_stdout()
    if lifecycle.is_held(home):
        turn.give_back()  # replacing a daemon takes longer than the others may wait
    leave_daemon(home, delivery.version)
    return 0


def _adopt_turn(words: list[str]) -> int:
    """The turn that the dispatcher has taken for us: none of our own children may keep it."""
    fd = int(words[0]) if words else NO_QUEUE
    if fd >= 0:
        os.set_inheritable(fd, False)
    return fd


async def _run_engine(home: Home, request: Request, turn: Turn) -> None:
    gone = asyncio.Event()
    beat = asyncio.create_task(_keep_alive(gone))

    def deliver(answer: Answer) -> None:
        # Before the frame: a keep-alive byte behind its head would be read as part of the answer.
        beat.cancel()
        _write_frame(frame.pack_answer(answer))

    await _answer_with_turn(home, request, deliver, turn, gone)


async def _keep_alive(gone: asyncio.Event) -> None:
    await asyncio.sleep(frame.KEEP_ALIVE_SECONDS)
    while _write_frame(frame.KEEP_ALIVE):
        await asyncio.sleep(frame.KEEP_ALIVE_SECONDS)
    gone.set()


def _start_or_replace(home: Home) -> None:
    now = lifecycle.read_status(home)
    if now.state == "stopped":
        lifecycle.start_daemon(home)
    elif _is_outdated(now) or (_is_settled(home, now) and not is_responding(home)):
        lifecycle.restart_daemon(home)


def _is_outdated(now: lifecycle.DaemonStatus) -> bool:
    # One that has loaded other code sees to that itself, and is not ended: it may be the only one that can be started.
    return now.state == "running" and now.version != synaptic.__version__


def _is_settled(home: Home, now: lifecycle.DaemonStatus) -> bool:
    """Whether it should answer by now: a stuck process, or one that somebody has frozen, still holds the lock."""
    return now.state == "running" or lifecycle.is_overdue(home)


def _answer_failure(home: Home, request: Request, error: Exception) -> Answer:
    return refuse_unheard(home, request.event, f"{type(error).__name__}: {error}", request.agent)


def _read_request() -> frame.RequestDelivery:
    stdin = sys.stdin.buffer
    head = stdin.read(frame.REQUEST_HEAD.size)
    if len(head) != frame.REQUEST_HEAD.size:
        raise DaemonError("no request on stdin")
    sizes = frame.read_request_sizes(head)
    return frame.unpack_request(sizes, stdin.read(sizes.body))


def _write_frame(content: bytes) -> bool:
    """Whether it could be written: a dispatcher that is gone needs no answer."""
    rest = memoryview(content)
    try:
        while rest:
            rest = rest[os.write(1, rest) :]
    except OSError:
        return False
    return True


def _close_stdout() -> None:
    # Replaced, not closed: the next file that is opened would get descriptor 1.
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 1)
    os.close(null)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
