"""The process that ships: `python -m synaptic.hub.shipping.process HOME`. One for each home, and never the daemon.

It ends when nothing is to be shipped any more, when the home is gone, and when Synaptic was installed anew: the daemon
starts it again where it is needed. All that it knows is on disk, so it may be killed at any moment.
"""

import asyncio
import contextlib
import fcntl
import logging
import os
import sys
import time
from collections.abc import Coroutine
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

from synaptic.engine.environment import InstalledEnvironment, find_user_home
from synaptic.files.lock import LOCK_FLAGS, LOCK_MODE
from synaptic.files.snapshot import read_signature
from synaptic.hub.bundles.arriving import BundleTaker, follow_source
from synaptic.hub.keys import SecretKey
from synaptic.hub.place import HubPlace, Membership
from synaptic.hub.questions.incoming import take_answers
from synaptic.hub.questions.outgoing import run_questions
from synaptic.hub.shipping.board import StateBoard
from synaptic.hub.shipping.cursors import CursorBook
from synaptic.hub.shipping.destination import Destination, open_export
from synaptic.hub.shipping.hub_client import HubClient
from synaptic.hub.shipping.hub_destination import HubDestination
from synaptic.hub.shipping.link import HubLink
from synaptic.hub.shipping.news import HANDLERS, run_news
from synaptic.hub.shipping.plan import ShipPlan, name_hub, read_plan, sign_plan
from synaptic.hub.shipping.pulse import JournalPulse
from synaptic.hub.shipping.shipper import JournalSource, Shipper
from synaptic.hub.shipping.status import run_status
from synaptic.model.errors import StoreError, SynapticError
from synaptic.model.home import Home
from synaptic.store import outbox
from synaptic.store.db import Store
from synaptic.store.reader import JournalReader
from synaptic.store.redacted_log import RedactedFormatter, redact_log

log = logging.getLogger("synaptic.hub.shipping")

