"""`synaptic diff`: what was changed in an installed package here, and what an upgrade would change."""

from typing import Annotated

from synaptic.cli import plan, screen, typer
from synaptic.cli.completion import complete_installed_packages
from synaptic.cli.place import CommandPlace, find_place
from synaptic.cli.registry_options import ChannelOption, RegistryOption
from synaptic.cli.sites import ScopeOption, find_one_site, list_project_agents, open_chosen_source
from synaptic.cli.verbs import Json, format_examples, make_verb_app
from synaptic.model.refusal import Refusal
from synaptic.packages import drift
from synaptic.packages.dependencies import WantedPackage
from synaptic.packages.drift import PackageDrift
from synaptic.packages.install import InstallOrder
from synaptic.packages.lock import InstallRecord
from synaptic.packages.restore import prepare_restore
from synaptic.packages.site import Site
from synaptic.packages.source import PackageSource
from synaptic.packages.upgrade import prepare_upgrade

app = make_verb_app()


@app.command(epilog=format_examples("synaptic diff policy-guard\nsynaptic diff policy-guard --channel beta"))
def diff(
    name: Annotated[str, typer.Argument(help="An installed package.", autocompletion=complete_installed_packages)],
    channel: ChannelOption = "",
    scope: ScopeOption = None,
    registry: RegistryOption = "",
    as_json: Json = False,
) -> None:
    """Show local changes and what an upgrade would bring, hooks first. Nothing is written."""
    place = find_place()
    site, record = find_one_site(place, name, scope)
    note = ""
    coming: PackageDrift | None = None
    try:
        with open_chosen_source(registry, place) as source:
            mine = _find_local_drift(source, site, record)
            coming = _find_coming_drift(
                source, place, site, WantedPackage(name=name, channel=channel, agents=list_project_agents(place))
            )
    # What was changed here can be shown without the registry.
    except Refusal as refusal:
        mine, note = drift.find_local_drift(site, record), f"the registry cannot be asked: {refusal}"
    if as_json:
        screen.print_json({"ok": True, "local": mine, "upgrade": coming, "note": note})
        return
    _print_drift("changed here", mine)
    if coming is not None:
        _print_drift(f"an upgrade to {coming.version} changes", coming)
    screen.say(note or ("" if coming else "the channel has nothing newer"))


def _find_local_drift(source: PackageSource, site: Site, record: InstallRecord) -> PackageDrift:
    try:
        return drift.find_local_drift(site, record, prepare_restore(source, site, [record]))
    except Refusal:
        return drift.find_local_drift(site, record)  # the registry has this version no more: its lines are not known


def _find_coming_drift(
    source: PackageSource, place: CommandPlace, site: Site, wanted: WantedPackage
) -> PackageDrift | None:
    upgrade = prepare_upgrade(source, InstallOrder(wanted=wanted, sites=()), site, batch=True)
    return drift.find_upcoming_drift(upgrade.prepared.items[-1]) if upgrade.prepared else None


def _print_drift(title: str, found: PackageDrift) -> None:
    screen.say(f"{title}: {len(found.hooks)} hooks, {len(found.files)} files")
    for hook in found.hooks:
        screen.say(
            f" {plan.CHANGE_MARKS[hook.change]} hook {hook.event} {hook.matcher} priority {hook.priority} {hook.note}"
        )
    for file in found.files:
        screen.say(f"   {file.change:<8} {file.path}")
        for line in file.lines:
            screen.say_exactly(f"     {line}")
