"""`synaptic freeze`: what is installed here, exactly."""

from synaptic.cli import screen
from synaptic.cli.place import find_place
from synaptic.cli.sites import ScopeOption, list_sites
from synaptic.cli.verbs import Json, format_examples, make_verb_app
from synaptic.packages import lock

app = make_verb_app()


@app.command(epilog=format_examples("synaptic freeze\nsynaptic freeze --scope project --json"))
def freeze(scope: ScopeOption = None, as_json: Json = False) -> None:
    """Print every installed package with version, channel, place and hash."""
    place = find_place()
    sites = list_sites(place, scope)
    records = [record for site in sites for record in lock.load_lockfile(site).install]
    if as_json:
        screen.print_json({"ok": True, "packages": records})
        return
    for record in records:
        origin = f"{record.scope} {record.branch} sha256:{record.sha256}"
        screen.say_exactly(f"{record.package}@{record.version}  # {origin}")
