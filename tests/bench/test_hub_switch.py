"""The hub of a home is switched off and on beneath a daemon that runs, and the process that ships goes on as it was."""

import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.hub_cost import CostMeter, read_processor
from bench.hub_switch import HubSwitch, holds_database, is_stopped
from bench.ship import join_hub_that_is_away
from bench.world import World, build

from synaptic.daemon.shipper import ShipperKeeper, is_shipping
from tests.hub.shipping.conftest import wait_until

HOLDER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("SELECT * FROM t").fetchall()
for line in sys.stdin:
    connection.execute(line)
    connection.execute("SELECT * FROM t").fetchall()
    print("done", flush=True)
"""


@pytest.fixture
def away(tmp_path: Path) -> Iterator[World]:
    world = build(tmp_path / "home", "away")
    join_hub_that_is_away(world)
    world.start()
    try:
        wait_until(world.home.hub.joinpath("state.json").exists)
        yield world
    finally:
        world.home.joined.unlink()
        wait_until(lambda: not is_shipping(world.home))
        world.stop()


def test_a_home_without_its_hub_needs_no_shipper_and_gets_both_back(away: World):
    keeper = ShipperKeeper(away.home)
    with HubSwitch(away) as switch:
        switch.turn("A")
        assert is_stopped(switch.pid)
        assert not keeper.is_needed()
        switch.turn("B")
        assert not is_stopped(switch.pid)
        assert keeper.is_needed() and is_shipping(away.home)
        switch.turn("A")
    assert not is_stopped(switch.pid)
    assert is_shipping(away.home)


def test_the_shipper_goes_on_as_the_same_with_the_same_plan(away: World):
    before = away.home.joined.stat()
    with HubSwitch(away) as switch:
        for way in ("A", "B", "B", "A", "A", "B"):
            switch.turn(way)
            time.sleep(0.4)
    after = away.home.joined.stat()
    assert (before.st_ctime_ns, before.st_ino) == (after.st_ctime_ns, after.st_ino)
    assert HubSwitch(away).pid == switch.pid
    assert away.home.shipper_log.read_text().count("asking the hub for news failed") == 1


def test_a_home_whose_shipper_has_ended_is_not_measured(tmp_path: Path):
    with pytest.raises(RuntimeError, match="nobody ships"):
        HubSwitch(build(tmp_path / "home", "alone"))


def test_whoever_reads_or_writes_holds_the_database_and_nobody_else(tmp_path: Path):
    database = tmp_path / "db"
    with sqlite3.connect(database) as ours:
        ours.executescript("PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1);")
    line = (sys.executable, "-c", HOLDER, str(database))
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:

        def does_it_hold(statement: str) -> bool:
            holder.stdin.write(f"{statement}\n")
            holder.stdin.flush()
            assert holder.stdout.readline() == "done\n"
            return holds_database(holder.pid, database)

        assert [does_it_hold(words) for words in ("BEGIN", "COMMIT", "BEGIN IMMEDIATE", "ROLLBACK")] == [
            True, False, True, False,
        ]  # fmt: skip
        holder.stdin.close()
    ours.close()


def test_a_measurement_takes_every_block_and_ends_with_the_hub_where_it_was(away: World, tmp_path: Path):
    cost = CostMeter(away, tmp_path).measure(8, calls=3)
    assert cost.calls == 8 * 2 * 4 * 3
    assert [figure.name for figure in cost.figures if figure.is_promised] == [
        "p50 of a call", "processor time of the daemon per call",
    ]  # fmt: skip
    assert all(0 < figure.alone < 1000 for figure in cost.figures)
    assert away.home.joined.exists()
    assert not is_stopped(HubSwitch(away).pid)


def test_the_processor_time_of_a_process_is_its_own():
    with subprocess.Popen((sys.executable, "-c", "sum(range(10**7)); input()"), stdin=subprocess.PIPE) as busy:
        wait_until(lambda: read_processor(busy.pid) > 50)
        busy.communicate(b"\n")
