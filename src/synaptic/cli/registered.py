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
    """The hooks of this project as the engine sees them."""
    return Catalogs(place.home).get(place.root, os.environ.get("SYNAPTIC_ENV", ""))


@contextmanager
def trust_now(home: Home, catalog: Catalog) -> Iterator[Trust]:
    """The same for a look only: where nobody has agreed to anything, no database is made."""
    if not home.database.exists():
        yield Trust(catalog.root, lambda root: frozenset(), catalog.config.trust == "all", catalog.pins)
        return
    with opened(home) as store:
        yield trust_of(catalog, store)


def trust_of(catalog: Catalog, store: Store) -> Trust:
    """Who may run, by what the user has agreed to."""

    def accepted(root: str) -> frozenset[str]:
        return trusted.trusted(store, root) if is_utf8(root) else frozenset()

    return Trust(catalog.root, accepted, catalog.config.trust == "all", catalog.pins)
