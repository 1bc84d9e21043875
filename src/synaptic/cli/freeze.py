"""`synaptic freeze`: what is installed here, exactly."""

from synaptic.cli import screen
from synaptic.cli.place import here
from synaptic.cli.sites import ScopeOption, sites_in
from synaptic.cli.verbs import Json, shown, verb
from synaptic.packages import lock

app = verb()


@app.command(epilog=shown("synaptic freeze\nsynaptic freeze --scope project --json"))
def freeze(scope: ScopeOption = None, as_json: Json = False) -> None:
    """Print every installed package with version, channel, place and hash."""
    place = here()
    sites = sites_in(place, scope)
    records = [record for site in sites for record in lock.load(site).install]
    if as_json:
        screen.document({"ok": True, "packages": records})
        return
    for record in records:
        screen.say(f"{record.package}@{record.version}  # {record.scope} {record.branch} sha256:{record.sha256}")
