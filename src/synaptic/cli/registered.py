"""What is registered where a command is typed, and whether it is trusted."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from synaptic.cli.place import CommandPlace, open_database
from synaptic.engine.recollection import make_trust
from synaptic.hooks.catalog import HookCatalog, HookCatalogs
from synaptic.hooks.trust import HookTrust, SitePins
from synaptic.model.home import Home


def load_hook_catalog(place: CommandPlace) -> HookCatalog:
    """Load the hooks of this project as the engine does."""
    return HookCatalogs(place.home).get(place.root, os.environ.get("SYNAPTIC_ENV", ""))


@contextmanager
def read_trust(home: Home, catalog: HookCatalog) -> Iterator[HookTrust]:
    """Read what is trusted, for display only: no database is made where there is none."""
    if not home.database.exists():
        pins = SitePins(catalog.pins, catalog.user_pins)
        yield HookTrust(catalog.root, lambda root: frozenset(), catalog.config.trust == "all", pins)
        return
    with open_database(home) as store:
        yield make_trust(catalog, store)
