"""A campaign: hosts write and ship, and meanwhile everything between their journals and the hub's disk fails."""

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import msgspec
import psycopg

from synaptic.hub.server.throwaway import ThrowawayPostgres
from tests.hub.chaos.children import kill_child, start_child
from tests.hub.chaos.compare import HostFindings, compare_host
from tests.hub.chaos.homes import join_hub, make_home
from tests.hub.chaos.hub_process import HubProcess, make_database
from tests.hub.chaos.proxy import FailingProxy
from tests.hub.chaos.schedule import CUT, HUB, POSTGRES, SHIPPERS, ChaosOptions, Fault, make_schedule
from tests.hub.chaos.writer import write_before

LOOK_SECONDS = 0.2
TELL_SECONDS = 10.0
MARKS = "SELECT id, seq FROM hosts"
Tell = Callable[[str], None]


class Findings(msgspec.Struct, kw_only=True):
    """What came of it."""

    options: ChaosOptions
    seconds: float = 0.0
    arrived: int = 0
    turns: int = 0
    happened: dict[str, int] = {}
    passing: dict[str, int] = {}
    """What became of connections, beside the faults."""
    load: float = 0.0
    violations: list[str] = []


class Campaign:
    """One run."""

    def __init__(self, options: ChaosOptions, tell: Tell) -> None:
        self._options, self._tell = options, tell
        self._stack = ExitStack()
        self._folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="syn-chaos-")))
        self._postgres = ThrowawayPostgres()
        self._stack.callback(self._postgres.close)
        self._shippers: dict[int, subprocess.Popen[bytes]] = {}
        self._mending: set[asyncio.Task[None]] = set()
        self._away: Counter[str] = Counter()
        """Faults of a kind that are not mended yet: the last of them mends it."""
        self._marks: dict[str, int] = {}
        self._found = Findings(options=options)

    def run(self) -> Findings:
        try:
            return asyncio.run(self._run())
        finally:
            for process in self._shippers.values():
                kill_child(process)
            self._stack.close()

    async def _run(self) -> Findings:
        options = self._options
        await self._prepare()
        began = time.monotonic()
        writer = self._start_writer()
        for group in range(len(options.list_groups())):
            self._start_shippers(group)
        await self._let_fail(make_schedule(options))
        await asyncio.gather(*self._mending)
        self._proxy.mend(is_sound=True)
        await self._wait_for(lambda: self._sum() >= options.total, "all has arrived")
        self._found.seconds = time.monotonic() - began
        code = await asyncio.to_thread(writer.wait)
        if code:
            self._violate(f"the writer of the journals ended with {code}")
        await self._finish()
        return self._found

    async def _prepare(self) -> None:
        options = self._options
        self._tell(f"{options.hosts} hosts, {options.total:,} events")
        await asyncio.to_thread(self._postgres.start)
        database = make_database(self._postgres)
        self._hub = HubProcess(database, self._folder)
        self._stack.callback(self._hub.kill)
        self._hub.start()
        await asyncio.to_thread(self._hub.wait_until_well)
        self._proxy = FailingProxy(options.seed, self._hub.port)
        await self._proxy.start()
        await asyncio.to_thread(self._make_hosts, database)

    def _make_hosts(self, database: str) -> None:
        """They join before anything fails, and each has a part of its events already."""
        options = self._options
        self._names: dict[int, str] = {}
        for host in range(options.hosts):
            home = make_home(self._folder, host)
            joined = join_hub(home, database, self._hub.url, f"host {host}")
            self._names[host] = self._lead_through_proxy(home, joined)
            write_before(self._folder, options.seed, host, int(options.events * options.before))

    def _lead_through_proxy(self, home: Any, joined: Any) -> str:
        from synaptic.hub.shipping.plan import write_membership

        write_membership(home, msgspec.structs.replace(joined, url=f"http://127.0.0.1:{self._proxy.port}"))
        return str(joined.host)

    def _start_writer(self) -> "subprocess.Popen[bytes]":
        options = self._options
        words = (self._folder, options.seed, 0, options.hosts, int(options.events * options.before), options.events)
        process = start_child("tests.hub.chaos.writer", *words, options.write_seconds, log=self._folder / "writer.log")
        self._stack.callback(kill_child, process)
        return process

    def _start_shippers(self, group: int) -> None:
        hosts = self._options.list_groups()[group]
        log = self._folder / f"shippers-{group}.log"
        self._shippers[group] = start_child("tests.hub.chaos.shippers", self._folder, hosts.start, hosts.stop, log=log)

    # What fails

    async def _let_fail(self, faults: list[Fault]) -> None:
        for number, fault in enumerate(faults, 1):
            if not fault.overlaps:
                await asyncio.gather(*self._mending)
                wanted = int(fault.share * self._options.total)
                await self._wait_for(lambda least=wanted: self._sum() >= least, f"fault {number} of {len(faults)}")
            self._found.happened[fault.kind] = self._found.happened.get(fault.kind, 0) + 1
            self._break(fault)
            task = asyncio.create_task(self._mend(fault))
            self._mending.add(task)
            task.add_done_callback(self._mending.discard)
            await asyncio.sleep(0)

    def _break(self, fault: Fault) -> None:
        self._away[fault.kind] += 1
        if fault.kind == HUB:
            self._hub.kill()
        elif fault.kind == POSTGRES:
            self._postgres.kill()
        elif fault.kind == CUT:
            self._proxy.cut()
        elif fault.kind == SHIPPERS and (process := self._shippers.pop(fault.group, None)):
            kill_child(process)

    async def _mend(self, fault: Fault) -> None:
        await asyncio.sleep(fault.seconds)
        self._away[fault.kind] -= 1
        if fault.kind == SHIPPERS:
            if fault.group not in self._shippers:
                self._start_shippers(fault.group)
        elif self._away[fault.kind] == 0:
            if fault.kind == HUB:
                self._hub.start()
            elif fault.kind == POSTGRES:
                await asyncio.to_thread(self._postgres.start)
            else:
                self._proxy.mend()

    # What is looked at meanwhile

    async def _wait_for(self, is_done: Callable[[], bool], what: str) -> None:
        """Until it is so. Raises SystemExit when nothing has moved for too long."""
        told = moved = time.monotonic()
        last = -1
        while True:
            await asyncio.to_thread(self._look)
            now = time.monotonic()
            if is_done():
                return
            if self._sum() != last:
                last, moved = self._sum(), now
            if now - moved > self._options.patience:
                raise SystemExit(
                    f"nothing moves: waiting for {what} at {last} of {self._options.total}\n{self._describe()}"
                )
            if now - told > TELL_SECONDS:
                told = now
                self._tell(f"{last:,} of {self._options.total:,} arrived; next: {what}")
            await asyncio.sleep(LOOK_SECONDS)

    def _sum(self) -> int:
        """Journals count from 1 on without gaps: marks are amounts."""
        return sum(self._marks.values())

    def _look(self) -> None:
        """Marks of the hosts, as they are on the hub's disk: none may ever be less than it was."""
        with (
            suppress(psycopg.OperationalError),
            psycopg.connect(self._postgres.url_as("postgres", "hub")) as connection,
        ):
            for name, seq in connection.execute(MARKS).fetchall():
                if seq < self._marks.get(name, 0):
                    self._violate(f"the mark of {name} went back from {self._marks[name]} to {seq}")
                self._marks[name] = seq

    # What is looked at in the end

    async def _finish(self) -> None:
        for process in self._shippers.values():
            if process.poll() is not None:
                self._violate(f"a process that ships has ended by itself with {process.returncode}")
        await self._proxy.close()
        self._found.passing = dict(self._proxy.happened.most_common())
        self._found.load = os.getloadavg()[0]
        self._tell("comparing")
        await asyncio.to_thread(self._compare)

    def _compare(self) -> None:
        with psycopg.connect(self._postgres.url_as("postgres", "hub")) as connection:
            for host, name in self._names.items():
                found: HostFindings = compare_host(connection, self._folder, host, name, self._options.events)
                self._found.arrived += found.events
                self._found.turns += found.turns
                for wrong in found.wrong:
                    self._violate(f"{name}: {wrong}")

    def _violate(self, what: str) -> None:
        self._found.violations.append(what)
        self._tell(f"VIOLATED: {what}")

    def _describe(self) -> str:
        logs = sorted(self._folder.glob("*.log"))
        return "\n".join(f"{log.name}: {log.read_text(errors='replace')[-1500:]}" for log in logs)


def tell_on_stderr(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
