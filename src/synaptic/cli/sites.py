"""Which places, registry and channel a package command means."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

from synaptic.cli import typer
from synaptic.cli.place import CommandPlace, find_place, require_root
from synaptic.cli.progress import show_progress
from synaptic.model.environment import DEFAULT_CHANNEL
from synaptic.model.refusal import Refusal
from synaptic.packages import lock
from synaptic.packages.lock import InstallRecord
from synaptic.packages.published import PublishedRegistry
from synaptic.packages.site import Site, make_global_site, make_project_site
from synaptic.packages.source import choose_registry_url, open_source
from synaptic.setup.env import locate_env, read_env

ScopeChoice = Literal["project", "global", "both"]

ScopeOption = Annotated[ScopeChoice | None, typer.Option(help="This project, all projects of this user, or both.")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Agree to the plan.")]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Show the plan and write nothing.")]
DowngradeOption = Annotated[
    bool,
    typer.Option("--allow-downgrade", help="Also back to an older version, or to another content under the same one."),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Also where files are there already or were changed.")]


def choose_sites(place: CommandPlace, scope: ScopeChoice) -> tuple[Site, ...]:
    """List the places of a scope, the project first."""
    project = () if scope == "global" else (make_project_site(Path(require_root(place)), place.home),)
    return project if scope == "project" else (*project, make_global_site(place.home))


def list_all_sites(place: CommandPlace) -> tuple[Site, ...]:
    """List every place that counts here: the project, if there is one, and the user's own."""
    project = (make_project_site(Path(place.root), place.home),) if place.project is not None else ()
    return (*project, make_global_site(place.home))


def list_sites(place: CommandPlace, scope: ScopeChoice | None) -> tuple[Site, ...]:
    """The places of a scope; without one every place that counts here."""
    return list_all_sites(place) if scope is None else choose_sites(place, scope)


def find_installed_sites(
    place: CommandPlace, package: str, scope: ScopeChoice | None
) -> tuple[tuple[Site, InstallRecord], ...]:
    """Where a package is installed, of all places or of those of the scope."""
    found = ((site, lock.load_lockfile(site).get(package)) for site in list_sites(place, scope))
    return tuple((site, record) for site, record in found if record is not None)


def find_one_site(place: CommandPlace, package: str, scope: ScopeChoice | None) -> tuple[Site, InstallRecord]:
    """Find the one place where a package is installed. Raises Refusal for none or two."""
    found = find_installed_sites(place, package, scope)
    if not found:
        raise Refusal("not_found", f"{package} is not installed here", where=place.cwd, hint="type: synaptic freeze")
    if len(found) > 1:
        hint = "say --scope project or --scope global"
        raise Refusal("ambiguous_target", f"{package} is installed in the project and globally", hint=hint)
    return found[0]


@contextmanager
def open_chosen_source(
    registry: str, place: CommandPlace | None = None, doing: str = "asking the registry"
) -> Iterator[PublishedRegistry]:
    """Open the registry that is given, or else the one in use, for the block, which is told when it takes long."""
    home = (place or find_place()).home
    with show_progress(doing), open_source(choose_registry_url(registry, os.environ, home), home) as source:
        yield source


def find_channel(place: CommandPlace, flag: str) -> str:
    """Find the channel: the flag, else the environment, else the project's own, else main."""
    # The variable before the project's file: it is how one shell or one CI job tries another channel.
    return flag or os.environ.get("SYNAPTIC_CHANNEL", "") or _read_project_channel(place) or DEFAULT_CHANNEL


def list_project_agents(place: CommandPlace) -> tuple[str, ...]:
    """The agents that this project is worked on with."""
    agents = read_env(Path(place.root)).get("SYNAPTIC_AGENTS", "") if _has_env_file(place) else ""
    return tuple(agents.replace(",", " ").split()) or ("claude",)


def _read_project_channel(place: CommandPlace) -> str:
    return read_env(Path(place.root)).get("SYNAPTIC_CHANNEL", "") if _has_env_file(place) else ""


def _has_env_file(place: CommandPlace) -> bool:
    return bool(place.root) and locate_env(Path(place.root)).is_file()
