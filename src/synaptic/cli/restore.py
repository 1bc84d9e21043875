"""What `doctor --fix` does about packages: files as they were installed, paths as the project lies now."""

from collections.abc import Iterator

from synaptic.cli.place import Here
from synaptic.cli.sites import all_sites, opened_source
from synaptic.model.errors import SynapticError
from synaptic.packages.install import apply
from synaptic.packages.restore import broken, follow, moved_from, prepare_locked
from synaptic.packages.site import Site


def restored(place: Here) -> list[str]:
    """What was done, one line each; a place that cannot be restored says why."""
    return [line for site in all_sites(place) for line in _of_site(place, site)]


def _of_site(place: Here, site: Site) -> Iterator[str]:
    try:
        if old := moved_from(place.home, site):
            follow(place.home, site, old)
            yield f"paths of packages ({site.registry}, moved from {old.root})"
        if records := broken(site):
            with opened_source("", place) as source:
                apply(place.home, prepare_locked(source, site, records))
            yield from (f"package {record.package} {record.version} ({site.base})" for record in records)
    except SynapticError as error:
        yield f"nothing of the packages in {site.base}: {error}"
