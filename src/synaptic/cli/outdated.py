"""`synaptic outdated`: installed packages beside what their channel has now."""

from synaptic.cli import screen
from synaptic.cli.place import find_place
from synaptic.cli.registry_options import ChannelOption, RegistryOption
from synaptic.cli.sites import ScopeOption, list_sites, open_chosen_source
from synaptic.cli.verbs import Json, format_examples, make_verb_app
from synaptic.packages.upgrade import list_available

app = make_verb_app()


@app.command(epilog=format_examples("synaptic outdated\nsynaptic outdated --channel beta"))
def outdated(
    channel: ChannelOption = "", scope: ScopeOption = None, registry: RegistryOption = "", as_json: Json = False
) -> None:
    """Show what an upgrade would bring."""
    place = find_place()
    sites = list_sites(place, scope)
    with open_chosen_source(registry, place) as source:
        found = [one for site in sites for one in list_available(source, site, channel)]
    old = [one for one in found if one.outdated]
    if as_json:
        screen.print_json({"ok": True, "outdated": old, "packages": found})
    elif not old:
        screen.say(f"{len(found)} packages, all as their channels have them")
    else:
        rows = ((one.package, one.scope, one.channel, one.installed, one.available) for one in old)
        screen.print_table(("PACKAGE", "SCOPE", "CHANNEL", "INSTALLED", "AVAILABLE"), rows)
