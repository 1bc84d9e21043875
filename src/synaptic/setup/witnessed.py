"""What `doctor` says about calls that did not go as they were decided."""

import time
from collections.abc import Iterator
from contextlib import closing

from synaptic.model.errors import StoreError
from synaptic.model.home import Home
from synaptic.setup.doctor import DoctorFinding, FindingState, StoreOpener
from synaptic.store.db import Store
from synaptic.work.witness_report import FAILING, count_alarms

DAYS = 7
SECONDS_PER_DAY = 86_400


def check_witness(home: Home, open_store: StoreOpener = Store.open) -> Iterator[DoctorFinding]:
    """Whether every agent has done what it was told, in the last days; without a journal there is nothing to say."""
    if not home.database.exists():
        return
    try:
        with closing(open_store(home)) as store:
            counts = count_alarms(store, time.time() - DAYS * SECONDS_PER_DAY)
    except StoreError:  # the database has a finding of its own
        return
    for standing, count in sorted(counts.items()):
        seen = f"{count} call{'s' if count > 1 else ''} in {DAYS} days: {standing}"
        state: FindingState = "fail" if standing in FAILING else "warn"
        yield DoctorFinding(check="witness", state=state, seen=seen, fix="synaptic witness")
    if not counts:
        yield DoctorFinding(check="witness", state="ok", seen=f"nothing was disobeyed in {DAYS} days")
