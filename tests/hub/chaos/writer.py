"""`python -m tests.hub.chaos.writer FOLDER SEED FIRST LAST DONE EVENTS SECONDS`: writes the journals of some hosts.

So many events of each are there already; the others come in groups of uneven size, over so many seconds at least.
"""

import random
import sys
import time
from contextlib import ExitStack, closing
from pathlib import Path

from synaptic.store import journal
from synaptic.store.db import Store
from tests.hub.chaos.events import FIRST_DAYS, make_record
from tests.hub.chaos.homes import find_home

MOST_GROUP = 120


def write_before(folder: Path, seed: int, host: int, count: int) -> None:
    """Events of the last days, which were written before anything was shipped."""
    began, step = time.time() - FIRST_DAYS * 86400, FIRST_DAYS * 86400 / max(count, 1)
    with closing(Store.open(find_home(folder, host))) as store:
        for first in range(0, count, MOST_GROUP):
            numbers = range(first, min(first + MOST_GROUP, count))
            journal.append_records(store, [make_record(seed, host, n, began + n * step) for n in numbers])


def write_meanwhile(folder: Path, seed: int, hosts: range, done: int, events: int, seconds: float) -> None:
    source, began = random.Random(seed), time.monotonic()
    at = dict.fromkeys(hosts, done)
    with ExitStack() as stack:
        stores = {host: stack.enter_context(closing(Store.open(find_home(folder, host)))) for host in hosts}
        left = (events - done) * len(hosts)
        total = max(left, 1)
        while waiting := [host for host in hosts if at[host] < events]:
            host = source.choice(waiting)
            last = min(at[host] + source.randint(1, MOST_GROUP), events)
            records = [make_record(seed, host, number, time.time()) for number in range(at[host], last)]
            journal.append_records(stores[host], records)
            left -= last - at[host]
            at[host] = last
            time.sleep(max(0.0, began + seconds * (1 - left / total) - time.monotonic()))


def main(words: list[str]) -> None:
    seed, first, last, done, events = map(int, words[1:6])
    write_meanwhile(Path(words[0]), seed, range(first, last), done, events, float(words[6]))


if __name__ == "__main__":
    main(sys.argv[1:])
