"""`synaptic outdated`: installed packages beside what their channel has now."""

from synaptic.cli import screen
from synaptic.cli.place import here
from synaptic.cli.sites import Channel, Registry, ScopeOption, opened_source, sites_in
from synaptic.cli.verbs import Json, shown, verb
from synaptic.packages.upgrade import available

app = verb()


@app.command(epilog=shown("synaptic outdated\nsynaptic outdated --channel beta"))
def outdated(channel: Channel = "", scope: ScopeOption = None, registry: Registry = "", as_json: Json = False) -> None:
    """Show what an upgrade would bring."""
    place = here()
    sites = sites_in(place, scope)
    with opened_source(registry, place) as source:
        found = [one for site in sites for one in available(source, site, channel)]
    old = [one for one in found if one.outdated]
    if as_json:
        screen.document({"ok": True, "outdated": old, "packages": found})
    elif not old:
        screen.say(f"{len(found)} packages, all as their channels have them")
    else:
        rows = ((one.package, one.scope, one.channel, one.installed, one.available) for one in old)
        screen.table(("PACKAGE", "SCOPE", "CHANNEL", "INSTALLED", "AVAILABLE"), rows)
