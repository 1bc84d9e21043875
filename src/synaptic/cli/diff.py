"""`synaptic diff`: what was changed in an installed package here, and what an upgrade would change."""

from typing import Annotated

import typer

from synaptic.cli import plan, screen
from synaptic.cli.place import Here, here
from synaptic.cli.sites import Channel, Registry, ScopeOption, agents_here, one_site, opened_source
from synaptic.cli.verbs import Json, shown, verb
from synaptic.model.refusal import Refusal
from synaptic.packages import drift
from synaptic.packages.dependencies import Wanted
from synaptic.packages.drift import Drift
from synaptic.packages.install import Order
from synaptic.packages.lock import Record
from synaptic.packages.restore import prepare_locked
from synaptic.packages.site import Site
from synaptic.packages.source import Source
from synaptic.packages.upgrade import prepare_upgrade

app = verb()


@app.command(epilog=shown("synaptic diff policy-guard\nsynaptic diff policy-guard --channel beta"))
def diff(
    name: Annotated[str, typer.Argument(help="An installed package.")],
    channel: Channel = "",
    scope: ScopeOption = None,
    registry: Registry = "",
    as_json: Json = False,
) -> None:
    """Show local changes and what an upgrade would bring, hooks first. Nothing is written."""
    place = here()
    site, record = one_site(place, name, scope)
    note = ""
    coming: Drift | None = None
    try:
        with opened_source(registry, place) as source:
            mine = _local(source, site, record)
            coming = _coming(source, place, site, Wanted(name=name, channel=channel, agents=agents_here(place)))
    # What was changed here can be shown without the registry.
    except Refusal as refusal:
        mine, note = drift.local(site, record), f"the registry cannot be asked: {refusal}"
    if as_json:
        screen.document({"ok": True, "local": mine, "upgrade": coming, "note": note})
        return
    _tell("changed here", mine)
    if coming is not None:
        _tell(f"an upgrade to {coming.version} changes", coming)
    screen.say(note or ("" if coming else "the channel has nothing newer"))


def _local(source: Source, site: Site, record: Record) -> Drift:
    try:
        return drift.local(site, record, prepare_locked(source, site, [record]))
    except Refusal:
        return drift.local(site, record)  # the registry has this version no more: its lines are not known


def _coming(source: Source, place: Here, site: Site, wanted: Wanted) -> Drift | None:
    upgrade = prepare_upgrade(source, Order(wanted=wanted, sites=()), site, batch=True)
    return drift.upcoming(upgrade.prepared.items[-1]) if upgrade.prepared else None


def _tell(title: str, found: Drift) -> None:
    screen.say(f"{title}: {len(found.hooks)} hooks, {len(found.files)} files")
    for hook in found.hooks:
        screen.say(f" {plan.MARKS[hook.change]} hook {hook.event} {hook.matcher} priority {hook.priority} {hook.note}")
    for file in found.files:
        screen.say(f"   {file.change:<8} {file.path}")
        for line in file.lines:
            screen.say(f"     {line}")
