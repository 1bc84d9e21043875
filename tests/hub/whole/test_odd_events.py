"""Rows that a journal may hold after a clock went wrong or a disk was damaged: they keep back nothing behind them."""

import time
from contextlib import closing

from synaptic.store import journal
from synaptic.store.db import Store
from tests.hub.whole.conftest import Team
from tests.hub.whole.test_secrets import make_payload, make_record

ODD = (
    {"at": 4e9},
    {"at": time.time() + 30 * 86400},
    {"at": 0.0},
    {"payload": make_payload(command="x" * 3_000_000)},
    {"session": "s" * 100_000, "tool": "t" * 100_000, "root": "/r" * 100_000},
    {"micros": (1 << 62), "session": "\x00\x1b[2J"},
)
DAMAGED = "UPDATE events SET at = 9e999, micros = 'x', decision = x'00ff', tool = x'c328', exit = 'y' WHERE id = 2"


def test_what_comes_behind_an_odd_event_arrives(team: Team):
    home = team.add_home("dev", '[ship]\ncontents = "full"\n')
    name = team.join(home, "dev").host
    records = [make_record("first"), make_record("damaged")]
    for number, given in enumerate(ODD):
        records += [make_record(f"odd-{number}", **given), make_record(f"plain-{number}")]
    with closing(Store.open(home)) as store:
        journal.append_records(store, records)
        store.run_separately(lambda connection: connection.execute(DAMAGED))
    team.ship(home)
    team.wait_until_arrived(home, name)
    found = team.rows("SELECT call, at FROM events ORDER BY seq")
    assert [call for call, _ in found] == [record.call for record in records]
    assert all(0 <= at <= time.time() + 3 * 86400 for _, at in found)
