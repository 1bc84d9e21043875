"""What is declared for a project, as the engine would read it now. Nothing is started and nothing is written for it."""

import os
from threading import Lock

from synaptic.engine.outside import recall_outside
from synaptic.engine.recollection import make_trust
from synaptic.hooks.catalog import HookCatalog, HookCatalogs
from synaptic.hooks.trust import HookTrust
from synaptic.model.home import Home
from synaptic.store.reader import JournalReader


class ConsoleCatalogs:
    """Catalogs by project for pages, which are made in several threads."""

    def __init__(self, home: Home, reader: JournalReader) -> None:
        self._home, self._reader = home, reader
        self._catalogs = HookCatalogs(home)
        self._lock = Lock()

    def get(self, root: str = "") -> HookCatalog:
        """What counts in a project; without one, what the user has set for all."""
        with self._lock:
            catalog = self._catalogs.get(root, os.environ.get("SYNAPTIC_ENV", ""))
            return recall_outside(self._home, catalog, self.read_trust(catalog))

    def read_trust(self, catalog: HookCatalog) -> HookTrust:
        """What of it may run."""
        return make_trust(catalog, self._reader)
