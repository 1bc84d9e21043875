"""`python -m tests.hub.chaos.shippers FOLDER FIRST LAST`: the product's shipping of several hosts in one process.

Each is the whole of what `synaptic.hub.shipping.process` runs: events, status and news.
"""

import asyncio
import sys
from pathlib import Path

from synaptic.hub.shipping.process import ShippingProcess, take_lock
from tests.hub.chaos.homes import find_home


async def ship(folder: Path, hosts: range) -> None:
    homes = [find_home(folder, host) for host in hosts]
    locks = [take_lock(home) for home in homes]
    if None in locks:
        raise SystemExit("another process ships from one of these homes")
    await asyncio.gather(*(ShippingProcess(home, lock or 0).run() for home, lock in zip(homes, locks, strict=True)))


if __name__ == "__main__":
    asyncio.run(ship(Path(sys.argv[1]), range(int(sys.argv[2]), int(sys.argv[3]))))
