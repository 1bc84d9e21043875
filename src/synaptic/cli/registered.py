"""What is registered where a command is typed, and whether it is trusted."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import closing, contextmanager

from synaptic.cli.place import CommandPlace
from synaptic.engine.outside import OutsidePolicies
from synaptic.engine.recollection import make_trust
from synaptic.hooks.catalog import HookCatalog, HookCatalogs
from synaptic.hooks.trust import HookTrust
from synaptic.model.errors import StoreError
from synaptic.model.home import Home
from synaptic.runners.execute import HookRunners
from synaptic.store.db import Store


def load_hook_catalog(place: CommandPlace) -> HookCatalog:
    """Load the hooks of this project as the engine does."""
    catalog = HookCatalogs(place.home).get(place.root, os.environ.get("SYNAPTIC_ENV", ""), place.cwd)
    return asyncio.run(_join_outside(place.home, catalog)) if catalog.policy_sources else catalog


async def _join_outside(home: Home, catalog: HookCatalog) -> HookCatalog:
    """With the policies from outside: most are known by their digest, and no process is started for them."""
    runners = HookRunners(home.spool)
    try:
        with read_trust(home, catalog) as trust:
            return await OutsidePolicies(home, runners.policies).join(catalog, trust)
    finally:
        await runners.close()


@contextmanager
def read_trust(home: Home, catalog: HookCatalog) -> Iterator[HookTrust]:
    """Read what is trusted, for display only: no database is made where there is none or it cannot be used."""
    try:
        store = Store.open(home) if home.database.exists() else None
    except StoreError:
        store = None
    if store is None:
        nobody = catalog.config.trust == "all"
        yield HookTrust(catalog.root, lambda root: frozenset(), nobody, catalog.site_pins)
        return
    with closing(store):
        yield make_trust(catalog, store)