LOOK_SECONDS = 2.0
AGAIN_SECONDS = 10.0
"""Before the plan or the journal is looked at again, where it could not be read."""
LOCK_ATTEMPTS, LOCK_PAUSE = 10, 0.05
LOG_BYTES = 1 << 20
NICENESS = 10
KEPT_VARIABLES = frozenset({"HOME", "PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "USER", "LOGNAME", "TMPDIR"})
"""All others go: a proxy, a certificate, the address of a collector could have been put there by a repository."""
HUB_WORK = (run_status, run_news, run_questions)
"""What is done with a hub beside the shipping of events; each gets the link."""
HANDLERS += (BundleTaker().take, take_answers)


class ShippingProcess:
    """All that is shipped from one home."""

    def __init__(self, home: Home, lock: int) -> None:
        self._home, self._lock = home, lock
        self._board = StateBoard(home)
        self._installed = read_signature(str(home.engine))

    async def run(self) -> None:
        """Until there is nothing to do, or this process should not be there any more."""
        while not self.is_over():
            signature = sign_plan(self._home)
            try:
                plan = read_plan(self._home)
                with contextlib.closing(Store.open(self._home)) as store:
                    if plan.is_empty:
                        outbox.hold_for(store, ())
                        self._board.begin((), plan.problems)
                        self._board.write()
                        return
                    with contextlib.closing(JournalReader.open(self._home)) as reader:
                        await self._run_plan(plan, signature, (store, reader))
            except SynapticError as error:
                log.warning("nothing is shipped for the moment: %s", error)
                await asyncio.sleep(AGAIN_SECONDS)

    def is_over(self) -> bool:
        """Whether the home is gone, another process has taken over, or another version was installed."""
        try:
            held, there = os.fstat(self._lock), self._home.shipper_lock.stat()
        except OSError:
            return True
        is_ours = (held.st_dev, held.st_ino) == (there.st_dev, there.st_ino)
        return not is_ours or read_signature(str(self._home.engine)) != self._installed

    async def _run_plan(self, plan: ShipPlan, signature: object, stores: tuple[Store, Store]) -> None:
        """Ship by one plan, until it is another one."""
        store, reader = stores
        source = JournalSource(
            reader, CursorBook(self._home, store), JournalPulse(reader), self._board, find_user_home(self._home),
            plan.ship.contents,
        )  # fmt: skip
        destinations, problems = open_exports(plan)
        work = [source.pulse.run(), self._board.run(), follow_source(self._home)]
        work += [Shipper(one, source).run() for one in destinations]
        names = tuple(one.name for one in destinations)
        if plan.member is not None:
            try:
                work += self._work_with_hub(plan, plan.member, source)
                names = (name_hub(plan.member), *names)
            except (SynapticError, OSError) as error:
                problems["hub"] = f"the hub: {error}"
        self._hold(store, names, problems)
        self._board.begin(names, (*plan.problems, *problems.values()))
        await self._do_until_changed(work, signature)

    def _work_with_hub(
        self, plan: ShipPlan, member: Membership, source: JournalSource
    ) -> list[Coroutine[Any, Any, None]]:
        """Raises SynapticError, OSError: a key that is gone must not keep others from getting what is theirs."""
        client = HubClient(member, SecretKey.read(HubPlace.of(self._home).host_key))
        shipper = Shipper(HubDestination(member, client), source, client.require_reach)
        link = HubLink(self._home, plan, client, source.reader, source.pulse, shipper, lambda: self._board.troubles)
        return [shipper.run(), *(act(link) for act in HUB_WORK)]

    def _hold(self, store: Store, names: tuple[str, ...], problems: dict[str, str]) -> None:
        """What cannot be opened now is configured all the same: its events wait, too."""
        known = outbox.list_cursors(store)
        outbox.hold_for(store, {*names, *(name for name in known if name.partition(" ")[0] in problems)})

    async def _do_until_changed(self, work: list[Coroutine[Any, Any, None]], signature: object) -> None:
        tasks = [asyncio.create_task(_survive(one)) for one in work]
        try:
            while not self.is_over() and sign_plan(self._home) == signature:
                await asyncio.sleep(LOOK_SECONDS)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._board.write()


def open_exports(plan: ShipPlan) -> tuple[list[Destination], dict[str, str]]:
    """The destinations beside the hub, and by their kind what is wrong with the others."""
    found: list[Destination] = []
    problems: dict[str, str] = {}
    for kind, address in plan.exports:
        try:
            found.append(open_export(kind, address))
        except (SynapticError, OSError, ValueError) as error:
            problems[kind] = f"{kind}: {error}"
    return found, problems


async def _survive(work: Coroutine[Any, Any, None]) -> None:
    """One part that fails must not end the others. All of them are to catch what they know of."""
    try:
        await work
    except Exception:
        log.exception("a part of the shipping has ended")


def take_lock(home: Home) -> int | None:
    """Become the one process of a home; None where there is one."""
    home.hub.mkdir(mode=0o700, exist_ok=True)  # not its parents: a home that is gone stays gone
    handle = os.open(home.shipper_lock, LOCK_FLAGS, LOCK_MODE)
    for _ in range(LOCK_ATTEMPTS):
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return handle
        time.sleep(LOCK_PAUSE)  # whoever only looks at it holds it for a moment, too
    os.close(handle)
    return None


def open_log(path: Path) -> None:
    """Redacted, bounded, and beside it nothing."""
    handler = RotatingFileHandler(path, maxBytes=LOG_BYTES, backupCount=1, delay=True)
    handler.setFormatter(RedactedFormatter("%(asctime)s %(levelname)s %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.raiseExceptions = False  # a full disk takes no line, and no traceback about that either


def settle_process(home: Home) -> None:
    """Leave the session and the variables of whoever started it."""
    InstalledEnvironment(home).settle_process()
    for name in [name for name in os.environ if name not in KEPT_VARIABLES]:
        del os.environ[name]
    os.environ["SYNAPTIC_HOME"] = str(home.root)  # for what looks up the home by itself: it need not be in HOME
    with contextlib.suppress(OSError):  # it leads a session already
        os.setsid()
    os.nice(NICENESS)
    os.umask(0o077)


def main(argv: list[str]) -> None:
    home = Home(Path(argv[0]))
    redact_log()
    with contextlib.suppress(FileNotFoundError):  # the home has been removed
        lock = take_lock(home)
        if lock is None:
            return
        settle_process(home)
        open_log(home.shipper_log)
        with contextlib.suppress(StoreError):
            asyncio.run(ShippingProcess(home, lock).run())


if __name__ == "__main__":
    main(sys.argv[1:])
