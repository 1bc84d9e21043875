"""What is registered where a command is typed, and whether it is trusted."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from synaptic.cli.place import CommandPlace, is_utf8, open_database
from synaptic.hooks.catalog import HookCatalog, HookCatalogs
from synaptic.hooks.trust import HookTrust
from synaptic.model.home import Home
from synaptic.store import trust as trusted
from synaptic.store.db import Store


def load_hook_catalog(place: CommandPlace) -> HookCatalog:
    """Load the hooks of this project as the engine does."""
    return HookCatalogs(place.home).get(place.root, os.environ.get("SYNAPTIC_ENV", ""))


@contextmanager
def read_trust(home: Home, catalog: HookCatalog) -> Iterator[HookTrust]:
    """Read what is trusted, for display only: no database is made where there is none."""
    if not home.database.exists():
        yield HookTrust(catalog.root, lambda root: frozenset(), catalog.config.trust == "all", catalog.pins)
        return
    with open_database(home) as store:
        yield make_trust(catalog, store)


def make_trust(catalog: HookCatalog, store: Store) -> HookTrust:
    """Make the trust check for a catalog from what the user has agreed to."""

    def accepted(root: str) -> frozenset[str]:
        # Such a path cannot be stored, so nobody can have agreed to anything in it.
        return trusted.read_trusted_digests(store, root) if is_utf8(root) else frozenset()

    return HookTrust(catalog.root, accepted, catalog.config.trust == "all", catalog.pins)
