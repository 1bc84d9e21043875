"""`synaptic verify`: whether files, hooks and lockfile of the installed packages agree."""

from typing import Annotated

import msgspec
import typer

from synaptic.cli import screen
from synaptic.cli.place import here
from synaptic.cli.sites import ScopeOption, installed_sites, sites_in
from synaptic.cli.verbs import Json, shown, verb
from synaptic.model.refusal import Refusal
from synaptic.packages.verify_install import Found, verify_site

app = verb()

EXAMPLES = """
synaptic verify
synaptic verify policy-guard
synaptic doctor --fix          restores what was changed
"""


@app.command(epilog=shown(EXAMPLES))
def verify(
    name: Annotated[str, typer.Argument(help="One package; without it all of them.")] = "",
    scope: ScopeOption = None,
    as_json: Json = False,
) -> None:
    """Look at every installed file and hook; exit code 1 when one is missing, or changed so that it cannot run."""
    place = here()
    sites = sites_in(place, scope)
    if name and not installed_sites(place, name, scope):
        raise Refusal("not_found", f"{name} is not installed here", where=place.cwd, hint="type: synaptic freeze")
    found = [one for site in sites for one in verify_site(site, name)]
    failed = [one for one in found if one.failed]
    if as_json:
        screen.document({"ok": not failed, "found": [_object(one) for one in found]})
    else:
        _tell(found)
    if failed:
        raise typer.Exit(1)


def _object(found: Found) -> dict[str, str]:
    return {**msgspec.structs.asdict(found), "severity": found.severity}


def _tell(found: list[Found]) -> None:
    for one in found:
        if one.kind != "ok":
            screen.say(f"{one.severity}: {one.package} ({one.scope}) {one.kind} {one.path} {one.message}".rstrip())
    packages = {(one.package, one.scope) for one in found}
    good = sum(one.kind == "ok" for one in found)
    screen.say(f"{len(packages)} packages, {good} files as installed, {len(found) - good} findings")
