"""The sources of a catalog as the journal kept them: it is built again without a look at the disk."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from synaptic.files.bounded import FileContent
from synaptic.files.snapshot import ContentLoader, WatchedFile
from synaptic.hooks.bundle_seal import BundlePlace, FoundBundle, KeptBundle
from synaptic.hooks.sources import CatalogSources
from synaptic.model.home import Home
from synaptic.model.outside import PolicySource


class PastSources(CatalogSources):
    """What was read for a past catalog. Files of code were not kept: what they said is in the traces."""

    def __init__(self, home: str, root: str, folders: tuple[str, ...], files: Mapping[str, bytes]) -> None:
        super().__init__(Home(Path(home)), "")
        self.root = root
        self.variables_root = root or str(Path(home).parent)
        self._folders = folders
        self._files = files

    def read_policy_sources(self) -> tuple[PolicySource, ...]:
        return ()

    def _find_bundle(self) -> FoundBundle:
        """As it was when it counted: the journal keeps no seal."""
        text = self._files.get(str(BundlePlace.of(self._home).current))
        return FoundBundle(kept=msgspec.json.decode(text, type=KeptBundle) if text else None)

    def _read_watched(self, path: str, load: ContentLoader, kept: list[WatchedFile]) -> FileContent:  # type: ignore[override]
        return self._files.get(path)
