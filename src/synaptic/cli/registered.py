"""What is registered where a command is typed, and whether it is trusted."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from synaptic.cli.place import Here, is_utf8, opened
from synaptic.hooks.catalog import Catalog, Catalogs
from synaptic.hooks.trust import Trust
from synaptic.model.home import Home
from synaptic.store import trust as trusted
from synaptic.store.db import Store


def catalog_of(place: Here) -> Catalog:
    """Load the hooks of this project as the engine does."""
    return Catalogs(place.home).get(place.root, os.environ.get("SYNAPTIC_ENV", ""))


@contextmanager
def trust_now(home: Home, catalog: Catalog) -> Iterator[Trust]:
    """Read what is trusted, for display only: no database is made where there is none."""
    if not home.database.exists():
        yield Trust(catalog.root, lambda root: frozenset(), catalog.config.trust == "all", catalog.pins)
        return
    with opened(home) as store:
        yield trust_of(catalog, store)


def trust_of(catalog: Catalog, store: Store) -> Trust:
    """Make the trust check for a catalog from what the user has agreed to."""

    def accepted(root: str) -> frozenset[str]:
        # Such a path cannot be stored, so nobody can have agreed to anything in it.
        return trusted.trusted(store, root) if is_utf8(root) else frozenset()

    return Trust(catalog.root, accepted, catalog.config.trust == "all", catalog.pins)
