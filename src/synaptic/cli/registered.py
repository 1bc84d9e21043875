"""What is registered where a command is typed, and whether it is trusted."""

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager

from synaptic.cli.place import CommandPlace
from synaptic.engine.recollection import make_trust
from synaptic.hooks.catalog import HookCatalog, HookCatalogs
from synaptic.hooks.project import list_folders
from synaptic.hooks.sources import CatalogSources
from synaptic.hooks.trust import HookTrust
from synaptic.model.errors import StoreError
from synaptic.model.home import Home
from synaptic.store.db import Store


def load_hook_catalog(place: CommandPlace) -> HookCatalog:
    """Load the hooks of this project as the engine does."""
    return HookCatalogs(place.home).get(place.root, os.environ.get("SYNAPTIC_ENV", ""), place.cwd)


def open_sources(place: CommandPlace) -> CatalogSources:
    """The files from which the hooks of this project come: of every folder whose declarations count here."""
    folders = list_folders(place.root, place.cwd, os.environ.get("HOME", ""))
    return CatalogSources(place.home, place.root, folders=folders)


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
