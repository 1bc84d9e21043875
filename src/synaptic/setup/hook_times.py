"""What `doctor` says about hooks for which agents wait long."""

from collections.abc import Iterator
from contextlib import closing

from synaptic.hooks.catalog import HookCatalog
from synaptic.model.errors import StoreError
from synaptic.model.home import Home
from synaptic.setup.doctor import DoctorFinding
from synaptic.store.db import Store
from synaptic.store.usage import UsageCount, read_counted_usage

SLOW_MILLIS = 200.0
"""On average: an agent makes many calls a minute, and waits for each hook at each of them."""
LEAST_CALLS = 3
"""A single slow run is no habit."""
LOOKED_BACK_DAYS = 7


def check_hook_times(home: Home, root: str, catalog: HookCatalog) -> Iterator[DoctorFinding]:
    """Whether a hook of this project took long in the last days, as far as the daemon has counted."""
    if not home.database.exists() or not root:
        return
    try:
        with closing(Store.open(home)) as store:
            used = read_counted_usage(store, root, LOOKED_BACK_DAYS)
    except StoreError:
        return  # what is wrong with the database is told by its own check
    registered = {hook.id for hook in catalog.hooks if not hook.is_policy}
    for one in used:
        if one.name in registered and one.calls >= LEAST_CALLS and one.millis > SLOW_MILLIS:
            yield DoctorFinding(
                check=f"speed of {one.name}", state="warn", seen=_describe(one), fix="synaptic usage --by hook"
            )


def _describe(one: UsageCount) -> str:
    most = "" if one.p95 is None else f", 95 of 100 within {one.p95:.0f} ms"
    seen = f"took {one.millis:.0f} ms a call ({one.calls} calls in {LOOKED_BACK_DAYS} days{most})"
    return f"{seen}: agents wait for it each time, unless it has blocking = false"
