"""`synaptic upgrade`: packages as their channel has them now; what the user changed in the registry stays."""

from typing import Annotated

import msgspec

from synaptic.cli import plan as plans
from synaptic.cli import progress, screen, typer
from synaptic.cli.bootstrap import read_installation
from synaptic.cli.completion import complete_installed_packages
from synaptic.cli.place import CommandPlace, find_place
from synaptic.cli.registry_options import ChannelOption, RegistryOption
from synaptic.cli.sites import (
    DowngradeOption,
    DryRunOption,
    ForceOption,
    ScopeOption,
    YesOption,
    find_installed_sites,
    list_project_agents,
    list_sites,
    open_chosen_source,
)
from synaptic.cli.upgrade_self import upgrade_program
from synaptic.cli.verbs import Json, format_examples, make_verb_app
from synaptic.model.refusal import Refusal
from synaptic.packages import lock
from synaptic.packages.dependencies import WantedPackage
from synaptic.packages.install import InstallOrder, apply_install
from synaptic.packages.site import Site
from synaptic.packages.upgrade import UpgradeOutcome, UpgradePlan, prepare_upgrade
from synaptic.setup import bootstrap

app = make_verb_app()

EXAMPLES = """
synaptic upgrade policy-guard            look at what changes, hooks first, then say yes
synaptic upgrade policy-guard --channel beta
synaptic upgrade --all --yes
synaptic upgrade --self                  this program: shows the command, and asks before it runs it
"""


@app.command(epilog=format_examples(EXAMPLES))
def upgrade(
    name: Annotated[
        str, typer.Argument(help="A package, as NAME or NAME@VERSION.", autocompletion=complete_installed_packages)
    ] = "",
    every: Annotated[bool, typer.Option("--all", help="Every installed package.")] = False,
    channel: ChannelOption = "",
    scope: ScopeOption = None,
    registry: RegistryOption = "",
    force: ForceOption = False,
    allow_downgrade: DowngradeOption = False,
    yes: YesOption = False,
    dry_run: DryRunOption = False,
    itself: Annotated[bool, typer.Option("--self", help="This program, not a package.")] = False,
    as_json: Json = False,
) -> None:
    """Show what would change, and after a yes change it; each package whole or not at all."""
    if itself:
        if name or every:
            raise Refusal("invalid_args", "--self is for this program alone", hint="synaptic upgrade --self")
        upgrade_program(find_place(), dry_run=dry_run, as_json=as_json)
        return
    if bool(name) == every:
        raise Refusal(
            "invalid_args",
            "one package or all of them",
            hint="synaptic upgrade NAME, or --all; this program itself: --self",
        )
    if force and every:
        raise Refusal("invalid_args", "--force is for one package", hint="leave out --all")
    place = find_place()
    package, _, version = name.partition("@")
    places = _find_sites(place, package, scope)
    with open_chosen_source(registry, place) as source:
        order = InstallOrder(
            wanted=_make_wanted(place, channel, version),
            sites=(),
            ask=plans.ask_question,
            force=force,
            allow_downgrade=allow_downgrade,
        )
        upgrades = [
            prepare_upgrade(source, _order_package(order, one), site, batch=every and not force) for site, one in places
        ]
    if not as_json:
        plans.print_plans(shown for one in upgrades if one.prepared for shown in one.prepared.summarise())
    if not dry_run and any(one.prepared for one in upgrades) and not plans.confirm_plan(yes, "Upgrade?"):
        raise typer.Exit(1)
    plan = [line for one in upgrades if one.prepared for line in one.prepared.summarise()]
    outcomes = [one.outcome if dry_run else _apply_upgrade(place, one) for one in upgrades]
    # One that is skipped must not fail the others; when nothing at all could be done, that is a failure.
    ok = not outcomes or any(one.state != "skipped" for one in outcomes)
    _print_outcomes(outcomes, {"ok": ok, "plan": plan, "written": not dry_run}, as_json)
    if not ok:
        raise typer.Exit(1)


def _make_wanted(place: CommandPlace, channel: str, version: str) -> WantedPackage:
    return WantedPackage(name="", channel=channel, version=version or None, agents=list_project_agents(place))


def _order_package(order: InstallOrder, name: str) -> InstallOrder:
    return msgspec.structs.replace(order, wanted=msgspec.structs.replace(order.wanted, name=name))


def _find_sites(place: CommandPlace, package: str, scope: ScopeOption) -> list[tuple[Site, str]]:
    if package:
        found = find_installed_sites(place, package, scope)
        if not found:
            hint = f"synaptic install {package}"
            raise Refusal("not_found", f"{package} is not installed here", where=place.cwd, hint=hint)
        return [(site, package) for site, _ in found]
    sites = list_sites(place, scope)
    return [(site, record.package) for site in sites for record in lock.load_lockfile(site).install]


def _apply_upgrade(place: CommandPlace, upgrade: UpgradePlan) -> UpgradeOutcome:
    if upgrade.prepared is None:
        return upgrade.outcome
    with progress.show_progress(f"upgrading {upgrade.outcome.package}"):
        apply_install(place.home, upgrade.prepared)
        bootstrap.ensure_bootstrap(read_installation(place))
    return msgspec.structs.replace(upgrade.outcome, state="upgraded")


def _print_outcomes(outcomes: list[UpgradeOutcome], told: dict[str, object], as_json: bool) -> None:
    if as_json:
        screen.print_json({**told, "outcomes": outcomes})
        return
    for one in outcomes:
        versions = f"{one.was} -> {one.version}" if one.version and one.version != one.was else one.was
        screen.say(f"{one.state}: {one.package} {versions} ({one.scope}) {one.message}".rstrip())
    if not outcomes:
        screen.say("nothing is installed here")
