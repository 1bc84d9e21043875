"""What is registered where a command is typed, and whether it is trusted."""

import os

from synaptic.cli.place import Here
from synaptic.registry.catalog import Catalog, Catalogs
from synaptic.registry.trust import Trust
from synaptic.store import trust as trusted
from synaptic.store.db import Store


def catalog_of(place: Here) -> Catalog:
    """The hooks of this project as the engine sees them."""
    return Catalogs(place.home).get(place.root, os.environ.get("SYNAPTIC_ENV", ""))


def trust_of(catalog: Catalog, store: Store) -> Trust:
    """Who may run, by what the user has agreed to."""
    return Trust(catalog.root, lambda root: trusted.trusted(store, root), catalog.config.trust == "all")
