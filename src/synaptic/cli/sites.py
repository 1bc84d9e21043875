"""Which places, registry and channel a package command means."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

import typer

from synaptic.cli.place import Here, here, required_root
from synaptic.model.environment import DEFAULT_CHANNEL
from synaptic.model.refusal import Refusal
from synaptic.packages import lock
from synaptic.packages.lock import Record
from synaptic.packages.published import Published
from synaptic.packages.site import Site, global_site, project_site
from synaptic.packages.source import open_source, registry_url
from synaptic.setup.env import env_file, read_env

Scope = Literal["project", "global", "both"]

ScopeOption = Annotated[Scope | None, typer.Option(help="This project, all projects of this user, or both.")]
Channel = Annotated[str, typer.Option(help="The channel: develop, beta, main or another branch.")]
Registry = Annotated[str, typer.Option(help="The registry's URL, instead of the one in use.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Agree to the plan.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the plan and write nothing.")]
Force = Annotated[bool, typer.Option("--force", help="Also where files are there already or were changed.")]


def chosen_sites(place: Here, scope: Scope) -> tuple[Site, ...]:
    """List the places of a scope, the project first."""
    project = () if scope == "global" else (project_site(Path(required_root(place)), place.home),)
    return project if scope == "project" else (*project, global_site(place.home))


def all_sites(place: Here) -> tuple[Site, ...]:
    """List every place that counts here: the project, if there is one, and the user's own."""
    project = (project_site(Path(place.root), place.home),) if place.project is not None else ()
    return (*project, global_site(place.home))


def sites_in(place: Here, scope: Scope | None) -> tuple[Site, ...]:
    """The places of a scope; without one every place that counts here."""
    return all_sites(place) if scope is None else chosen_sites(place, scope)


def installed_sites(place: Here, package: str, scope: Scope | None) -> tuple[tuple[Site, Record], ...]:
    """Where a package is installed, of all places or of those of the scope."""
    found = ((site, lock.load(site).get(package)) for site in sites_in(place, scope))
    return tuple((site, record) for site, record in found if record is not None)


def one_site(place: Here, package: str, scope: Scope | None) -> tuple[Site, Record]:
    """Find the one place where a package is installed. Raises Refusal for none or two."""
    found = installed_sites(place, package, scope)
    if not found:
        raise Refusal("not_found", f"{package} is not installed here", where=place.cwd, hint="type: synaptic freeze")
    if len(found) > 1:
        hint = "say --scope project or --scope global"
        raise Refusal("ambiguous_target", f"{package} is installed in the project and globally", hint=hint)
    return found[0]


@contextmanager
def opened_source(registry: str, place: Here | None = None) -> Iterator[Published]:
    """Open the registry that is given, or else the one in use, for the block."""
    home = (place or here()).home
    with open_source(registry_url(registry, os.environ, home), home) as source:
        yield source


def channel_here(place: Here, flag: str) -> str:
    """Find the channel: the flag, else the environment, else the project's own, else main."""
    # The variable before the project's file: it is how one shell or one CI job tries another channel.
    return flag or os.environ.get("SYNAPTIC_CHANNEL", "") or _project_channel(place) or DEFAULT_CHANNEL


def agents_here(place: Here) -> tuple[str, ...]:
    """The agents that this project is worked on with."""
    agents = read_env(Path(place.root)).get("SYNAPTIC_AGENTS", "") if _has_env(place) else ""
    return tuple(agents.replace(",", " ").split()) or ("claude",)


def _project_channel(place: Here) -> str:
    return read_env(Path(place.root)).get("SYNAPTIC_CHANNEL", "") if _has_env(place) else ""


def _has_env(place: Here) -> bool:
    return bool(place.root) and env_file(Path(place.root)).is_file()
