"""The process that asks policies in shadow: `python -m synaptic.engine.shadow HOME`.

It takes the calls that engines leave in a folder, each once, and adds what it finds to the trace of their events. One
policy has a second for one call, and a watchdog ends the whole process where even that is not heard.
"""

import asyncio
import contextlib
import faulthandler
import fcntl
import logging
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from synaptic.engine.environment import InstalledEnvironment
from synaptic.engine.shadow_queue import FILE_ENDING, LOCK_FILE, decode_calls
from synaptic.engine.walk import Engine
from synaptic.facts.gather import EngineMeans, give_up_gathering
from synaptic.files.bounded import read_bounded
from synaptic.files.lock import LOCK_FLAGS, LOCK_MODE
from synaptic.model.call import Request
from synaptic.model.home import Home
from synaptic.model.tool import Input
from synaptic.pipeline.shadow import ShadowTimeoutError
from synaptic.runners.execute import HookRunners
from synaptic.store.db import Store
from synaptic.store.redacted_log import redact_log
from synaptic.store.shadow import add_shadow_steps

log = logging.getLogger(__name__)

CHECK_SECONDS = 1.0
WATCHDOG_SECONDS = 30.0
"""For one call with its facts: after that the process ends, whatever it is stuck in."""
IDLE_SECONDS = 30.0
LIFE_SECONDS = 600.0
"""After which it ends all the same: the next one runs the code and the memory of that day."""
LOOK_SECONDS = 0.2
STALE_SECONDS = 600.0
"""A call that is older was left by an engine long gone: its facts are others by now."""
FILE_LIMIT = 512 << 20
NICENESS = 10


@contextlib.contextmanager
def limit_check() -> Iterator[None]:
    """One policy's look at one call. A child that it forks ends here: it must not go on as this process."""
    own = os.getpid()

    def give_up(number: int, frame: FrameType | None) -> None:
        raise ShadowTimeoutError(f"it took longer than {CHECK_SECONDS:g} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, CHECK_SECONDS)
    try:
        yield
    finally:
        if os.getpid() != own:
            os._exit(0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class ShadowWorker:
    """Takes calls from one home's folder until none has come for a while."""

    def __init__(self, home: Home, store: Store) -> None:
        self._folder = home.shadow
        self._store = store
        self._ends = time.monotonic() + LIFE_SECONDS
        self._nowhere = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
        """Where the watchdog's traceback goes: it may quote a call, and nobody could redact it."""
        self._engine = Engine(home, EngineMeans(store, HookRunners(home.spool)))

    async def work(self, idle: float = IDLE_SECONDS) -> None:
        """Until nothing has come for so many seconds, or the folder is gone."""
        beat = asyncio.create_task(_give_up_facts())
        until = time.monotonic() + idle
        while time.monotonic() < min(until, self._ends) and self._folder.is_dir():
            if await self.take_all():
                until = time.monotonic() + idle
            await asyncio.sleep(LOOK_SECONDS)
        beat.cancel()

    async def take_all(self) -> int:
        """Judge everything that waits; how many calls there were."""
        taken = 0
        for name in sorted(os.listdir(self._folder)):  # noqa: PTH208
            if not name.endswith(FILE_ENDING):
                continue
            for request, final, at in decode_calls(self._take_file(self._folder / name)):
                taken += 1
                if time.time() - at < STALE_SECONDS:
                    await self._judge(request, final)
        return taken

    def _take_file(self, path: Path) -> bytes:
        """What is in a file, which is gone then: a call that ends this process is not taken again."""
        content = b""
        with contextlib.suppress(OSError):
            content = read_bounded(path, FILE_LIMIT)
        with contextlib.suppress(OSError):  # a folder of that name is not ours, and stays
            path.unlink()
        return content

    async def _judge(self, request: Request, final: Input | None) -> None:
        faulthandler.dump_traceback_later(WATCHDOG_SECONDS, exit=True, file=self._nowhere)
        try:
            steps, keep = await self._engine.judge_in_shadow(request, final, limit_check)
            add_shadow_steps(self._store, request.id, steps, keep)
        except Exception:
            log.exception("call %s could not be judged in shadow", request.id)
        finally:
            faulthandler.cancel_dump_traceback_later()


async def _give_up_facts() -> None:
    """Facts that are awaited for too long are given up, as in a daemon."""
    while True:
        await asyncio.sleep(1)
        give_up_gathering()


def take_lock(folder: Path) -> int | None:
    """Become the one worker of a folder; None where there is one already."""
    handle = os.open(folder / LOCK_FILE, LOCK_FLAGS, LOCK_MODE)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    return handle


def run_worker(home: Home, idle: float = IDLE_SECONDS) -> None:
    """Work until nothing comes any more. What is left between the last look and the end is looked for once more."""
    ends = time.monotonic() + LIFE_SECONDS
    while time.monotonic() < ends and (lock := take_lock(home.shadow)) is not None:
        store = Store.open(home)
        try:
            asyncio.run(ShadowWorker(home, store).work(idle))
        finally:
            store.close()
            os.close(lock)
        if not home.shadow.is_dir() or not any(home.shadow.glob(f"*{FILE_ENDING}")):
            return


def main(argv: list[str]) -> None:
    home = Home(Path(argv[0]))
    redact_log()
    os.nice(NICENESS)
    InstalledEnvironment(home).settle_process()
    with contextlib.suppress(FileNotFoundError):  # the home has been removed
        run_worker(home)


if __name__ == "__main__":
    main(sys.argv[1:])
