"""`synaptic upgrade`: packages as their channel has them now; what the user changed in the registry stays."""

from typing import Annotated

import msgspec
import typer

from synaptic.cli import plan as plans
from synaptic.cli import screen
from synaptic.cli.bootstrap import installation
from synaptic.cli.place import Here, here
from synaptic.cli.sites import (
    Channel,
    DryRun,
    Force,
    Registry,
    ScopeOption,
    Yes,
    agents_here,
    installed_sites,
    opened_source,
    sites_in,
)
from synaptic.cli.verbs import Json, shown, verb
from synaptic.model.refusal import Refusal
from synaptic.packages import lock
from synaptic.packages.dependencies import Wanted
from synaptic.packages.install import Order, apply
from synaptic.packages.site import Site
from synaptic.packages.upgrade import Outcome, Upgrade, prepare_upgrade
from synaptic.setup import bootstrap

app = verb()

EXAMPLES = """
synaptic upgrade policy-guard            look at what changes, hooks first, then say yes
synaptic upgrade policy-guard --channel beta
synaptic upgrade --all --yes
"""


@app.command(epilog=shown(EXAMPLES))
def upgrade(
    name: Annotated[str, typer.Argument(help="A package, as NAME or NAME@VERSION.")] = "",
    every: Annotated[bool, typer.Option("--all", help="Every installed package.")] = False,
    channel: Channel = "",
    scope: ScopeOption = None,
    registry: Registry = "",
    force: Force = False,
    yes: Yes = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Show what would change, and after a yes change it; each package whole or not at all."""
    if bool(name) == every:
        raise Refusal("invalid_args", "one package or all of them", hint="synaptic upgrade NAME, or --all")
    if force and every:
        raise Refusal("invalid_args", "--force is for one package", hint="leave out --all")
    place = here()
    package, _, version = name.partition("@")
    places = _places(place, package, scope)
    with opened_source(registry, place) as source:
        order = Order(wanted=_wanted(place, channel, version), sites=(), ask=plans.asked, force=force)
        upgrades = [
            prepare_upgrade(source, _named(order, one), site, batch=every and not force) for site, one in places
        ]
    if not as_json:
        plans.tell(shown for one in upgrades if one.prepared for shown in one.prepared.shown())
    if not dry_run and any(one.prepared for one in upgrades) and not plans.agreed(yes, "Upgrade?"):
        raise typer.Exit(1)
    plan = [line for one in upgrades if one.prepared for line in one.prepared.shown()]
    outcomes = [one.outcome if dry_run else _applied(place, one) for one in upgrades]
    # One that is skipped must not fail the others; when nothing at all could be done, that is a failure.
    ok = not outcomes or any(one.state != "skipped" for one in outcomes)
    _answer(outcomes, {"ok": ok, "plan": plan, "written": not dry_run}, as_json)
    if not ok:
        raise typer.Exit(1)


def _wanted(place: Here, channel: str, version: str) -> Wanted:
    return Wanted(name="", channel=channel, version=version or None, agents=agents_here(place))


def _named(order: Order, name: str) -> Order:
    return msgspec.structs.replace(order, wanted=msgspec.structs.replace(order.wanted, name=name))


def _places(place: Here, package: str, scope: ScopeOption) -> list[tuple[Site, str]]:
    if package:
        found = installed_sites(place, package, scope)
        if not found:
            hint = f"synaptic install {package}"
            raise Refusal("not_found", f"{package} is not installed here", where=place.cwd, hint=hint)
        return [(site, package) for site, _ in found]
    sites = sites_in(place, scope)
    return [(site, record.package) for site in sites for record in lock.load(site).install]


def _applied(place: Here, upgrade: Upgrade) -> Outcome:
    if upgrade.prepared is None:
        return upgrade.outcome
    apply(place.home, upgrade.prepared)
    bootstrap.ensure(installation(place))
    return msgspec.structs.replace(upgrade.outcome, state="upgraded")


def _answer(outcomes: list[Outcome], told: dict[str, object], as_json: bool) -> None:
    if as_json:
        screen.document({**told, "outcomes": outcomes})
        return
    for one in outcomes:
        versions = f"{one.was} -> {one.version}" if one.version and one.version != one.was else one.was
        screen.say(f"{one.state}: {one.package} {versions} ({one.scope}) {one.message}".rstrip())
    if not outcomes:
        screen.say("nothing is installed here")
